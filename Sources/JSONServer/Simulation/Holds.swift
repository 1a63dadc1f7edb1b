import HTTPTypes
import OrderedJSON

/// The holds of a server, with the requests that wait in them.
struct Holds: Sendable {
  /// How requests leave a hold.
  enum Release: Sendable {
    /// They go on as if they had not waited.
    case goOn
    /// They get this response.
    case fail(PreparedResponse)

    /// Reads the parameter `status`, with which the requests fail; without it, they go on.
    ///
    /// - Throws: 400 for what is no status.
    static func wanted(by parameters: QueryParameters) throws(RequestError) -> Release {
      guard let text = parameters.first("status") else { return .goOn }
      guard let code = Int(text), (200...599).contains(code) else {
        throw RequestError(.malformed, "'status' must be a number from 200 to 599.")
      }
      return .fail(Holds.failure(HTTPResponse.Status(code: code)))
    }
  }

  private(set) var table = RuleTable<[Int: RequestContext]>(keepsSpent: true)

  var isEmpty: Bool { table.isEmpty }

  /// Adds a hold and returns its id.
  ///
  /// - Throws: 400 for a pattern that no request can match, and for a number of times that makes no sense.
  mutating func add(_ pattern: RequestPattern, times: Int?) throws(RequestError) -> Int {
    try Simulation.check(times: times)
    return table.add([:], for: try RequestMatcher(pattern), times: times)
  }

  /// Returns the id of the first hold that a request meets, and counts it.
  mutating func next(for request: MatchableRequest) -> Int? { table.next(for: request)?.id }

  /// Lets a request wait, by a number of the caller's choice.
  mutating func hold(_ context: RequestContext, number: Int, in id: Int) {
    table.change(id) { $0[number] = context }
  }

  /// Takes a request out whose client has gone; `nil` when it waits no longer.
  mutating func take(_ number: Int, from id: Int) -> RequestContext? {
    var context: RequestContext?
    table.change(id) { context = $0.removeValue(forKey: number) }
    return context
  }

  /// Removes a hold.
  ///
  /// - Returns: The requests that waited in it, in the order in which they came; `nil` when there is no such hold.
  mutating func remove(_ id: Int) -> [RequestContext]? {
    guard let rule = table[id] else { return nil }
    _ = table.remove(id)
    return rule.value.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Removes all holds.
  ///
  /// - Returns: The requests that waited, in the order in which they came.
  mutating func removeAll() -> [RequestContext] {
    defer { table.removeOwn() }
    return table.all.flatMap { $0.value }.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension Holds {
  /// The response to a request that is held and fails.
  static func failure(_ status: HTTPResponse.Status) -> PreparedResponse {
    let status = status.withPhrase
    guard status.code >= 400 else { return PreparedResponse(status: status) }
    return .error(status, "This answer was asked for when the request was held; see /__admin/holds.")
  }

  /// Reads a hold as it is sent to `/__admin/holds`: the members of a pattern, and how many requests it holds.
  ///
  /// - Throws: 400 that names the member at fault.
  static func read(_ body: AdminBody) throws(RequestError) -> (pattern: RequestPattern, times: Int?) {
    try body.allow(only: RequestPattern.memberNames.union(["times"]))
    return (try RequestPattern(body), try body.times())
  }

  /// A hold as `/__admin/holds` shows it, with the numbers that the requests waiting in it have in the journal.
  static func value(_ rule: RuleTable<[Int: RequestContext]>.Rule) -> JSONValue {
    var members = JSONObject([("id", .number(JSONNumber(rule.id)))])
    for (name, value) in rule.matcher.pattern.members { members[name] = value }
    members["times"] = rule.timesLeft.map { .number(JSONNumber($0)) }
    let waiting = rule.value.keys.sorted().map { JSONValue.number(JSONNumber($0)) }
    members["requests"] = .array(waiting)
    return .object(members)
  }
}
