import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `A hold` {
  private static let slow = Duration.seconds(60)

  /// Waits until a request is held, and returns its number in the journal.
  @discardableResult
  private func arrival(at server: Server) async throws -> Int {
    try #require(await server.exchange(timeout: Self.slow) { $0.state == .received }).id
  }

  private func entry(_ id: Int, of server: Server) async throws -> JSONValue {
    let entries = try await server.get("/__admin/requests").array ?? []
    return try #require(entries.first { $0["id"] == .init(id) })
  }

  @Test func `keeps a request waiting, which is in the journal at once, until it is released`() async throws {
    let server = try await AdminFixture.server()
    let added = await server.send(.post, "/__admin/holds", ["path": "/posts*", "times": 1])
    #expect(added.status == .created)
    #expect(try added.json == ["id": 1])
    async let held = server.send(.delete, "/posts/1")
    let number = try await arrival(at: server)
    let received = try await entry(number, of: server)
    #expect(received["state"] == "received")
    #expect(received["status"] == .null)
    #expect(received["matched"] == ["hold": 1])
    #expect(received["path"] == "/posts/1")
    let hold: JSONValue = ["id": 1, "path": "/posts*", "times": 0, "requests": [.init(number)]]
    #expect(try await server.get("/__admin/holds") == [hold])
    // Its one request waits already.
    #expect(await server.send(.get, "/posts/1").status == .ok)
    #expect(await server.send(.delete, "/__admin/holds/1").text == "{}")
    #expect(await held.status == .ok)
    let responded = try await entry(number, of: server)
    #expect(responded["state"] == "responded")
    #expect(responded["status"] == 200)
    #expect(await server.send(.get, "/posts/1").status == .notFound)
    #expect(try await server.get("/__admin/holds") == [])
    #expect(await server.journal.count == 3)
    #expect(await server.journal.first?.id == number)
  }

  @Test func `keeps a request in a journal that is emptied meanwhile, in the order of arrival`() async throws {
    let server = try await AdminFixture.server()
    let hold = try await server.hold(RequestPattern(nil, "/posts/1"))
    async let held = server.send(.get, "/posts/1")
    try await arrival(at: server)
    await server.send(.delete, "/__admin/requests")
    await server.send(.get, "/posts/2")
    await server.releaseHold(hold)
    #expect(await held.status == .ok)
    #expect(await server.journal.map(\.request.target) == ["/posts/1", "/posts/2"])
  }

  @Test(arguments: ["/__admin/holds/1?status=503", "/__admin/holds?status=503"])
  func `fails its requests when it is asked to, and the data stays`(_ target: String) async throws {
    let server = try await AdminFixture.server()
    await server.send(.post, "/__admin/holds", ["method": "DELETE"])
    async let held = server.send(.delete, "/posts/1")
    try await arrival(at: server)
    #expect(await server.send(.delete, target).status == .ok)
    let failed = await held
    #expect(failed.status == .serviceUnavailable)
    #expect(try failed.json["statusCode"] == 503)
    #expect(await server.value == AdminFixture.posts)
  }

  @Test func `ends when nobody releases it, and the request is not carried out`() async throws {
    let server = try await AdminFixture.server { $0.limits.holdTimeout = .milliseconds(1) }
    _ = try await server.hold(RequestPattern(.delete))
    let response = await server.send(.delete, "/posts/1")
    #expect(response.status == .serviceUnavailable)
    #expect(response.text.contains("0.001 seconds") && response.text.contains("hold 1 in time (Server.releaseHold)"))
    #expect(await server.value == AdminFixture.posts)
    await server.releaseHolds()
  }

  @Test func `ends when its client goes away, and the request is not carried out`() async throws {
    let server = try await AdminFixture.server()
    _ = try await server.hold(RequestPattern(.delete))
    let call = Task { await server.send(.delete, "/posts/1") }
    try await arrival(at: server)
    call.cancel()
    #expect(await call.value.status == .serviceUnavailable)
    #expect(try await server.get("/__admin/holds")[0]?["requests"] == [])
    await server.releaseHolds()
    #expect(await server.value == AdminFixture.posts)
  }

  @Test(arguments: [false, true])
  func `ends when the client's connection does`(_ closesOutputOnly: Bool) async throws {
    var configuration = Server.Configuration(source: .value(AdminFixture.posts))
    configuration.hosts = ["127.0.0.1"]
    let server = try await Server.start(configuration)
    _ = try await server.hold(RequestPattern(.delete))
    let client = try await TransportClient(port: server.port)
    try await client.send("DELETE /posts/1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await arrival(at: server)
    if closesOutputOnly { await client.closeOutput() } else { try await client.close() }
    let ended = await server.exchange(timeout: Self.slow) { $0.state == .responded }
    #expect(ended?.delivery == .left)
    #expect(await server.value == AdminFixture.posts)
    await server.stop()
  }

  @Test func `keeps the order of a connection: an unsafe request behind does not overtake`() async throws {
    var configuration = Server.Configuration(source: .value(AdminFixture.posts))
    configuration.hosts = ["127.0.0.1"]
    let server = try await Server.start(configuration)
    let hold = try await server.hold(RequestPattern(.put), times: 1)
    let client = try await TransportClient(port: server.port)
    let put = "PUT /profile HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n"
    try await client.send(put + #"{"name":"A"}"# + put + #"{"name":"B"}"#)
    try await arrival(at: server)
    #expect(await server.journal.count == 1)
    await server.releaseHold(hold)
    _ = try await client.read(through: "\"B\"")
    #expect(await server.value["profile"] == ["name": "B"])
    #expect(await server.journal.map(\.response?.status) == [.ok, .ok])
    await server.stop()
  }

  @Test func `lets go when the server stops`() async throws {
    let server = try await AdminFixture.server()
    _ = try await server.hold(RequestPattern())
    async let held = server.send(.get, "/posts/1")
    try await arrival(at: server)
    await server.stop()
    #expect(await held.status == .ok)
  }

  @Test func `holds what middleware passes on, too, once in the journal`() async throws {
    struct Passing: Middleware {
      func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
        try await next(request)
      }
    }
    let server = try await AdminFixture.server { $0.middleware = [Passing()] }
    let hold = try await server.hold(RequestPattern(nil, "/posts/1"))
    async let held = server.send(.get, "/posts/1")
    try await arrival(at: server)
    await server.releaseHold(hold)
    #expect(await held.status == .ok)
    #expect(await server.journal.map(\.state) == [.responded])
    #expect(try await entry(1, of: server)["matched"] == ["hold": 1])
  }

  @Test(arguments: [
    (#"{"pth": "/"}"#, "'pth'"), (#"{"times": 0}"#, "'times'"), (#"{"path": "/a/.."}"#, "'..'"), ("[]", "object"),
  ])
  func `that makes no sense is refused`(_ body: String, _ reason: String) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(.post, "/__admin/holds", bytes: body.utf8)
    #expect(answer.status == .badRequest)
    #expect(answer.text.contains(reason))
  }

  @Test func `is released only when it is there, with a status that there is`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.delete, "/__admin/holds/1").status == .notFound)
    _ = try await server.hold(RequestPattern())
    #expect(await server.send(.delete, "/__admin/holds/1?status=1000").status == .badRequest)
    #expect(await server.send(.delete, "/__admin/holds/1").status == .ok)
  }
}
