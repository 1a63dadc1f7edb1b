import HTTPTypes
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct TransportRequestTests {
  @Test func `A connection serves one request after the other`() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      for target in ["/a", "/b?c=%20", "/d"] {
        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try await client.readAnswer()
        #expect(answer.status == 200)
        #expect(answer.body == "GET \(target)")
        #expect(answer.fields["connection"] == nil)
        #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
      }
    }
  }

  @Test func `What the requests of a connection have in common, and what not, is distinguished`() async throws {
    let application = TestApplication { request, reply in
      let fields = [HTTPField.Name.host, .accept].map { request.headerFields[$0] ?? "-" }.joined(separator: " ")
      reply(.text("\(request.target) \(fields) \(String(decoding: request.bytes, as: UTF8.self))"))
    }
    let exchanges = [
      ("GET /1 HTTP/1.1\r\nHost: a\r\nAccept: x\r\n\r\n", "/1 a x "),
      ("GET /2 HTTP/1.1\r\nHost: a\r\nAccept: x\r\n\r\n", "/2 a x "),
      ("GET http://b/3 HTTP/1.1\r\nHost: a\r\nAccept: x\r\n\r\n", "/3 b x "),
      ("GET /4 HTTP/1.1\r\nHost: a\r\nAccept: x\r\n\r\n", "/4 a x "),
      ("GET /5 HTTP/1.1\r\nHost: a\r\nAccept: y\r\n\r\n", "/5 a y "),
      ("GET /6 HTTP/1.1\r\nHost: a\r\n\r\n", "/6 a - "),
      ("PUT /7 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok", "/7 a - ok"),
      ("PUT /8 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nno", "/8 a - no"),
      ("GET /9 HTTP/1.1\r\nHost: a\r\nAccept: \(String(repeating: "z", count: 2000))\r\n\r\n", nil),
      ("GET /10 HTTP/1.1\r\nHost: b\r\n\r\n", "/10 b - "),
      ("GET /11 HTTP/1.0\r\nHost: b\r\n\r\n", "/11 b - "),
    ]
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      for (request, body) in exchanges {
        try await client.send(request)
        let answer = try await client.readAnswer()
        if let body { #expect(answer.body == body) } else { #expect(answer.status == 200) }
      }
      #expect(try await client.readToEnd() == "")
    }
  }

  @Test func `A request is understood wherever it is split`() async throws {
    let bytes = Array("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody".utf8)
    try await TestServer.run { server in
      let client = try await server.connect()
      for split in 1..<bytes.count {
        try await client.send(Array(bytes[..<split]))
        try await client.send(Array(bytes[split...]))
        #expect(try await client.readAnswer().body == "POST /a body")
      }
      for byte in bytes { try await client.send([byte]) }
      #expect(try await client.readAnswer().body == "POST /a body")
    }
  }

  @Test func `A chunked body arrives whole, without extensions and trailers`() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      let head = "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      try await client.send(head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX: y\r\n\r\n")
      #expect(try await client.readAnswer().body == "PUT /a abc0123456789")
      try await client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().body == "GET /b")
    }
  }

  @Test func `Permission to send a body is given when the body will be read`() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      try await client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await client.send("ok")
      #expect(try await client.readAnswer().body == "PUT /a ok")
    }
  }

  @Test func `Permission to send a body waits for the responses before it`() async throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in
      if request.target == "/held" { held.hold { reply(.echo(request)) } } else { reply(.echo(request)) }
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      await held.arrival()
      held.release(on: server.loop)
      #expect(try await client.readAnswer().body == "GET /held")
      #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await client.send("ok")
      #expect(try await client.readAnswer().body == "PUT /a ok")
    }
  }

  @Test func `A URL as target becomes a path, and its authority the host`() async throws {
    let application = TestApplication()
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      let cases = [
        ("http://b.example:80/c?d", "/c?d"), ("HTTP://b.example:80", "/"), ("http://b.example:80?d", "/?d"),
      ]
      for (target, expected) in cases {
        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.readAnswer().body == "GET \(expected)")
      }
      let host = try #require(HTTPField.Name("Host"))
      #expect(application.requests.map { $0.headerFields[host] } == ["b.example:80", "b.example:80", "b.example:80"])
    }
  }

  @Test func `A request after which the client sends nothing more gets a response`() async throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in held.hold { reply(.echo(request)) } }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
      await client.closeOutput()
      await held.arrival()
      held.release(on: server.loop)
      #expect(try await client.readToEnd().hasSuffix("GET /a"))
    }
  }

  @Test func `A response to a client that has disconnected is dropped`() async throws {
    let held = HeldReplies()
    let (pulls, continuation) = AsyncStream.makeStream(of: Void.self)
    let application = TestApplication { _, reply in
      let content = PulledContent.stream(continuation)
      held.hold { reply(PreparedResponse(body: .stream(content))) }
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
      await held.arrival()
      await server.listener.shutdown(grace: .zero)
      #expect(try await client.readToEnd() == "")
      held.release(on: server.loop)
      // The stream is released without being read.
      for await _ in pulls { Issue.record("The answer was sent.") }
    }
  }
}
