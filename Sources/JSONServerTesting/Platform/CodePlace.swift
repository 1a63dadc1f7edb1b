#if SwiftTesting && canImport(Testing)
  import Testing
#endif

extension MockServerError {
  /// Records the error as an issue of the running test, at its declaration.
  ///
  /// - Throws: The error, when no test of Swift Testing runs.
  func reportForRunningTest() throws(MockServerError) {
    #if SwiftTesting && canImport(Testing)
      if let test = Test.current {
        Issue.record(Comment(rawValue: message), sourceLocation: test.sourceLocation)
        return
      }
    #endif
    throw self
  }
}

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
