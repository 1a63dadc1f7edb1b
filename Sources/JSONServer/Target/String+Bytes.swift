extension String {
  /// Gives a closure the UTF-8 bytes, without a copy of those that lie in memory already.
  ///
  /// Walking `utf8` by its indices takes two to three times as long.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = self
    return text.withUTF8(body)
  }
}
