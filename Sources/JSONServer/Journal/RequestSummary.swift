import HTTPTypes
import OrderedJSON

/// A request and its response, without their fields and bodies.
struct RequestSummary: Sendable {
  private let id: Int
  private let time: Double
  private let method: String
  private let target: String
  private let status: Int
  private let duration: Duration

  init(_ exchange: Exchange) {
    id = exchange.id
    time = exchange.time
    method = exchange.request.method.rawValue
    target = exchange.shownRequest.target
    status = exchange.sent.status.code
    duration = exchange.duration
  }

  /// The members, as the journal and the events show them.
  var members: JSONObject {
    JSONObject([
      ("id", .number(JSONNumber(id))),
      ("time", .string(Timestamp(secondsSince1970: time).rfc3339)),
      ("method", .string(method)),
      ("path", .string(target)),
      ("status", .number(JSONNumber(status))),
      ("milliseconds", JSONValue(rounding: duration / .milliseconds(1))),
    ])
  }
}

extension JSONValue {
  /// Creates a number with at most three digits after the point.
  init(rounding number: Double) {
    self = JSONNumber((number * 1000).rounded() / 1000).map(JSONValue.number) ?? .null
  }
}
