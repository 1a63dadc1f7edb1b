import Testing

extension Issue {
  /// Whether the issue fails its test: a warning and a known issue do not.
  ///
  /// The library of Swift 6.2 does not tell (Swift Evolution, ST-0013): there, every issue counts.
  var failsTest: Bool {
    #if compiler(>=6.3)
      isFailure
    #else
      true
    #endif
  }
}
