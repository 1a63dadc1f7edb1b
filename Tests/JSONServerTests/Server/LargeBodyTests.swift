import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer

/// Lists that are too large to be made as a whole, over sockets.
@Suite(.timeLimit(.minutes(1)))
struct LargeBodyTests {
  private static let count = 1_200

  private static func data() -> JSONValue {
    let text = JSONValue.string(String(repeating: "lorem ipsum ", count: 80))
    let records = (1...count).map { id in
      JSONValue.object(JSONObject([("id", .number(JSONNumber(id))), ("version", 0), ("text", text)]))
    }
    return .object(JSONObject([("posts", .array(records)), ("small", .array([.object(JSONObject([("id", 1)]))]))]))
  }

  private static func run(
    _ configure: (inout Server.Configuration) -> Void = { _ in }, _ body: (Server) async throws -> Void
  ) async throws {
    var configuration = Server.Configuration(source: .value(data()))
    configuration.hosts = ["127.0.0.1"]
    configure(&configuration)
    let server = try await Server.start(configuration)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(server))
    } catch {
      result = .failure(error)
    }
    await server.stop()
    try result.get()
  }

  private static func get(_ target: String, _ fields: String = "", version: String = "1.1") -> String {
    "GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n"
  }

  @Test(arguments: ["/posts", "/db", "/posts?_page=1&_per_page=1150"])
  func `A body in slices has the bytes that Swift code gets`(_ target: String) async throws {
    try await Self.run { server in
      let client = try await TransportClient(port: server.port)
      try await client.send(Self.get(target))
      let answer = try await client.readAnswer()
      let whole = await server.respond(to: Request(method: .get, target: target))
      #expect(answer.fields["transfer-encoding"] == "chunked")
      #expect(answer.fields["content-length"] == nil)
      #expect(answer.fields["x-total-count"] == whole.headerFields[.xTotalCount])
      #expect(answer.fields["etag"] == whole.headerFields[.eTag])
      #expect(answer.body.utf8.count > PreparedResponse.largestWhole)
      #expect(answer.body == String(decoding: whole.bytes, as: UTF8.self))
      try await client.close()
    }
  }

  @Test func `A client of HTTP/1.0 reads it up to the end of the connection`() async throws {
    try await Self.run { server in
      let client = try await TransportClient(port: server.port)
      try await client.send(Self.get("/posts", version: "1.0"))
      let parts = try await client.readToEnd().split(separator: "\r\n\r\n", maxSplits: 1)
      #expect(!parts[0].lowercased().contains("transfer-encoding"))
      let whole = await server.respond(to: Request(method: .get, target: "/posts"))
      #expect(parts[1] == String(decoding: whole.bytes, as: UTF8.self))
    }
  }

  @Test func `HEAD gets its fields, and a callback the whole script`() async throws {
    try await Self.run { server in
      let client = try await TransportClient(port: server.port)
      try await client.send("HEAD /posts HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get("/small/1"))
      let head = try await client.readAnswer(isHeadOnly: true)
      #expect(head.fields["x-total-count"] == "1200")
      #expect(try await client.readAnswer().body.contains("\"id\": 1"))
      try await client.send(Self.get("/posts?callback=f"))
      let script = try await client.readAnswer()
      let whole = await server.respond(to: Request(method: .get, target: "/posts"))
      let json = String(decoding: whole.bytes, as: UTF8.self)
      #expect(script.body == "/**/ typeof f === 'function' && f(\(json));")
      // It is made while it is sent.
      #expect(script.fields["transfer-encoding"] == "chunked")
      try await client.close()
    }
  }

  @Test func `Its validator names the version of its resource, of this server and of no other`() async throws {
    let fixture = try EngineFixture(Self.data(), isInMemory: true)
    let first = try await fixture.version("/posts")
    #expect(try await fixture.version("/posts", ifNot: first.tag) == (304, first.tag))
    #expect(try await fixture.version("/posts?_sort=id&_order=desc").tag != first.tag)
    #expect(try await fixture.version("/db").tag != first.tag)
    try await fixture.change("/small/1")
    #expect(try await fixture.version("/posts", ifNot: first.tag).status == 304)
    try await fixture.change("/posts/1")
    let second = try await fixture.version("/posts", ifNot: first.tag)
    #expect(second.status == 200)
    #expect(await fixture.send(.post, "/__admin/reset").status == .ok)
    let third = try await fixture.version("/posts", ifNot: second.tag)
    #expect(third.status == 200)
    #expect(Set([first.tag, second.tag, third.tag]).count == 3)
    let other = try EngineFixture(Self.data(), isInMemory: true)
    #expect(try await other.version("/posts", ifNot: "\(first.tag), \(third.tag)").status == 200)
  }

  @Test func `The validator of a list by ids names the version of the record with the ids, too`() async throws {
    var data = Self.data().object ?? JSONObject()
    data["lists"] = [["id": 1, "postIds": .array((1...Self.count).map { .number(JSONNumber($0)) })]]
    let fixture = try EngineFixture(.object(data), isInMemory: true)
    let first = try await fixture.version("/lists/1/posts")
    try await fixture.change("/lists/1")
    #expect(try await fixture.version("/lists/1/posts", ifNot: first.tag).status == 200)
  }

  @Test func `It shows the version that was there when it was asked for, however late it is taken`() async throws {
    let fixture = try EngineFixture(Self.data(), isInMemory: true)
    let early = await fixture.body("/posts")
    for id in [1, 2, 600, 1_199, 1_200] { try await fixture.change("/posts/\(id)") }
    let late = await fixture.body("/posts")
    #expect(Self.changes(in: early) == 0)
    #expect(Self.changes(in: late) == 5)
  }

  private static func changes(in body: SlicedBody?) -> Int? {
    body.flatMap { try? JSONValue(parsing: $0.bytes).array?.count { $0["version"]?.int == 1 } }
  }

  @Test func `Requests behind it on a connection are answered after it, in their order`() async throws {
    try await Self.run { server in
      let client = try await TransportClient(port: server.port)
      let body = #"{"version": 7}"#
      let write =
        "PATCH /posts/2 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      try await client.send(Self.get("/posts") + Self.get("/small/1") + write + Self.get("/posts"))
      #expect(try await client.readAnswer().body.contains("\"version\": 7") == false)
      #expect(try await client.readAnswer().body.utf8.count < 100)
      #expect(try await client.readAnswer().body.contains("\"version\": 7"))
      #expect(try await client.readAnswer().body.contains("\"version\": 7"))
      try await client.close()
    }
  }

  @Test func `The journal and middleware have it whole`() async throws {
    let seen = Recorder()
    try await Self.run {
      $0.middleware = [seen]
    } _: { server in
      let client = try await TransportClient(port: server.port)
      try await client.send(Self.get("/posts"))
      let answer = try await client.readAnswer()
      #expect(answer.fields["content-length"] == "\(answer.body.utf8.count)")
      #expect(seen.bytes == answer.body.utf8.count)
      try await client.close()
    }
    try await Self.run { server in
      let client = try await TransportClient(port: server.port)
      try await client.send(Self.get("/posts"))
      let answer = try await client.readAnswer()
      let exchange = try #require(await server.journal.last)
      #expect(exchange.response?.bytes == Array(answer.body.utf8))
      try await client.close()
    }
  }
}

extension EngineFixture {
  private func prepared(_ request: Request) async -> PreparedResponse {
    await withCheckedContinuation { continuation in
      engine.loop.execute {
        engine.respond(to: request, progress: { _ in }) { continuation.resume(returning: $0) }
      }
    }
  }

  /// The body in slices that a GET gets.
  fileprivate func body(_ target: String) async -> SlicedBody? {
    let response = await prepared(Request(method: .get, target: target, headerFields: [.host: "localhost"]))
    return if case .slices(let body) = response.body { body } else { nil }
  }

  /// The status and the tag that a GET gets.
  fileprivate func version(_ target: String, ifNot known: String? = nil) async throws -> (status: Int, tag: String) {
    var fields: HTTPFields = [.host: "localhost"]
    fields[.ifNoneMatch] = known
    let response = await prepared(Request(method: .get, target: target, headerFields: fields))
    return (response.status.code, try #require(response.validator?.fieldValue))
  }

  fileprivate func change(_ target: String) async throws {
    let fields: HTTPFields = [.host: "localhost", .contentType: "application/json"]
    let body = Array(#"{"version": 1}"#.utf8)
    let response = await prepared(Request(method: .patch, target: target, headerFields: fields, body: body))
    #expect(response.status == .ok)
  }
}

/// Middleware that records the size of what it sees.
private final class Recorder: Middleware {
  private let count = NIOLockedValueBox(0)

  var bytes: Int { count.withLockedValue { $0 } }

  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    let response = try await next(request)
    count.withLockedValue { $0 = response.bytes.count }
    return response
  }
}
