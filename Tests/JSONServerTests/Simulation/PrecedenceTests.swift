import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// delay and fault → hold → stub → rewrite and data
@Suite(.timeLimit(.minutes(1))) struct `What a request meets first` {
  enum Rule: Sendable {
    case delay
    case fault
    case hold
    case stub
    case rewrite
  }

  struct Case: Sendable {
    let rules: [Rule]
    let status: Int
    let matched: JSONValue
    var waits = false
  }

  static let cases: [Case] = [
    Case(rules: [.fault, .hold, .stub, .rewrite], status: 503, matched: ["rule": "/api/*", "fault": 1]),
    Case(rules: [.stub, .hold, .fault], status: 503, matched: ["fault": 1]),
    Case(rules: [.delay, .hold, .stub], status: 299, matched: ["fault": 1, "hold": 1, "stub": 1], waits: true),
    Case(rules: [.hold, .stub], status: 299, matched: ["hold": 1, "stub": 1], waits: true),
    Case(rules: [.hold, .rewrite], status: 200, matched: ["rule": "/api/*", "hold": 1], waits: true),
    Case(rules: [.stub, .rewrite], status: 299, matched: ["rule": "/api/*", "stub": 1]),
    Case(rules: [.stub], status: 299, matched: ["stub": 1]),
    Case(rules: [.rewrite], status: 200, matched: ["rule": "/api/*"]),
    Case(rules: [], status: 404, matched: nil),
  ]

  @Test(arguments: cases)
  func `comes in one order, whatever was set up first`(_ test: Case) async throws {
    let server = try await AdminFixture.server {
      if test.rules.contains(.rewrite) { $0.routes = JSONObject([("/api/*", "/$1")]) }
    }
    let path = "/api/posts/1"
    for rule in test.rules {
      switch rule {
      case .delay: try await server.addFault(Fault(path: path, delay: .milliseconds(1)...(.milliseconds(1))))
      case .fault: try await server.addFault(Fault(path: path, status: .serviceUnavailable))
      case .hold: _ = try await server.hold(RequestPattern(nil, path))
      case .stub: try await server.stub(Stub(nil, path, status: .init(code: 299)))
      case .rewrite: break
      }
    }
    async let response = server.send(.get, path)
    let arrival = await server.exchange(timeout: .seconds(60)) { _ in true }
    #expect((arrival?.state == .received) == test.waits)
    await server.releaseHolds()
    #expect(await response.status.code == test.status)
    let entry = try await server.get("/__admin/requests")[0]
    #expect(entry?["matched"] == test.matched)
  }
}
