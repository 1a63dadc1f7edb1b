import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServer

/// When the answers to several connections go out.
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

  /// Returns how many of the connections an answer has left by.
  private func countAnswered(_ channels: [EmbeddedChannel]) throws -> Int {
    try channels.count { try $0.readOutbound(as: ByteBuffer.self) != nil }
  }

  @Test func `Answers to requests that came together go out together`() throws {
    let channels = try connect(3)
    for channel in channels { try channel.writeInbound(ByteBuffer(string: TransportDeliveryTests.get)) }
    #expect(try countAnswered(channels) == 0)
    loop.run()
    #expect(try countAnswered(channels) == 3)
  }

  @Test func `Answers to many requests do not wait for all`() throws {
    let channels = try connect(Connections.maximumUnflushed + 1)
    for channel in channels { try channel.writeInbound(ByteBuffer(string: TransportDeliveryTests.get)) }
    #expect(try countAnswered(channels) == Connections.maximumUnflushed)
    loop.run()
    #expect(try countAnswered(channels) == 1)
  }
}
