import HTTPTypes
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct TransportAnswerTests {
  @Test func `Responses keep the order of the requests, whatever order they are made in`() async throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in
      if request.target == "/first" { held.hold { reply(.echo(request)) } } else { reply(.echo(request)) }
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      let later = (0..<5).map { "/\($0)" }
      try await client.send((["/first"] + later).map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      await held.arrival()
      held.release(on: server.loop)
      for target in ["/first"] + later {
        #expect(try await client.readAnswer().body == "GET \(target)")
      }
    }
  }

  @Test func `The application gets no more requests than it may owe responses, and all get one`() async throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in
      if request.target == "/0" { held.hold { reply(.echo(request)) } } else { reply(.echo(request)) }
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      let targets = (0..<500).map { "/\($0)" }
      try await client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      await held.arrival()
      // Another connection's response comes after all that the first one's burst has brought.
      let other = try await server.connect()
      try await other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await other.readAnswer()
      #expect(application.requests.count == HTTPConnection.maximumPending + 1)
      held.release(on: server.loop)
      for target in targets {
        #expect(try await client.readAnswer().body == "GET \(target)")
      }
    }
  }

  struct ConnectionCase: Sendable {
    var request: String
    var field: String?
    var isKept: Bool
  }

  static let connectionCases = [
    ConnectionCase(request: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", field: nil, isKept: true),
    ConnectionCase(request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", field: "close", isKept: false),
    ConnectionCase(
      request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: te, close\r\n\r\n", field: "close", isKept: false),
    ConnectionCase(request: "GET / HTTP/1.0\r\n\r\n", field: "close", isKept: false),
    ConnectionCase(
      request: "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", field: "keep-alive", isKept: true),
    ConnectionCase(
      request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: te,\tclose\t\r\n\r\n", field: "close", isKept: false),
    ConnectionCase(
      request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: closed, close-later\r\n\r\n", field: nil, isKept: true),
    ConnectionCase(
      request: "GET / HTTP/1.0\r\nConnection:\tte ,\tKeep-Alive \r\n\r\n", field: "keep-alive", isKept: true),
    ConnectionCase(request: "GET / HTTP/1.0\r\nConnection: keep-alive-not\r\n\r\n", field: "close", isKept: false),
    ConnectionCase(request: "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n", field: nil, isKept: true),
    ConnectionCase(
      request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
      field: nil, isKept: true),
    ConnectionCase(
      request: "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\n\r\n",
      field: "close", isKept: false),
  ]

  @Test(arguments: connectionCases)
  func `A connection is kept as version and fields say`(_ test: ConnectionCase) async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      try await client.send(test.request)
      let answer = try await client.readAnswer()
      #expect(answer.body == "GET /")
      #expect(answer.fields["connection"] == test.field)
      if test.isKept {
        try await client.send(test.request)
        #expect(try await client.readAnswer().body == "GET /")
      } else {
        #expect(try await client.readToEnd() == "")
      }
    }
  }

  @Test func `HEAD returns the length that GET would have`() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      try await client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer(isHeadOnly: true).fields["content-length"] == "7")
      #expect(try await client.readAnswer().body == "GET /b")
    }
  }

  struct BodilessCase: Sendable {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var length: String?
  }

  @Test(arguments: [
    BodilessCase(status: .noContent, fields: [:], length: nil),
    BodilessCase(status: .notModified, fields: [:], length: nil),
    BodilessCase(status: .notModified, fields: [.contentLength: "7"], length: "7"),
    BodilessCase(status: .notModified, fields: [.contentLength: "-5"], length: nil),
    BodilessCase(status: .ok, fields: [.contentLength: "7", .transferEncoding: "chunked"], length: "0"),
  ])
  func `A response without a body says only what is true of its length`(_ test: BodilessCase) async throws {
    let application = TestApplication { request, reply in
      reply(request.target == "/" ? PreparedResponse(status: test.status, headerFields: test.fields) : .echo(request))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try await client.readAnswer()
      #expect(answer.status == test.status.code)
      #expect(answer.fields["content-length"] == test.length)
      #expect(answer.fields["transfer-encoding"] == nil)
      #expect(try await client.readAnswer().body == "GET /b")
    }
  }

  @Test func `A stream whose length is below zero is empty`() async throws {
    let application = TestApplication { request, reply in
      guard request.target == "/" else { return reply(.echo(request)) }
      let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
      continuation.yield([1, 2, 3])
      continuation.finish()
      reply(PreparedResponse(body: .stream(chunks, length: -5)))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().fields["content-length"] == "0")
      #expect(try await client.readAnswer().body == "GET /b")
    }
  }

  @Test func `A validator is sent as a field`() async throws {
    let tag = EntityTag(of: [1, 2, 3])
    let application = TestApplication { _, reply in
      var response = PreparedResponse(headerFields: [.contentType: "text/plain"])
      response.validator = tag
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try await client.readAnswer()
      #expect(answer.fields["etag"] == tag.fieldValue)
      #expect(answer.fields["content-type"] == "text/plain")
    }
  }

  @Test func `A status or a field's value cannot begin another field`() async throws {
    let application = TestApplication { _, reply in
      let status = HTTPResponse.Status(code: 200, reasonPhrase: "OK\r\nX-Injected: 1")
      reply(PreparedResponse(status: status, headerFields: [.location: "/a\r\nX-Injected: 1\n\nbody\0"]))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try await client.readAnswer()
      #expect(answer.fields["x-injected"] == nil)
      #expect(answer.fields["location"]?.hasPrefix("/a  X-Injected: 1  body") == true)
    }
  }

  @Test func `A large response arrives whole, and so does what was requested after it`() async throws {
    let size = 4 << 20
    let application = TestApplication { request, reply in
      reply(.text(request.target == "/large" ? String(repeating: "x", count: size) : "small"))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(
        (["/large", "/large", "/small"]).map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      #expect(try await client.readAnswer().body.utf8.count == size)
      #expect(try await client.readAnswer().body.utf8.count == size)
      #expect(try await client.readAnswer().body == "small")
    }
  }

  @Test func `One Date field is sent, of several the first`() async throws {
    let application = TestApplication { _, reply in
      var response = PreparedResponse.text("a")
      for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT"] {
        response.headerFields.append(HTTPField(name: .date, value: date))
      }
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      let head = try await client.read(through: "\r\n\r\n")
      #expect(head.split(separator: "\r\n").filter { $0.hasPrefix("Date:") } == ["Date: Sun, 06 Nov 1994 08:49:37 GMT"])
    }
  }

  @Test func `The Date field is exact to the second`() {
    var field = DateField()
    let times: [(Int64, String)] = [(784_111_777, "08:49:37"), (784_111_777, "08:49:37"), (784_111_778, "08:49:38")]
    for (second, time) in times {
      #expect(field.line(at: second) == Array("Date: Sun, 06 Nov 1994 \(time) GMT\r\n".utf8))
    }
  }
}
