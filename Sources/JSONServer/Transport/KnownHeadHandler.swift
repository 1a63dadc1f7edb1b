import NIOCore

/// Stands before the parser and gives the connection the requests that need not be parsed.
final class KnownHeadHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = Self.unwrapInboundIn(data)
    connection.takeKnownRequests(from: &input)
    guard input.readableBytes > 0 else { return }
    connection.reader.willParse(input)
    context.fireChannelRead(Self.wrapInboundOut(input))
    connection.reader.didParse(input)
  }
}
