import JSONServer

/// Finds out what a source argument stands for.
struct SourceLocator {
  private let argument: String

  init(_ argument: String) {
    self.argument = argument
  }

  /// Returns the source; a missing JSON file is created with sample data first.
  ///
  /// - Parameter tell: Called with what a person should know.
  func locate(tell: (String) -> Void) throws(CommandFailure) -> Source {
    switch FileKind(of: argument) {
    case .directory: return .directory(argument)
    case .file, .other, .executable: return .file(argument)
    case .missing:
      guard argument.hasSuffix(".json") else {
        throw CommandFailure(
          .missingSource,
          "\(argument): there is no such file; check the name, or make one with 'swift-json-server init'.")
      }
      guard FileText.create(argument, Array(Sample.text.utf8)) else {
        throw CommandFailure(
          .missingSource, "\(argument): there is no such file, and it cannot be created; check the directory.")
      }
      tell("\(argument) does not exist; it is created with some sample data.")
      return .file(argument)
    }
  }
}
