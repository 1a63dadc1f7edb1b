/// The stubs of a server: those that all servers of a database have first, then those added later, then those it started
/// with, then those of the stubs file.
struct Stubs: Sendable {
  struct Entry: Sendable {
    let stub: Stub
    /// How many responses it has given.
    var count = 0
    /// Whether the stubs file has it.
    var isOfFile = false
  }

  var table = RuleTable<Entry>()

  /// - Throws: 400 for a stub that cannot be used.
  init(_ stubs: [Stub], file: StubsFile?) throws(RequestError) {
    for stub in stubs { _ = table.add(Entry(stub: stub), for: try Self.matcher(of: stub), times: stub.times) }
    if let file { replaceFile(with: file) }
  }

  var isEmpty: Bool { table.isEmpty }

  /// Adds a stub that comes before the existing ones, and returns its id.
  ///
  /// - Throws: 400 for a stub that cannot be used.
  mutating func add(_ stub: Stub) throws(RequestError) -> Int {
    table.add(Entry(stub: stub), for: try Self.matcher(of: stub), times: stub.times, comesFirst: true)
  }

  /// Takes the stubs of a file in the place of those that it had before.
  mutating func replaceFile(with file: StubsFile) {
    for rule in table.all where rule.value.isOfFile { _ = table.remove(rule.id) }
    for (stub, matcher) in file.stubs {
      _ = table.add(Entry(stub: stub, isOfFile: true), for: matcher, times: stub.times)
    }
  }

  /// What a stub does with a request.
  struct Meeting: Sendable {
    let id: Int
    let rank: Int
    let delay: ClosedRange<Duration>?
    let action: Action

    enum Action: Sendable {
      case response(PreparedResponse)
      case handler(Stub.Handler)
    }

    /// - Parameter count: How many requests the stub has met before.
    init(_ rule: RuleTable<Entry>.Rule, count: Int) {
      (id, rank, delay) = (rule.id, rule.rank, rule.value.stub.delay)
      action =
        switch rule.value.stub.action {
        case .handler(let handler): .handler(handler)
        case .responses(let responses): .response(responses[min(count, responses.count - 1)].prepared)
        }
    }
  }

  /// Returns what the first stub that matches a request does, and counts it.
  ///
  /// - Parameter rank: Stubs up to this one are passed over.
  mutating func next(for request: MatchableRequest, after rank: Int) -> Meeting? {
    guard let rule = table.next(for: request, after: rank) else { return nil }
    if rule.value.stub.isSequence { table.change(rule.id) { $0.count += 1 } }
    return Meeting(rule, count: rule.value.count)
  }

  /// Checks a stub and prepares its pattern.
  static func matcher(of stub: Stub) throws(RequestError) -> RequestMatcher {
    try Simulation.check(times: stub.times, delay: stub.delay)
    if case .responses(let responses) = stub.action {
      guard !responses.isEmpty else { throw RequestError(.malformed, "The stub has no responses.", at: ["responses"]) }
      for response in responses { try Simulation.check(status: response.status) }
    }
    do throws(RequestError) {
      return try RequestMatcher(stub.request)
    } catch {
      throw RequestError(error.code, error.message, at: ["request"] + error.place)
    }
  }
}
