package import NIOCore
import NIOPosix

/// A client that sends bytes as they are and reads what comes back.
package final class TransportClient {
  /// A response as it came over the wire.
  package struct WireResponse {
    package var status: Int
    package var fields: [String: String]
    package var body: String
  }

  private let channel: any Channel
  /// Whether what is sent waits for a handshake.
  private let hasHandshake: Bool
  private var pieces: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
  private var received: [UInt8] = []

  /// Connects.
  ///
  /// - Parameter handlers: What stands between the socket and the bytes of the test.
  package init(
    host: String = "127.0.0.1", port: Int, handlers: (@Sendable () throws -> [any ChannelHandler])? = nil
  ) async throws {
    hasHandshake = handlers != nil
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers((handlers?() ?? []) + [Receiver(continuation)])
        }
      }
      .connect(host: host, port: port).get()
    pieces = stream.makeAsyncIterator()
  }

  package func send(_ text: String) async throws {
    try await send(Array(text.utf8))
  }

  package func send(_ bytes: [UInt8]) async throws {
    if hasHandshake {
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    } else {
      try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }
  }

  /// Tells the server that nothing more will be sent; does nothing when the server has closed already.
  package func closeOutput() async {
    try? await channel.close(mode: .output)
  }

  package func close() async throws {
    try await channel.close()
  }

  /// Reads up to the server's close.
  ///
  /// - Throws: The system's error when the server resets the connection.
  package func readToEnd() async throws -> String {
    while let piece = try await pieces.next() { received += piece }
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Reads up to a text and with it.
  package func read(through end: String) async throws -> String {
    let end = Array(end.utf8)
    while true {
      if let range = received.firstRange(of: end) {
        defer { received.removeSubrange(..<range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      guard let piece = try await pieces.next() else { throw ChannelError.eof }
      received += piece
    }
  }

  /// Reads one response.
  ///
  /// - Parameter isHeadOnly: Whether it is to HEAD and ends with its head.
  package func readAnswer(isHeadOnly: Bool = false) async throws -> WireResponse {
    var lines = try await read(through: "\r\n\r\n").split(separator: "\r\n").map(String.init)
    let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
    var fields: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: ": ", maxSplits: 1)
      fields[parts[0].lowercased()] = parts.count == 2 ? String(parts[1]) : ""
    }
    var body = ""
    if isHeadOnly || status == 304 { return WireResponse(status: status, fields: fields, body: body) }
    if fields["transfer-encoding"] == "chunked" {
      body = try await readChunks()
    } else if let length = fields["content-length"].flatMap({ Int($0) }) {
      body = try await read(length)
    }
    return WireResponse(status: status, fields: fields, body: body)
  }

  private func readChunks() async throws -> String {
    var body = ""
    while true {
      let line = try await read(through: "\r\n").dropLast()
      let length = Int(line, radix: 16) ?? 0
      let chunk = try await read(length + 2)
      if length == 0 { return body }
      body += chunk.dropLast()
    }
  }

  private func read(_ count: Int) async throws -> String {
    while received.count < count {
      guard let piece = try await pieces.next() else { throw ChannelError.eof }
      received += piece
    }
    defer { received.removeFirst(count) }
    return String(decoding: received.prefix(count), as: UTF8.self)
  }

  private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation) {
      self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(Array(Self.unwrapInboundIn(data).readableBytesView))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      continuation.finish(throwing: error)
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
    }
  }
}
