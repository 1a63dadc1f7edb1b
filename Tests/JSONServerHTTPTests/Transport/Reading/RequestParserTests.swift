import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServerHTTP

/// What is read of bytes that the parser alone would not read as the server has to.
struct RequestParserTests {
  private static func get(_ target: String, fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  // MARK: Upgrades

  private static let upgrade = "Upgrade: h2c\r\n"

  /// A server may ignore the request to upgrade (RFC 9110, section 7.8), and then reads on.
  @Test(arguments: [
    "", "Connection: upgrade\r\n", "Connection: UPGRADE\r\n", "Connection: Upgrade, HTTP2-Settings\r\n",
    "Connection:keep-alive,\tupgrade \r\n", "Connection: upgrade\t\r\n", "Connection: \t upgrade  ,\r\n",
    "Connection: ,upgrade\r\n", "Connection: upgraded\r\n", "Connection: x-upgrade\r\n", "Connection: upgrade;q=1\r\n",
    "Connection: upgrade x, upgrade\r\n", "Connection: upgrade x\r\n", "Connection: te\r\nConnection: upgrade\r\n",
    "Proxy-Connection: upgrade\r\n", "Connection:\r\n", "UPGRADE:b\r\nConnection: upgrade\r\n",
    "Connection: \u{212A}eep-alive, upgrade\r\n",
  ])
  func `What follows a request to upgrade is read as if it were any other`(_ connection: String) throws {
    let wish = Self.get("/1", fields: Self.upgrade + connection)
    let body = "PUT /2 HTTP/1.1\r\nHost: a\r\n\(Self.upgrade)\(connection)Content-Length: 4\r\n\r\nbody"
    let bytes = Array((wish + body + Self.get("/3") + wish + Self.get("/4")).utf8)
    for cut in 0..<bytes.count {
      let application = TestApplication()
      let channel = try TransportTimeoutTests.connection(application)
      for piece in [bytes[..<cut], bytes[cut...]] where !piece.isEmpty {
        try channel.writeInbound(ByteBuffer(bytes: piece))
        channel.embeddedEventLoop.run()
      }
      #expect(application.requests.map(\.target) == ["/1", "/2", "/3", "/1", "/4"], "\(cut)")
      let sent = try TransportMemoryTests.sent(channel)
      #expect(sent.contains("PUT /2 body"))
      #expect(!sent.contains("Connection:"))
    }
  }

  @Test func `An end after a request to upgrade is noticed`() throws {
    let channel = try TransportTimeoutTests.connection()
    try channel.writeInbound(
      ByteBuffer(string: Self.get("/1", fields: Self.upgrade + "Connection: upgrade\r\n") + "GET"))
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    channel.embeddedEventLoop.run()
    #expect(try TransportMemoryTests.sent(channel).contains("The request ended before it was complete."))
  }

  // MARK: Bytes that become no part of a request

  private static let chunked = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let extended =
    "400;" + String(repeating: "a", count: 1024) + "\r\n"
    + String(repeating: "b", count: 1024) + "\r\n"

  @Test(arguments: [
    ("", "\r\n"), ("GET / HTTP/1.1\r\nX:", " "), ("GET", " "), (chunked + "1;", "a"), (chunked + "0;", "a"),
    (chunked, "0"), (chunked, extended), (chunked + "0\r\nX:", " "), (chunked + "0\r\n", "X: 1\r\n"),
  ])
  func `A client that sends no part of a request is not read for ever`(_ start: String, _ repeated: String) throws {
    let channel = try TransportTimeoutTests.connection()
    try channel.writeInbound(ByteBuffer(string: start))
    let piece = String(repeating: repeated, count: 32 * 1024 / repeated.utf8.count)
    var count = 0
    var sent = ""
    while sent.isEmpty, count < 64 {
      try channel.writeInbound(ByteBuffer(string: piece))
      channel.embeddedEventLoop.run()
      sent = try TransportMemoryTests.sent(channel)
      count += 1
    }
    #expect(sent.hasPrefix("HTTP/1.1 4"))
    #expect(sent.contains("Connection: close\r\n"))
    #expect(count <= 9)
  }

  @Test func `Chunks of one byte are read up to the limit of bodies`() throws {
    let application = TestApplication { request, reply in reply(.text("\(request.bytes.count)")) }
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(ByteBuffer(string: Self.chunked))
    for _ in 0..<100 { try channel.writeInbound(ByteBuffer(string: String(repeating: "1\r\na\r\n", count: 1000))) }
    try channel.writeInbound(ByteBuffer(string: "0\r\n\r\n"))
    channel.embeddedEventLoop.run()
    #expect(try TransportMemoryTests.sent(channel).hasSuffix("\r\n\r\n100000"))
  }

  @Test func `Requests whose bytes come together with others are not held against those that follow`() throws {
    let application = TestApplication { _, reply in reply(PreparedResponse(status: .noContent)) }
    let channel = try TransportTimeoutTests.connection(application)
    // Without the space that is counted for a field, and with chunks.
    let request = "PUT / HTTP/1.1\r\nHost:a\r\nTransfer-Encoding:chunked\r\nX:\t \r\n\r\n1\r\na\r\n0\r\n\r\n"
    let bytes = Array(String(repeating: request, count: 2_000).utf8)
    for start in stride(from: 0, to: bytes.count, by: 1000) {
      try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + 1000, bytes.count)]))
      channel.embeddedEventLoop.run()
    }
    #expect(application.requests.count == 2_000)
    #expect(channel.isActive)
  }

  // MARK: Refusals after HEAD

  private static let head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: [
    [head + "BAD REQUEST LINE\r\n\r\n"], [head, "BAD REQUEST LINE\r\n\r\n"], [head, head, "BAD\r\n\r\n"],
  ])
  func `A refusal has the form that its own request asks for, not that of the request before`(
    _ pieces: [String]
  ) throws {
    let channel = try TransportTimeoutTests.connection()
    for piece in pieces {
      try channel.writeInbound(ByteBuffer(string: piece))
      channel.embeddedEventLoop.run()
    }
    #expect(try TransportMemoryTests.sent(channel).hasSuffix("\"This is not a valid HTTP request.\"\n}"))
  }

  @Test func `A head that does not come after HEAD is refused with a body`() throws {
    let channel = try TransportTimeoutTests.connection()
    try channel.writeInbound(ByteBuffer(string: Self.head))
    channel.embeddedEventLoop.run()
    try channel.writeInbound(ByteBuffer(string: "GET / HT"))
    channel.embeddedEventLoop.advanceTime(by: .seconds(10))
    #expect(try TransportMemoryTests.sent(channel).hasSuffix("\"The request's head did not come in time.\"\n}"))
  }

  @Test func `A refusal of HEAD has no body`() throws {
    let channel = try TransportTimeoutTests.connection()
    try channel.writeInbound(ByteBuffer(string: "HEAD / HTTP/1.1\r\n\r\n"))
    channel.embeddedEventLoop.run()
    let sent = try TransportMemoryTests.sent(channel)
    #expect(sent.hasPrefix("HTTP/1.1 400") && sent.hasSuffix("\r\n\r\n"))
  }
}
