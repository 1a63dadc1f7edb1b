import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServerHTTP

/// When the responses on several connections are sent.
struct TransportFlushTests {
  private let loop = EmbeddedEventLoop()

  private func connect(_ count: Int) throws -> [EmbeddedChannel] {
    let connections = Connections(limits: Limits(), application: TestApplication())
    return try (0..<count).map { _ in
      let channel = EmbeddedChannel(loop: loop)
      try channel.pipeline.syncOperations.addHandlers(HTTPConnection.handlers(connections))
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      return channel
    }
  }

  /// Returns on how many of the connections a response has been sent.
  private func countAnswered(_ channels: [EmbeddedChannel]) throws -> Int {
    try channels.count { try $0.readOutbound(as: ByteBuffer.self) != nil }
  }

  @Test func `Responses to requests that came together are sent together`() throws {
    let channels = try connect(3)
    for channel in channels { try channel.writeInbound(ByteBuffer(string: TransportDeliveryTests.get)) }
    #expect(try countAnswered(channels) == 0)
    loop.run()
    #expect(try countAnswered(channels) == 3)
  }

  @Test func `Responses to many requests do not wait for all`() throws {
    let channels = try connect(Connections.maximumUnflushed + 1)
    for channel in channels { try channel.writeInbound(ByteBuffer(string: TransportDeliveryTests.get)) }
    #expect(try countAnswered(channels) == Connections.maximumUnflushed)
    loop.run()
    #expect(try countAnswered(channels) == 1)
  }
}
