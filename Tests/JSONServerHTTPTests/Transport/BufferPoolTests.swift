import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServerHTTP

/// The memory of responses, which is reused.
struct SpareBuffersTests {
  private static func buffer(_ count: Int) -> ByteBuffer {
    ByteBuffer(repeating: 1, count: count)
  }

  @Test func `A buffer comes back empty, with its memory`() {
    var buffers = BufferPool(maximum: 1)
    #expect(buffers.take().capacity == 0)
    buffers.put(Self.buffer(100))
    let buffer = buffers.take()
    #expect(buffer.readableBytes == 0)
    #expect(buffer.capacity >= 100)
    #expect(buffers.take().capacity == 0)
  }

  @Test func `A buffer that someone else uses, one too many and one too large are released`() {
    var buffers = BufferPool(maximum: 1)
    let used = Self.buffer(100)
    buffers.put(used)
    #expect(buffers.take().capacity == 0)
    #expect(used.readableBytes == 100)
    buffers.put(Self.buffer(BufferPool.maximumBytes + 1))
    #expect(buffers.take().capacity == 0)
    buffers.put(Self.buffer(100))
    buffers.put(Self.buffer(100))
    _ = buffers.take()
    #expect(buffers.take().capacity == 0)
  }

  @Test func `A response that is on its way stays what it is`() throws {
    let channel = try TransportTimeoutTests.connection()
    for target in ["/a", "/b", "/c"] {
      try channel.writeInbound(ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"))
      channel.embeddedEventLoop.run()
    }
    for target in ["/a", "/b", "/c"] {
      let answer = try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
      #expect(answer?.hasSuffix("GET \(target)") == true)
    }
  }
}
