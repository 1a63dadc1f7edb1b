import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct TransportLimitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: String
    var status: HTTPResponse.Status

    init(_ name: String, _ bytes: String, _ status: HTTPResponse.Status) {
      testDescription = name
      self.bytes = bytes
      self.status = status
    }
  }

  static let limits: Limits = {
    var limits = Limits()
    // What is large is refused for its size, however slow the machine is.
    limits.headTimeout = .seconds(3600)
    limits.bodyTimeout = .seconds(3600)
    limits.maximumBodyBytes = 10
    limits.maximumHeadBytes = 300
    limits.maximumTargetBytes = 100
    limits.maximumFields = 5
    return limits
  }()

  static func get(_ target: String = "/", _ fields: [String] = []) -> String {
    "GET \(target) HTTP/1.1\r\n" + (["Host: a"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
  }

  static func put(_ fields: String, _ body: String = "") -> String {
    "PUT / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
  }

  static func chunked(_ body: String) -> String {
    put("Transfer-Encoding: chunked", body)
  }

  static let cases = [
    Case("target at the limit", get("/" + String(repeating: "a", count: 99)), .ok),
    Case("target above the limit", get("/" + String(repeating: "a", count: 100)), .uriTooLong),
    Case("target far above the limit", get("/" + String(repeating: "a", count: 100_000)), .uriTooLong),
    Case(
      "target above the limit, with a Host that is none", get("/" + String(repeating: "a", count: 100), ["Host: a/b"]),
      .uriTooLong),
    Case("head above the limit", get("/", ["X: " + String(repeating: "a", count: 300)]), .requestHeaderFieldsTooLarge),
    Case(
      "head far above the parser's limit", get("/", ["X: " + String(repeating: "a", count: 300_000)]),
      .requestHeaderFieldsTooLarge),
    Case("fields at the limit", get("/", (1..<5).map { "X: \($0)" }), .ok),
    Case("fields above the limit", get("/", (1..<6).map { "X: \($0)" }), .requestHeaderFieldsTooLarge),
    Case("fields above the parser's limit", get("/", (1..<3000).map { "X: \($0)" }), .requestHeaderFieldsTooLarge),
    Case("body at the limit", put("Content-Length: 10", "0123456789"), .ok),
    Case("length above the limit", put("Content-Length: 11"), .contentTooLarge),
    Case(
      "length above the limit, body coming", put("Content-Length: 100000", String(repeating: "a", count: 100_000)),
      .contentTooLarge),
    Case("length above the limit, leave awaited", put("Content-Length: 11\r\nExpect: 100-continue"), .contentTooLarge),
    Case(
      "chunks above the limit", put("Transfer-Encoding: chunked", "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n"),
      .contentTooLarge),
    Case("a chunk at the limit", chunked("A\r\n0123456789\r\n0\r\n\r\n"), .ok),
    Case("a chunk above the limit, before its bytes", chunked("b\r\n"), .contentTooLarge),
    Case("a second chunk above the limit, before its bytes", chunked("5;a=b\r\n01234\r\n006\r\n"), .contentTooLarge),
    Case("a chunk of more bytes than there are", chunked(String(repeating: "f", count: 16) + "\r\n"), .contentTooLarge),
    Case("trailers at the limit of fields", chunked("0\r\nX: 1\r\nX: 2\r\nX: 3\r\n\r\n"), .ok),
    Case(
      "trailers above the limit of fields", chunked("0\r\nX: 1\r\nX: 2\r\nX: 3\r\nX: 4\r\n\r\n"),
      .requestHeaderFieldsTooLarge),
    Case(
      "trailers above the limit of the head", chunked("0\r\nX: " + String(repeating: "a", count: 300) + "\r\n\r\n"),
      .requestHeaderFieldsTooLarge),
    Case("a trailer with a value that is not allowed", chunked("0\r\nX: \u{7f}\r\n\r\n"), .badRequest),
    Case("a chunk with an extension", chunked("1;a=b\r\na\r\n0\r\n\r\n"), .ok),
    Case("chunks of one byte", chunked(String(repeating: "1\r\na\r\n", count: 10) + "0\r\n\r\n"), .ok),
    Case(
      "a chunk with a large extension", chunked("1;" + String(repeating: "a", count: 400) + "\r\na\r\n0\r\n\r\n"),
      .requestHeaderFieldsTooLarge),
    Case(
      "a last chunk with a large extension", chunked("0;" + String(repeating: "a", count: 400) + "\r\n\r\n"),
      .requestHeaderFieldsTooLarge),
    Case(
      "chunks with extensions that are large together",
      chunked(String(repeating: "1;" + String(repeating: "a", count: 60) + "\r\na\r\n", count: 10) + "0\r\n\r\n"),
      .requestHeaderFieldsTooLarge),
    Case(
      "a chunk whose size has many zeros",
      chunked(String(repeating: "0", count: 400) + "1\r\na\r\n0\r\n\r\n"), .requestHeaderFieldsTooLarge),
    Case("another expectation", put("Content-Length: 1\r\nExpect: 200-ok", "a"), .expectationFailed),
    Case("body in an unknown coding", put("Content-Length: 1\r\nContent-Encoding: br", "a"), .unsupportedMediaType),
    Case("body in identity encoding", put("Content-Length: 1\r\nContent-Encoding: identity", "a"), .ok),
    Case("no body in gzip encoding", get("/", ["Content-Encoding: gzip"]), .ok),
  ]

  @Test(arguments: cases)
  func `A request above a limit is refused with a body that says so`(_ test: Case) async throws {
    let application = TestApplication { _, reply in reply(.text("answered")) }
    try await TestServer.run(application, limits: Self.limits) { server in
      let client = try await server.connect()
      try await client.send(test.bytes)
      let answer = try await client.readAnswer()
      #expect(answer.status == test.status.code)
      if test.status == .ok { return }
      #expect(answer.fields["connection"] == "close")
      #expect(answer.fields["content-type"] == "application/json")
      let start =
        "{\n  \"statusCode\": \(test.status.code),\n  \"error\": \"\(test.status.reasonPhrase)\",\n  \"message\": \""
      #expect(answer.body.hasPrefix(start))
      #expect(try await client.readToEnd() == "")
      #expect(application.requests.isEmpty)
    }
  }

  @Test(arguments: [
    get("/" + String(repeating: "a", count: 1_000), [origin]),
    get("/", ["X: " + String(repeating: "a", count: 300), origin]),
    put("Content-Length: 11\r\n" + origin), put(origin + "\r\nContent-Length: 1\r\nExpect: 200-ok", "a"),
    put(origin + "\r\nContent-Length: 1\r\nContent-Encoding: br", "a"),
    put(origin + "\r\nTransfer-Encoding: chunked", "b\r\nabcdefghijk\r\n0\r\n\r\n"),
  ])
  func `The application responds to a refused request with a known head`(_ bytes: String) async throws {
    let application = TestApplication()
    try await TestServer.run(application, limits: Self.limits) { server in
      let client = try await server.connect()
      try await client.send(bytes)
      #expect(try await client.readAnswer().status >= 400)
      #expect(application.requests.isEmpty)
      let refused = try #require(application.refused.first)
      #expect(refused.headerFields[.host] == "a")
      #expect(refused.headerFields[.origin] == "http://a.example")
      #expect(refused.target.utf8.count <= Self.limits.maximumTargetBytes)
    }
  }

  private static let origin = "Origin: http://a.example"

  @Test(arguments: [
    (1024, 20, 10_000, 960), (1_000_000, 20, 10_000, 10_000), (Int.max, 20, 10_000, 10_000), (10, 20, 10_000, 1),
    (1024, 20, 2, 2), (256, 166, 10_000, 50), (256, 256, 10_000, 1),
  ])
  func `A server holds as many connections as the system gives it files for`(
    files: Int, used: Int, wished: Int, expected: Int
  ) {
    var limits = Limits()
    limits.maximumConnections = wished
    #expect(Connections.maximum(limits, openFiles: files, used: used) == expected)
  }

  @Test func `Connections above the maximum are told so, save those that ask for the admin interface`() async throws {
    var limits = Limits()
    limits.maximumConnections = 2
    let application = TestApplication()
    try await TestServer.run(application, limits: limits) { server in
      let first = try await server.connect()
      let second = try await server.connect()
      for client in [first, second] {
        try await client.send(Self.get("/served"))
        _ = try await client.readAnswer()
      }
      let third = try await server.connect()
      try await third.send(Self.get("/refused"))
      let refusal = try await third.readAnswer()
      #expect(refusal.status == 503)
      #expect(refusal.fields["connection"] == "close")
      #expect(refusal.body.contains("as many connections as it may have"))
      #expect(try await third.readToEnd() == "")
      let fourth = try await server.connect()
      try await fourth.send(Self.get("/__admin/health"))
      #expect(try await fourth.readAnswer().body == "GET /__admin/health")
      try await first.send(Self.get("/served"))
      _ = try await first.readAnswer()
      #expect(application.requests.map(\.target) == ["/served", "/served", "/__admin/health", "/served"])
    }
  }

  @Test func `Connections above these wait until one has gone`() async throws {
    var limits = Limits()
    limits.maximumConnections = 2
    let application = TestApplication()
    try await TestServer.run(application, limits: limits) { server in
      var clients: [TransportClient] = []
      for _ in 1...(2 + Connections.reserved) {
        let client = try await server.connect()
        try await client.send(Self.get("/__admin"))
        _ = try await client.readAnswer()
        clients.append(client)
      }
      let last = try await server.connect()
      try await last.send(Self.get("/__admin/waited"))
      try await clients[0].send(Self.get("/__admin"))
      _ = try await clients[0].readAnswer()
      #expect(application.requests.map(\.target) == Array(repeating: "/__admin", count: 3 + Connections.reserved))
      try await clients[1].close()
      #expect(try await last.readAnswer().body == "GET /__admin/waited")
    }
  }
}
