import HTTPTypes
import JSONDatabase
import JSONServerValues
import Testing

@testable import JSONServer
@testable import JSONServerRules

/// Rules on their way from one server to another.
@Suite struct `Shared rules` {
  private let state = ServerState(saved: [])

  private func passOn(_ rule: Rule) throws -> Rule {
    let told = try #require(SharedRules.value(of: rule, in: state))
    // As a database keeps it.
    return try SharedRules.rule(rule.kind, JSONValue(parsing: told.text(pretty: false)))
  }

  private static var exactPattern: RequestPattern {
    var pattern = RequestPattern(.get, "/a")
    pattern.isExact = true
    return pattern
  }

  @Test func `Faults arrive as they were`() throws {
    let fields: HTTPFields = [.retryAfter: "7", .contentType: "text/plain"]
    let truncated = FixedResponse(headerFields: fields, delivery: .truncated(after: 0))
    let rules = [
      try Rule(Fault(.any(), delay: .milliseconds(5) ... .milliseconds(9))),
      try Rule(Fault(.get("/a b*?x=1"), .json(["a": 1.50], status: .notFound))),
      try Rule(.any("/a"), .fault(truncated, retryAfter: 3)),
      try Rule(Fault(.post("/a", query: ["b": nil], headers: ["X-A": "b*"], body: ["c": 1]), .hang)),
      try Rule(Fault(.any("/a", body: .including(["c": 1])), .status(200))),
      try Rule(Fault(Self.exactPattern, .status(200), times: 2)),
    ]
    for rule in rules {
      let arrived = try passOn(rule)
      #expect(arrived.matcher.pattern == rule.matcher.pattern)
      #expect(arrived.members(id: 1) == rule.members(id: 1))
      #expect(arrived.times == rule.times)
      #expect(arrived.response(after: 0)?.bytes == rule.response(after: 0)?.bytes)
      #expect(arrived.delay == rule.delay)
    }
  }

  @Test func `A sequence begins anew for all servers, and so does a rule that is replaced`() throws {
    var state = state
    let rule = try Rule(Stub(.any("/a"), inOrder: [.json(1), .json(2)], times: 5))
    let value = try #require(SharedRules.value(of: rule, in: state))
    let id = SharedRules.add(value, .stub, after: 0, to: &state)
    func count() throws -> [Int?] {
      let count = try #require(SharedRules.countRequest(RuleKey(.stub, id), in: &state))
      return [count.timesMet, count.timesMetAnew, count.timesLeft]
    }
    #expect(try count() == [0, 0, 5])
    #expect(try count() == [1, 1, 4])
    SharedRules.beginSequences(in: &state)
    #expect(try count() == [2, 0, 3])
    #expect(try count() == [3, 1, 2])
    #expect(SharedRules.replace(.stub, id, with: value, in: &state))
    #expect(try count() == [0, 0, 5])
    #expect(!SharedRules.replace(.stub, id + 1, with: value, in: &state))
  }

  @Test func `Bodies that are bytes or files arrive with their types`() throws {
    let bytes: [UInt8] = Array(0...255)
    let picture = FixedResponse(body: .file(named: "a/b.png", bytes))
    let typed = FixedResponse(headerFields: [.contentType: "a/b"], body: .bytes(bytes + bytes))
    for responses in [[picture], [typed], [typed, picture, typed]] {
      let rule = try Rule(.get("/x"), times: 3, .responses(responses))
      let found = try passOn(rule).effect.responses
      #expect(found.map(\.prepared.bytes) == responses.map(\.prepared.bytes))
      #expect(
        found.map { $0.prepared.headerFields[.contentType] } == responses.map { $0.prepared.headerFields[.contentType] }
      )
    }
  }

  @Test func `Closures, holds and what only Swift can say stay`() throws {
    #expect(SharedRules.value(of: try Rule(Stub(RequestPattern()) { _ in nil }), in: state) == nil)
    #expect(SharedRules.value(of: try Rule(RequestPattern(), .hold), in: state) == nil)
    for response in [nil, .reset] as [Response?] {
      let stub = Stub(RequestPattern(), inOrder: [response, .status(200)])
      #expect(SharedRules.value(of: try Rule(stub), in: state) == nil)
    }
  }

  @Test func `What cannot be used is refused before it is shared`() {
    #expect(throws: RequestError.self) { try Rule(Fault(.any(), .status(200), times: 0)) }
    #expect(throws: RequestError.self) { try Rule(Stub(RequestPattern(), inOrder: [])) }
  }
}
