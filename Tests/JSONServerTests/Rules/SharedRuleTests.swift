import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// Rules on their way from one server to another.
@Suite struct `Shared rules` {
  private func passOn(_ rule: Rule) throws -> Rule {
    let told = try #require(SharedRule.value(of: rule))
    // As a database keeps it.
    return try SharedRule.rule(rule.kind, JSONValue(parsing: told.text(pretty: false)))
  }

  private static var exactPattern: RequestPattern {
    var pattern = RequestPattern(.get, "/a")
    pattern.isExact = true
    return pattern
  }

  private static let faults: [Fault] = [
    Fault(delay: .milliseconds(5) ... .milliseconds(9)),
    Fault(method: .get, path: "/a b*?x=1", status: .notFound, body: ["a": 1.50]),
    Fault(path: "/a", headerFields: [.retryAfter: "7", .contentType: "text/plain"], retryAfter: 3, action: .truncate),
    Fault(RequestPattern(.post, "/a", query: ["b": nil], headers: ["X-A": "b*"], body: ["c": 1]), action: .hang),
    Fault(RequestPattern(nil, "/a", body: .including(["c": 1])), response: FixedResponse(status: .ok)),
    Fault(exactPattern, times: 2, response: FixedResponse(status: .ok)),
  ]

  @Test(arguments: faults) func `Faults arrive as they were`(_ fault: Fault) throws {
    let rule = try Rule(fault)
    let arrived = try passOn(rule)
    #expect(arrived.matcher.pattern == rule.matcher.pattern)
    #expect(arrived.members(id: 1) == rule.members(id: 1))
    #expect(arrived.times == rule.times)
    #expect(arrived.effect.response(after: 0)?.bytes == rule.effect.response(after: 0)?.bytes)
    #expect(arrived.delay == fault.delay)
  }

  @Test func `Bodies that are bytes or files arrive with their types`() throws {
    let bytes: [UInt8] = Array(0...255)
    let picture = FixedResponse(body: .file(named: "a/b.png", bytes))
    let typed = FixedResponse(headerFields: [.contentType: "a/b"], body: .bytes(bytes + bytes))
    for responses in [[picture], [typed], [typed, picture, typed]] {
      let stub = Stub(RequestPattern(.get, "/x"), inOrder: responses, times: 3)
      let found = try passOn(try Rule(stub)).effect.responses
      #expect(found.map(\.prepared.bytes) == responses.map(\.prepared.bytes))
      #expect(
        found.map { $0.prepared.headerFields[.contentType] } == responses.map { $0.prepared.headerFields[.contentType] }
      )
    }
  }

  @Test func `Closures and holds stay`() throws {
    #expect(SharedRule.value(of: try Rule(Stub(RequestPattern()) { _ in nil })) == nil)
    #expect(SharedRule.value(of: try Rule(RequestPattern(), .hold)) == nil)
  }

  @Test func `What cannot be used is refused before it is shared`() {
    #expect(throws: RequestError.self) { try Rule(Fault(times: 0, status: .ok)) }
    #expect(throws: RequestError.self) { try Rule(Stub(RequestPattern(), inOrder: [])) }
  }
}
