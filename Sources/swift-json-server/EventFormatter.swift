import JSONServer

/// Makes a line of each event that is to be shown.
protocol EventFormatter: Sendable {
  /// Returns the line without its end, and where it goes; `nil` for an event that is not shown.
  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String)?

  /// Returns the line of a request that was answered, likewise.
  func line(for request: AnsweredRequest, at time: Timestamp) -> (LogStream, String)?
}
