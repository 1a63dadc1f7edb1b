import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct TransportDeliveryTests {
  static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  static func application(_ response: @escaping @Sendable () -> PreparedResponse) -> TestApplication {
    TestApplication { _, reply in reply(response()) }
  }

  static func pieces(_ pieces: [String]) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      for piece in pieces { continuation.yield(Array(piece.utf8)) }
      continuation.finish()
    }
  }

  @Test func `A reset reaches the client before the first byte`() async throws {
    let application = Self.application { PreparedResponse(body: .bytes([1]), delivery: .reset) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      await #expect(throws: IOError.self) { try await client.readToEnd() }
    }
  }

  @Test func `A reset on a connection that is used again comes after a head, so that no client repeats the request`()
    async throws
  {
    let application = TestApplication { request, reply in
      var response = PreparedResponse.echo(request)
      if request.target == "/reset" { response = PreparedResponse(delivery: .reset) }
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      #expect(try await client.readAnswer().body == "GET /")
      try await client.send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.read(through: "\r\n\r\n").contains("Content-Length: 1\r\n"))
      await #expect(throws: IOError.self) { try await client.readToEnd() }
    }
  }

  @Test func `A truncated response announces its full length`() async throws {
    let application = Self.application {
      PreparedResponse(body: .bytes(Array("0123456789".utf8)), delivery: .truncated(after: 4))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      let received = try await client.readToEnd()
      #expect(received.contains("Content-Length: 10\r\n"))
      #expect(received.hasSuffix("\r\n\r\n0123"))
    }
  }

  @Test func `A truncated stream ends without its last chunk`() async throws {
    let application = Self.application {
      PreparedResponse(body: .stream(Self.pieces(["abc", "def"])), delivery: .truncated(after: 4))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      #expect(try await client.readToEnd().hasSuffix("\r\n\r\n3\r\nabc\r\n1\r\nd\r\n"))
    }
  }

  @Test func `A hanging response never comes, nor one after it, until the server closes`() async throws {
    let application = TestApplication { request, reply in
      var response = PreparedResponse.echo(request)
      if request.target == "/hang" { response.delivery = .hang }
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /hang HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get)
      #expect(try await client.readAnswer().body == "GET /a")
      await server.listener.shutdown(grace: .seconds(60))
      #expect(try await client.readToEnd() == "")
    }
  }

  @Test func `A stream is sent in chunks, and the connection continues after it`() async throws {
    let application = Self.application { PreparedResponse(body: .stream(Self.pieces(["abc", "", "defg"]))) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get + Self.get)
      for _ in 0..<2 {
        let answer = try await client.readAnswer()
        #expect(answer.fields["content-length"] == nil)
        #expect(answer.body == "abcdefg")
      }
    }
  }

  @Test func `A stream to a client of HTTP/1.0 ends with the connection`() async throws {
    let application = Self.application { PreparedResponse(body: .stream(Self.pieces(["abc", "defg"]))) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let received = try await client.readToEnd()
      #expect(received.contains("Connection: close\r\n"))
      #expect(received.hasSuffix("\r\n\r\nabcdefg"))
    }
  }

  @Test(arguments: ["1.1", "1.0"])
  func `A stream of known length announces it, and the connection continues after it`(_ version: String) async throws {
    let application = Self.application { PreparedResponse(body: .stream(Self.pieces(["abc", "defg"]), length: 7)) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      let request = "GET / HTTP/\(version)\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
      try await client.send(request + request)
      for _ in 0..<2 {
        let answer = try await client.readAnswer()
        #expect(answer.fields["transfer-encoding"] == nil)
        #expect(answer.fields["content-length"] == "7")
        #expect(answer.body == "abcdefg")
      }
    }
  }

  @Test func `A stream that falls short of its length ends with the connection`() async throws {
    let application = Self.application { PreparedResponse(body: .stream(Self.pieces(["abc"]), length: 7)) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get + Self.get)
      let received = try await client.readToEnd()
      #expect(received.contains("Content-Length: 7\r\n"))
      #expect(received.hasSuffix("\r\n\r\nabc"))
    }
  }

  @Test func `A stream that brings more than its length is cut there`() async throws {
    let application = Self.application {
      PreparedResponse(body: .stream(Self.pieces(["abc", "defg", "h"]), length: 5))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get + Self.get)
      for _ in 0..<2 { #expect(try await client.readAnswer().body == "abcde") }
    }
  }

  @Test func `A file that is streamed arrives with its length`() async throws {
    let directory = try TemporaryDirectory()
    let text = String(repeating: "0123456789abcdef", count: 100_000)
    try directory.write(text, to: "large.bin")
    let files = StaticFiles(directories: [directory.path], privateFiles: [])
    let target = try RequestTarget("/large.bin")
    let application = TestApplication { request, reply in
      reply(files.respond(to: request, target).map { PreparedResponse($0) } ?? .echo(request))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try await client.readAnswer()
      #expect(answer.fields["content-length"] == "\(text.utf8.count)")
      #expect(answer.body == text)
    }
  }

  @Test func `HEAD of a stream has no body`() async throws {
    let application = Self.application { PreparedResponse(body: .stream(Self.pieces(["abc"]))) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get)
      #expect(try await client.readAnswer(isHeadOnly: true).fields["transfer-encoding"] == "chunked")
      #expect(try await client.readAnswer().body == "abc")
    }
  }

  @Test func `A stream is cancelled when its client disconnects`() async throws {
    let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
    let (gone, continuation) = AsyncStream.makeStream(of: Void.self)
    source.onTermination = { _ in continuation.finish() }
    let application = Self.application { PreparedResponse(body: .stream(chunks)) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      source.yield([0x61])
      _ = try await client.read(through: "a\r\n")
      try await client.close()
      for await _ in gone {}
    }
  }

  @Test(arguments: ["", "Connection: close\r\n"])
  func `A client that has sent all it wants to gets the whole of its response`(_ field: String) async throws {
    let bytes = 16 << 20
    let application = TestApplication { request, reply in
      let body: Response.Content =
        if request.target == "/stream" {
          .stream(Self.pieces((0..<16).map { _ in String(repeating: "a", count: bytes / 16) }), length: bytes)
        } else {
          .bytes([UInt8](repeating: 0x61, count: bytes))
        }
      reply(PreparedResponse(body: body))
    }
    try await TestServer.run(application) { server in
      for target in ["/stream", "/bytes"] {
        let client = try await server.connect()
        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        // The response is on its way before the client closes its side.
        let head = try await client.read(through: "\r\n\r\n")
        await client.closeOutput()
        #expect(head.contains("Content-Length: \(bytes)\r\n"))
        #expect(try await client.readToEnd().utf8.count == bytes)
      }
    }
  }

  @Test func `An endless stream ends with what the client sends`() async throws {
    let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
    let application = Self.application { PreparedResponse(body: .stream(chunks)) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.get)
      source.yield([0x61])
      _ = try await client.read(through: "a\r\n")
      await client.closeOutput()
      #expect(try await client.readToEnd() == "")
    }
  }

  @Test func `A stream is pulled only as fast as its client reads`() async throws {
    let pulls = NIOLockedValueBox(0)
    let piece: @Sendable () -> [UInt8]? = {
      pulls.withLockedValue { $0 += 1 }
      return [0x61]
    }
    let application = Self.application { PreparedResponse(body: .stream(AsyncStream { piece() })) }
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.executeInContext {
      try channel.pipeline.syncOperations.addHandlers(
        HTTPConnection.handlers(Connections(limits: Limits(), application: application)))
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    try await channel.testingEventLoop.executeInContext {
      channel.pipeline.fireChannelRead(ByteBuffer(string: Self.get))
      channel.pipeline.fireChannelReadComplete()
      channel.isWritable = false
    }
    let head = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
    #expect(String(buffer: head).hasSuffix("\r\n\r\n"))
    for count in 1...100 {
      _ = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
      // The next piece is made while the client reads.
      #expect((count...count + 1).contains(pulls.withLockedValue { $0 }))
      try await channel.testingEventLoop.executeInContext {
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        channel.isWritable = false
      }
    }
    try await channel.close()
  }
}
