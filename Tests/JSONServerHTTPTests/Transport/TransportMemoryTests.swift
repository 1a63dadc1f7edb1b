import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServerHTTP

/// What a client that asks for more than it takes can make the server hold. Time passes here when a test says so.
struct TransportMemoryTests {
  static let requests = (0..<40).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()

  /// Each response is as large as all that may wait to be sent.
  static func answer(_ request: Request, _ reply: Reply) {
    reply(.text(request.target + String(repeating: ".", count: HTTPConnection.maximumUnflushed)))
  }

  static func sent(_ channel: EmbeddedChannel) throws -> String {
    var text = ""
    while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }

  @Test func `Large responses are made one by one, and others have their turn between them`() throws {
    let application = TestApplication(Self.answer)
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(ByteBuffer(string: Self.requests))
    var text = ""
    for count in 1...40 {
      #expect(application.requests.count == count)
      text += try Self.sent(channel)
      channel.embeddedEventLoop.advanceTime(by: HTTPConnection.respite)
    }
    text += try Self.sent(channel)
    let targets = text.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "." } }
    #expect(targets == (0..<40).map { "/\($0)" })
  }

  @Test func `For a client that takes none of its large responses, only one is made`() throws {
    let application = TestApplication(Self.answer)
    let channel = try TransportTimeoutTests.connection(application)
    channel.isWritable = false
    try channel.writeInbound(ByteBuffer(string: Self.requests))
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(application.requests.count == 1)
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(application.requests.count == 40)
  }

  @Test func `Large responses that wait for one before them hold back further requests`() throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in
      if request.target == "/0" { held.hold { reply(.echo(request)) } } else { Self.answer(request, reply) }
    }
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(ByteBuffer(string: Self.requests))
    #expect(application.requests.count == 2)
    held.releaseHere()
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(application.requests.count == 40)
  }
}
