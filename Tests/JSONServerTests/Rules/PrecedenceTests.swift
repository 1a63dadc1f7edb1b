import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// session → sign-in → delay and fault → hold → stub → rewrite and data → proxy
@Suite(.timeLimit(.minutes(1))) struct `What a request meets first` {
  enum Rule: Sendable {
    case session
    case signIn
    case proxy
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
    Case(rules: [.delay, .fault, .hold, .stub], status: 503, matched: ["fault": 2]),
    Case(
      rules: [.delay, .delay, .hold, .stub], status: 299, matched: ["fault": 2, "hold": 1, "stub": 1], waits: true),
    Case(rules: [.delay, .hold, .stub], status: 299, matched: ["fault": 1, "hold": 1, "stub": 1], waits: true),
    Case(rules: [.hold, .stub], status: 299, matched: ["hold": 1, "stub": 1], waits: true),
    Case(rules: [.hold, .rewrite], status: 200, matched: ["rule": "/api/*", "hold": 1], waits: true),
    Case(rules: [.stub, .rewrite], status: 299, matched: ["rule": "/api/*", "stub": 1]),
    Case(rules: [.stub], status: 299, matched: ["stub": 1]),
    Case(rules: [.rewrite], status: 200, matched: ["rule": "/api/*"]),
    Case(rules: [], status: 404, matched: nil),
    Case(rules: [.proxy, .rewrite], status: 200, matched: ["rule": "/api/*"]),
    Case(rules: [.proxy], status: 298, matched: ["proxy": "http://localhost:9"]),
    Case(rules: [.proxy, .stub], status: 299, matched: ["stub": 1]),
    Case(rules: [.proxy, .hold], status: 298, matched: ["hold": 1, "proxy": "http://localhost:9"], waits: true),
    Case(rules: [.proxy, .fault], status: 503, matched: ["fault": 1]),
    Case(
      rules: [.proxy, .hold, .delay], status: 298, matched: ["fault": 1, "hold": 1, "proxy": "http://localhost:9"],
      waits: true),
    Case(rules: [.signIn, .fault, .hold, .stub, .rewrite, .proxy], status: 401, matched: ["rule": "/api/*"]),
    Case(rules: [.signIn, .proxy], status: 298, matched: ["proxy": "http://localhost:9"]),
    // What the server itself was told is not for its sessions.
    Case(rules: [.session, .fault, .hold, .stub, .proxy], status: 298, matched: ["proxy": "http://localhost:9"]),
    Case(rules: [.session, .signIn, .rewrite], status: 401, matched: ["rule": "/api/*"]),
  ]

  @Test(arguments: cases)
  func `comes in one order, whatever was set up first`(_ test: Case) async throws {
    let upstream = try Upstream("http://localhost:9") { _, _ in Response(status: .init(code: 298)) }
    var data = AdminFixture.posts.object ?? JSONObject()
    data["users"] = []
    let server = try await AdminFixture.server(.object(data)) {
      if test.rules.contains(.rewrite) { $0.routes = JSONObject([("/api/*", "/$1")]) }
      if test.rules.contains(.proxy) { $0.upstream = upstream }
      if test.rules.contains(.signIn) { $0.signIn = Server.SignIn(users: "users") }
      $0.hasSessions = test.rules.contains(.session)
    }
    let path = "/api/posts/1"
    for rule in test.rules {
      switch rule {
      case .delay: try await server.addFault(Fault(.any(path), delay: .milliseconds(1)...(.milliseconds(1))))
      case .fault: try await server.addFault(Fault(.any(path), .status(503)))
      case .hold: _ = try await server.hold(RequestPattern(nil, path))
      case .stub: try await server.stub(Stub(.any(path), .status(299)))
      case .session, .signIn, .rewrite, .proxy: break
      }
    }
    let isInSession = test.rules.contains(.session)
    let observed = isInSession ? server.session("s") : server
    async let response = server.send(.get, path, fields: isInSession ? [.session: "s"] : [:])
    let arrival = await observed.exchange(timeout: .seconds(60)) { _ in true }
    #expect((arrival?.state == .received) == test.waits)
    await server.releaseHolds()
    #expect(await response.status.code == test.status)
    let entry = try await observed.get("/__admin/requests")[0]
    #expect(entry?["matched"] == test.matched)
  }
}
