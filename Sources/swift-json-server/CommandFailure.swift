import JSONServer

/// Why the command ends with an error, in a sentence for a person.
struct CommandFailure: Error {
  let status: ExitStatus
  /// What is wrong, with the file or the option, and what to do.
  let message: String
  /// The line of a fault with a caret under it.
  let excerpt: String?

  init(_ status: ExitStatus, _ message: String, excerpt: String? = nil) {
    self.status = status
    self.message = message
    self.excerpt = excerpt
  }

  init(_ error: ServerError) {
    self.init(ExitStatus(error.code), error.message, excerpt: error.excerpt)
  }

  /// The sentence, and the excerpt below it.
  var text: String {
    excerpt.map { "\(message)\n\($0)" } ?? message
  }

  /// Runs a command's work.
  ///
  /// - Returns: The exit code; a failure is told on standard error.
  static func reporting(_ body: () async throws(CommandFailure) -> Int32) async -> Int32 {
    do throws(CommandFailure) {
      return try await body()
    } catch {
      FileText.send(Array("swift-json-server: \(error.text)\n".utf8), to: LogStream.error.rawValue)
      return error.status.rawValue
    }
  }
}
