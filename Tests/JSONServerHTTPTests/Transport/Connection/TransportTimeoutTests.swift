import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServerHTTP

/// Time passes here when a test says so.
struct TransportTimeoutTests {
  static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  static func put(_ fields: String, _ body: String = "") -> String {
    "PUT / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
  }

  static func connection(_ application: TestApplication = TestApplication()) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers(
      HTTPConnection.handlers(Connections(limits: Limits(), application: application)))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  struct Case: Sendable {
    var sent: String
    /// The longest that the client may wait next, in seconds.
    var idleTimeouts: Int64
    /// The status of the response when that has passed.
    var status: Int?
  }

  @Test(arguments: [
    Case(sent: "", idleTimeouts: 30, status: nil),
    Case(sent: "GET / HT", idleTimeouts: 10, status: 408),
    Case(sent: get, idleTimeouts: 30, status: nil),
    Case(sent: get + "GET / HT", idleTimeouts: 30, status: nil),
    Case(sent: put("Content-Length: 5"), idleTimeouts: 30, status: 408),
    Case(sent: put("Content-Length: 5", "abc"), idleTimeouts: 30, status: 408),
    Case(sent: put("Transfer-Encoding: chunked", "5\r\nab"), idleTimeouts: 30, status: 408),
  ])
  func `A client that keeps the server waiting is cut off, and no sooner`(_ test: Case) throws {
    let channel = try Self.connection()
    if !test.sent.isEmpty { try channel.writeInbound(ByteBuffer(string: test.sent)) }
    channel.embeddedEventLoop.run()
    _ = try channel.readOutbound(as: ByteBuffer.self)
    channel.embeddedEventLoop.advanceTime(by: .seconds(test.idleTimeouts) - .milliseconds(1))
    #expect(channel.isActive)
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    let answer = try channel.readOutbound(as: ByteBuffer.self).map(String.init(buffer:))
    #expect(answer.flatMap { Int($0.dropFirst(9).prefix(3)) } == test.status)
    channel.embeddedEventLoop.advanceTime(by: HTTPConnection.lingerTime.amount)
    #expect(!channel.isActive)
  }

  struct LastRequestCase: Sendable {
    var sent: String
    var closesItself = false
    var lingers: Bool
  }

  static let close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// To close while a client sends resets the connection, and can lose the response.
  @Test(arguments: [
    LastRequestCase(sent: close, lingers: false),
    LastRequestCase(sent: close + get, lingers: true),
    LastRequestCase(sent: close + "\r\nnot HTTP\r\n", lingers: true),
    LastRequestCase(sent: put("Connection: close\r\nContent-Length: 1", "a") + "b", lingers: true),
    LastRequestCase(sent: get, closesItself: true, lingers: true),
  ])
  func `A client that may still be sending is not cut off before it has its response`(_ test: LastRequestCase) throws {
    let channel = try Self.connection(
      TestApplication { request, reply in
        var response = PreparedResponse.echo(request)
        if test.closesItself { response.headerFields[.connection] = "close" }
        reply(response)
      })
    let closing = ClosingHandler()
    try channel.pipeline.syncOperations.addHandler(closing, position: .first)
    try channel.writeInbound(ByteBuffer(string: test.sent))
    #expect(try channel.readOutbound(as: ByteBuffer.self).map(String.init(buffer:))?.contains(" 200 OK") == true)
    channel.embeddedEventLoop.advanceTime(by: HTTPConnection.lingerTime.amount - .milliseconds(1))
    #expect(closing.modes == [test.lingers ? .output : .all])
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(closing.modes.last == .all)
  }

  @Test func `A connection that is opened ahead, such as after a handshake, is idle until its first byte`() throws {
    let channel = try Self.connection()
    // A handler before the connection, such as one for TLS, takes all bytes of a round.
    channel.pipeline.fireChannelReadComplete()
    channel.embeddedEventLoop.advanceTime(by: .seconds(30) - .milliseconds(1))
    #expect(channel.isActive)
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
  }

  @Test func `A head that drips has no more time than one that stops`() throws {
    let channel = try Self.connection()
    for byte in Self.get.utf8.prefix(9) {
      try channel.writeInbound(ByteBuffer(bytes: [byte]))
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try channel.readOutbound(as: ByteBuffer.self).map(String.init(buffer:))?.contains(" 408 ") == true)
  }

  @Test func `A body has its time for each step of 16 KiB`() throws {
    let channel = try Self.connection()
    try channel.writeInbound(ByteBuffer(string: Self.put("Content-Length: 1000000")))
    for _ in 0..<10 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(29))
      try channel.writeInbound(ByteBuffer(repeating: 0x61, count: 16 * 1024))
    }
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    for _ in 0..<30 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      try channel.writeInbound(ByteBuffer(repeating: 0x61, count: 100))
    }
    #expect(try channel.readOutbound(as: ByteBuffer.self).map(String.init(buffer:))?.contains(" 408 ") == true)
  }

  @Test func `A connection that waits for the application is not idle`() throws {
    let held = HeldReplies()
    let channel = try Self.connection(TestApplication { request, reply in held.hold { reply(.echo(request)) } })
    try channel.writeInbound(ByteBuffer(string: Self.get))
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    held.releaseHere()
    channel.embeddedEventLoop.run()
    #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(!channel.isActive)
  }

  @Test func `Requests that follow in time keep the connection`() throws {
    let channel = try Self.connection()
    for _ in 0..<10 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(29))
      try channel.writeInbound(ByteBuffer(string: Self.get))
      channel.embeddedEventLoop.run()
      #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    }
  }

  @Test func `A client that takes no responses is cut off`() throws {
    let channel = try Self.connection()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(30))
    #expect(!channel.isActive)
  }
}

/// Records how a channel is closed, and keeps one open of which only the sending side is closed.
private final class ClosingHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private(set) var modes: [CloseMode] = []

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    modes.append(mode)
    if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
  }
}

extension Duration {
  fileprivate var amount: TimeAmount { TimeAmount(self) }
}
