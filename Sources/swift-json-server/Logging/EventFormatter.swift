import HTTPTypes
import JSONServer

/// Makes a line of each event that is to be shown.
protocol EventFormatter: Sendable {
  /// Returns the line without its end, and where it goes; `nil` for an event that is not shown.
  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String)?

  /// Returns the line of a request that was responded to, likewise.
  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String)?
}

/// What a log shows of an exchange: a line that waits to be printed must not keep the bodies.
struct RespondedRequest: Sendable {
  let method: String
  let target: String
  let status: HTTPResponse.Status
  /// The size of the response's body; of one above 1 MiB about that, since it is sent while it is made.
  let bytes: Int
  let duration: Duration
  /// The origin of the page whose browser withholds the response from it; `nil` for every other client.
  let refusedOrigin: String?

  init(_ exchange: Exchange) {
    method = exchange.request.method.rawValue
    target = exchange.shownTarget
    status = exchange.sent.status
    bytes = exchange.sent.estimatedByteCount
    duration = exchange.duration
    refusedOrigin = exchange.sent.refusedOrigin
  }
}
