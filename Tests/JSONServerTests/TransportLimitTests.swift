import HTTPTypes
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1)))
struct TransportLimitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: String
    var status: Int

    init(_ name: String, _ bytes: String, _ status: Int) {
      testDescription = name
      self.bytes = bytes
      self.status = status
    }
  }

  static let limits: Limits = {
    var limits = Limits()
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

  static let cases = [
    Case("target at the limit", get("/" + String(repeating: "a", count: 99)), 200),
    Case("target above the limit", get("/" + String(repeating: "a", count: 100)), 414),
    Case("target far above the limit", get("/" + String(repeating: "a", count: 100_000)), 414),
    Case("head above the limit", get("/", ["X: " + String(repeating: "a", count: 300)]), 431),
    Case("head far above the parser's limit", get("/", ["X: " + String(repeating: "a", count: 300_000)]), 431),
    Case("fields at the limit", get("/", (1..<5).map { "X: \($0)" }), 200),
    Case("fields above the limit", get("/", (1..<6).map { "X: \($0)" }), 431),
    Case("fields above the parser's limit", get("/", (1..<3000).map { "X: \($0)" }), 431),
    Case("body at the limit", put("Content-Length: 10", "0123456789"), 200),
    Case("length above the limit", put("Content-Length: 11"), 413),
    Case("length above the limit, body coming", put("Content-Length: 100000", String(repeating: "a", count: 100_000)), 413),
    Case("length above the limit, leave awaited", put("Content-Length: 11\r\nExpect: 100-continue"), 413),
    Case("chunks above the limit", put("Transfer-Encoding: chunked", "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n"), 413),
    Case("another expectation", put("Content-Length: 1\r\nExpect: 200-ok", "a"), 417),
    Case("compressed body", put("Content-Length: 1\r\nContent-Encoding: gzip", "a"), 415),
    Case("body in identity encoding", put("Content-Length: 1\r\nContent-Encoding: identity", "a"), 200),
    Case("no body in gzip encoding", get("/", ["Content-Encoding: gzip"]), 200),
  ]

  @Test(arguments: cases)
  func `A request above a limit is refused with a body that says so`(_ test: Case) async throws {
    let application = TestApplication { _, reply in reply(.text("answered")) }
    try await TestServer.run(application, limits: Self.limits) { server in
      let client = try await server.connect()
      try await client.send(test.bytes)
      let answer = try await client.readAnswer()
      #expect(answer.status == test.status)
      if test.status == 200 { return }
      #expect(answer.fields["connection"] == "close")
      #expect(answer.fields["content-type"] == "application/json")
      let phrase = HTTPResponse.Status(code: test.status).reasonPhrase
      #expect(answer.body.hasPrefix("{\n  \"statusCode\": \(test.status),\n  \"error\": \"\(phrase)\",\n  \"message\": \""))
      #expect(try await client.readToEnd() == "")
      #expect(application.requests.isEmpty)
    }
  }

  struct TimeoutCase: Sendable {
    var sent: String
    var received: String
    var timeout: any WritableKeyPath<Limits, Duration> & Sendable
  }

  static let timeoutCases = [
    TimeoutCase(sent: "GET / HT", received: "HTTP/1.1 408 ", timeout: \.headTimeout),
    TimeoutCase(sent: get() + "GET / HT", received: "HTTP/1.1 200 ", timeout: \.idleTimeout),
    TimeoutCase(sent: put("Content-Length: 5", "abc"), received: "HTTP/1.1 408 ", timeout: \.bodyTimeout),
    TimeoutCase(sent: put("Transfer-Encoding: chunked", "5\r\nab"), received: "HTTP/1.1 408 ", timeout: \.bodyTimeout),
    TimeoutCase(sent: get(), received: "HTTP/1.1 200 ", timeout: \.idleTimeout),
    TimeoutCase(sent: "", received: "", timeout: \.idleTimeout),
  ]

  @Test(arguments: timeoutCases)
  func `A client that lets the server wait is cut off`(_ test: TimeoutCase) async throws {
    var limits = Limits()
    limits[keyPath: test.timeout] = .milliseconds(20)
    try await TestServer.run(limits: limits) { server in
      let client = try await server.connect()
      if !test.sent.isEmpty { try await client.send(test.sent) }
      let received = try await client.readToEnd()
      #expect(received.hasPrefix(test.received))
      #expect(test.received.isEmpty == received.isEmpty)
    }
  }

  @Test func `A body that drips is too slow however often it drips`() async throws {
    var limits = Limits()
    limits.bodyTimeout = .milliseconds(100)
    try await TestServer.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.send(Self.put("Content-Length: 1000000"))
      var answered = false
      for _ in 0..<1_000_000 where !answered {
        do { try await client.send("a") } catch { answered = true }
      }
      #expect(answered)
    }
  }

  @Test func `Connections above the maximum wait until one has gone`() async throws {
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
      try await third.send(Self.get("/waited"))
      try await first.send(Self.get("/served"))
      _ = try await first.readAnswer()
      #expect(application.requests.map(\.target) == ["/served", "/served", "/served"])
      try await second.close()
      #expect(try await third.readAnswer().body == "GET /waited")
    }
  }
}
