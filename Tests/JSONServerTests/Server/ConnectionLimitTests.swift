import JSONServerValues
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct ConnectionLimitTests {
  private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }

  @Test(arguments: [
    ("/mock/__admin/health", 200), ("/mock/%5F_admin/health", 200), ("/mock/v1/__admin/health", 200),
    ("/mock/__session/a/__admin/health", 200), ("/mock/posts/__admin", 503), ("/mock/posts?q=/__admin", 503),
    ("/mock/__administration", 503), ("/__admin/health", 503),
  ])
  func `Above the maximum, a target is for the admin interface when it leads there`(
    target: String, status: Int
  ) async throws {
    var configuration = Server.Configuration(source: .value([:]))
    configuration.limits.maximumConnections = 1
    configuration.allowedHosts = ["a"]
    configuration.pathPrefix = "/mock"
    configuration.routes = ["/v1/*": "/$1"]
    configuration.hasSessions = true
    let server = try await Server.start(configuration)
    let first = try await TransportClient(port: server.port)
    try await first.send(Self.get("/mock/db"))
    #expect(try await first.readAnswer().status == 200)
    let other = try await TransportClient(port: server.port)
    try await other.send(Self.get(target))
    #expect(try await other.readAnswer().status == status)
    try await first.close()
    if status == 200 { try await other.close() }
    await server.stop(grace: .zero)
  }

  @Test func `The first connection above the maximum is an event`() async throws {
    let warnings = NIOLockedValueBox<[String]>([])
    var configuration = Server.Configuration(source: .value([:]))
    configuration.limits.maximumConnections = 1
    configuration.onEvent = { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    let server = try await Server.start(configuration)
    let first = try await TransportClient(port: server.port)
    try await first.send(Self.get("/db"))
    _ = try await first.readAnswer()
    for _ in 1...2 {
      let other = try await TransportClient(port: server.port)
      try await other.send(Self.get("/db"))
      #expect(try await other.readAnswer().status == 503)
      #expect(try await other.readToEnd() == "")
    }
    #expect(warnings.withLockedValue { $0 }.filter { $0.contains("All 1 connections are in use;") }.count == 1)
    try await first.close()
    await server.stop(grace: .zero)
  }
}
