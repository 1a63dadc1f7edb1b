#if SwiftTesting && canImport(Testing)
  import Testing
#endif

/// The place in a test's source that expects something.
struct CodePlace: Sendable {
  let fileID: String
  let filePath: String
  let line: Int
  let column: Int

  /// Records an unmet expectation as an issue of the running test, so that the test goes on.
  ///
  /// - Throws: The error with this place, when no test of Swift Testing runs.
  func report(_ error: MockServerError) throws(MockServerError) {
    #if SwiftTesting && canImport(Testing)
      if Test.current != nil {
        let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        Issue.record(Comment(rawValue: error.message), sourceLocation: location)
        return
      }
    #endif
    throw error.at(filePath, line)
  }
}
