import HTTPTypes
import OrderedJSON

extension Fault {
  private static let ownNames: Set = ["times", "delay", "retryAfter", "action"]
  private static let requestNames: Set = ["method", "path", "query"]

  /// Reads a fault as it is sent to `/__admin/faults`.
  ///
  /// The method, the path and the query, and the members of the response, stand beside the fault's own members, or in
  /// objects named `request` and `response`.
  ///
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody, files: BodyFiles) throws(RequestError) {
    let known = Self.ownNames.union(Self.requestNames).union(FixedResponse.memberNames)
    try body.allow(only: known.union(["request", "response"]))
    let names = body.value("request") == nil ? Self.requestNames : RequestPattern.memberNames
    let request = try Self.part("request", of: body, beside: Self.requestNames, RequestPattern.memberNames)
    self.init(try RequestPattern(request, reading: names))
    response = try FixedResponse(
      try Self.part("response", of: body, beside: FixedResponse.memberNames, FixedResponse.memberNames), files: files)
    times = try body.times()
    delay = try body.delay()
    retryAfter = try body.integer("retryAfter", in: 0...1_000_000)
    if let name = try body.string("action") {
      guard let action = Action(rawValue: name) else { throw body.wrong("action", "hang, reset or truncate") }
      self.action = action
    }
    guard delay != nil || prepared != nil else {
      throw RequestError(
        .malformed,
        "The fault does nothing; it needs one of delay, status, body, bodyFile, headers, retryAfter and action.")
    }
  }

  /// The object in which some members stand: one of their own, or the whole body.
  private static func part(
    _ name: String, of body: AdminBody, beside flat: Set<String>, _ names: Set<String>
  ) throws(RequestError) -> AdminBody {
    guard let part = try body.object(name) else { return body }
    try part.allow(only: names)
    if let other = flat.sorted().first(where: { body.member($0) != nil }) {
      throw body.refusal(of: other, "stands in '\(name)', too; write all in one of the two places.")
    }
    return part
  }

  /// The fault as `/__admin/faults` shows it.
  func value(id: Int, timesLeft: Int?, matcher: RequestMatcher) -> JSONValue {
    var members = JSONObject([("id", .number(JSONNumber(id)))])
    let pattern = matcher.pattern
    if pattern.headers.isEmpty, pattern.body == nil {
      for (name, value) in pattern.members { members[name] = value }
    } else {
      members["request"] = .object(pattern.members)
    }
    members["times"] = timesLeft.map { .number(JSONNumber($0)) }
    members["delay"] = delay?.milliseconds
    for (name, value) in response.members { members[name] = value }
    members["retryAfter"] = retryAfter.map { .number(JSONNumber($0)) }
    members["action"] = action.map { .string($0.rawValue) }
    return .object(members)
  }
}
