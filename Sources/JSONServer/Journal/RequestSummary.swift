import HTTPTypes
import OrderedJSON

/// A request and its response, without their fields and bodies.
struct RequestSummary: Sendable {
  private let id: Int
  private let time: Double
  private let method: String
  private let target: String
  private let status: Int
  private let state: Exchange.State
  private let delivery: Response.Delivery
  private let notes: MatchNotes?
  private let duration: Duration

  init(_ exchange: Exchange) {
    id = exchange.id
    time = exchange.time
    method = exchange.request.method.rawValue
    target = exchange.shownTarget
    status = exchange.sent.status.code
    state = exchange.state
    delivery = exchange.sent.delivery
    notes = exchange.notes
    duration = exchange.duration
  }

  /// The members, as the journal and the events show them.
  var members: JSONObject {
    var members = JSONObject([
      ("id", .number(JSONNumber(id))),
      ("time", .string(Timestamp(secondsSince1970: time).rfc3339)),
      ("method", .string(method)),
      ("path", .string(target)),
      ("status", state == .received ? .null : .number(JSONNumber(status))),
      ("milliseconds", state == .received ? .null : JSONValue(rounding: duration / .milliseconds(1))),
      ("state", .string(state.rawValue)),
      ("delivery", .string(delivery.name)),
      ("matched", notes?.value ?? .null),
    ])
    if notes?.isUnexpected == true { members["unexpected"] = true }
    return members
  }
}

extension Response.Delivery {
  /// The name of the fault that it is the effect of; `normal` for none.
  package var name: String {
    switch self {
    case .normal: "normal"
    case .hang: Fault.Action.hang.rawValue
    case .reset: Fault.Action.reset.rawValue
    case .truncated: Fault.Action.truncate.rawValue
    }
  }
}

extension MatchNotes {
  /// What the request has met, as `/__admin/requests` shows it; `nil` for nothing.
  fileprivate var value: JSONValue? {
    var members = JSONObject()
    members["rule"] = rule.map { .string($0) }
    for (name, id) in [("fault", fault), ("hold", hold), ("stub", stub)] {
      members[name] = id.map { .number(JSONNumber($0)) }
    }
    members["proxy"] = upstream.map { .string($0) }
    return members.isEmpty ? nil : .object(members)
  }
}

extension JSONValue {
  /// Creates a number with at most three digits after the point.
  init(rounding number: Double) {
    self = JSONNumber((number * 1000).rounded() / 1000).map(JSONValue.number) ?? .null
  }
}
