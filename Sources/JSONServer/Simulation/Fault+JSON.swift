import HTTPTypes
import OrderedJSON

extension Fault {
  private static let memberNames: Set = [
    "method", "path", "times", "delay", "status", "body", "headers", "retryAfter", "action",
  ]

  /// Reads a fault as it is sent to `/__admin/faults`.
  ///
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody) throws(RequestError) {
    try body.allow(only: Self.memberNames)
    self.init()
    if let name = try body.string("method") {
      guard let method = HTTPRequest.Method(name.uppercased()) else { throw AdminBody.wrong("method", "a method") }
      self.method = method
    }
    path = try body.string("path")
    times = try body.integer("times", in: 1...1_000_000)
    delay = try Self.delay(body)
    status = try body.integer("status", in: 200...599).map { HTTPResponse.Status(code: $0) }
    self.body = body.member("body")
    headerFields = try Self.headerFields(body)
    retryAfter = try body.integer("retryAfter", in: 0...1_000_000)
    if let name = try body.string("action") {
      guard let action = Action(rawValue: name) else { throw AdminBody.wrong("action", "hang, reset or truncate") }
      self.action = action
    }
    guard delay != nil || response != nil else {
      throw RequestError(
        .malformed, "The fault does nothing; it needs one of delay, status, body, headers, retryAfter and action.")
    }
  }

  private static func delay(_ body: AdminBody) throws(RequestError) -> ClosedRange<Duration>? {
    let error = AdminBody.wrong("delay", "milliseconds up to 600000, or a range of them such as [100, 500]")
    guard let value = body.value("delay") else { return nil }
    let bounds = value.array ?? [value, value]
    let limit = 0...600_000
    guard bounds.count == 2, let lower = bounds[0].integer, let upper = bounds[1].integer, lower <= upper,
      limit.contains(lower), limit.contains(upper)
    else { throw error }
    return .milliseconds(lower) ... .milliseconds(upper)
  }

  private static func headerFields(_ body: AdminBody) throws(RequestError) -> HTTPFields {
    let error = AdminBody.wrong("headers", "an object of field names and strings")
    guard let value = body.value("headers") else { return [:] }
    guard let members = value.object else { throw error }
    var fields: HTTPFields = [:]
    for (name, value) in members {
      guard let name = HTTPField.Name(name), let value = value.string else { throw error }
      fields[name] = value
    }
    return fields
  }

  /// The fault as `/__admin/faults` shows it.
  func value(id: Int) -> JSONValue {
    var members = JSONObject([("id", .number(JSONNumber(id)))])
    members["method"] = method.map { .string($0.rawValue) }
    members["path"] = path.map { .string($0) }
    members["times"] = times.map { .number(JSONNumber($0)) }
    members["delay"] = delay.map(Self.value)
    members["status"] = status.map { .number(JSONNumber($0.code)) }
    members["body"] = body
    if !headerFields.isEmpty { members["headers"] = .object(headerFields.members) }
    members["retryAfter"] = retryAfter.map { .number(JSONNumber($0)) }
    members["action"] = action.map { .string($0.rawValue) }
    return .object(members)
  }

  private static func value(_ delay: ClosedRange<Duration>) -> JSONValue {
    let bounds = [delay.lowerBound, delay.upperBound].map { JSONValue(rounding: $0 / .milliseconds(1)) }
    return bounds[0] == bounds[1] ? bounds[0] : .array(bounds)
  }
}
