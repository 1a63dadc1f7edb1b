import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// Rules on their way from one server to another.
@Suite struct `Shared rules` {
  private func read(_ draft: SharedRule.Draft) throws -> SharedRule {
    // As a database keeps it.
    let value = try JSONValue(parsing: draft.value.text(pretty: false))
    return SharedRule(kind: draft.kind, id: 7, value: value, timesLeft: draft.times)
  }

  private static let faults: [Fault] = [
    Fault(delay: .milliseconds(5) ... .milliseconds(9)),
    Fault(method: .get, path: "/a b*?x=1", status: .notFound, body: ["a": 1.50]),
    Fault(path: "/a", headerFields: [.retryAfter: "7", .contentType: "text/plain"], retryAfter: 3, action: .truncate),
    Fault(RequestPattern(.post, "/a", query: ["b": nil], headers: ["X-A": "b*"], body: ["c": 1]), action: .hang),
    Fault(RequestPattern(nil, "/a", body: .including(["c": 1])), response: FixedResponse(status: .ok)),
  ]

  @Test(arguments: faults) func `Faults arrive as they were`(_ fault: Fault) throws {
    let arrived = try read(try SharedRule.Draft(fault)).fault()
    let matcher = try RequestMatcher(fault.request)
    #expect(arrived.matcher.pattern == matcher.pattern)
    #expect(
      arrived.fault.value(id: 1, timesLeft: nil, matcher: matcher)
        == fault.value(id: 1, timesLeft: nil, matcher: matcher))
    #expect(arrived.fault.prepared?.bytes == fault.prepared?.bytes)
    #expect(arrived.fault.delay == fault.delay)
  }

  @Test func `Bodies that are bytes or files arrive with their types`() throws {
    let bytes: [UInt8] = Array(0...255)
    let picture = FixedResponse(body: .file(named: "a/b.png", bytes))
    let typed = FixedResponse(headerFields: [.contentType: "a/b"], body: .bytes(bytes + bytes))
    for responses in [[picture], [typed], [typed, picture, typed]] {
      let stub = Stub(RequestPattern(.get, "/x"), inOrder: responses, times: 3)
      let arrived = try read(try #require(try SharedRule.Draft(stub))).stub().stub
      guard case .responses(let found) = arrived.action else { throw RequestError(.failed, "a closure") }
      #expect(found.map(\.prepared.bytes) == responses.map(\.prepared.bytes))
      #expect(
        found.map { $0.prepared.headerFields[.contentType] } == responses.map { $0.prepared.headerFields[.contentType] }
      )
    }
  }

  @Test func `Closures stay`() throws {
    #expect(try SharedRule.Draft(Stub(RequestPattern()) { _ in nil }) == nil)
  }

  @Test func `What cannot be used is refused before it is shared`() {
    #expect(throws: RequestError.self) { try SharedRule.Draft(Fault(times: 0, status: .ok)) }
    #expect(throws: RequestError.self) { try SharedRule.Draft(Stub(RequestPattern(), inOrder: [])) }
  }
}
