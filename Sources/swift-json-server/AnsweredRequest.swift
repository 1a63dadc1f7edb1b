import HTTPTypes
import JSONServer

/// What a log shows of an exchange: a line that waits to be printed must not keep the bodies.
struct AnsweredRequest: Sendable {
  let method: String
  let target: String
  let status: HTTPResponse.Status
  /// The size of the answer's body.
  let bytes: Int
  let duration: Duration

  init(_ exchange: Exchange) {
    method = exchange.request.method.rawValue
    target = exchange.request.target
    status = exchange.sent.status
    bytes = exchange.sent.bytes.count
    duration = exchange.duration
  }
}
