import NIOCore

/// Finds out by a connection's first byte whether its client speaks TLS, and only then adds the handlers for TLS.
///
/// A client that speaks plain HTTP gets a readable response.
final class TLSDetector: ChannelInboundHandler, ChannelOutboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer

  /// Makes the handler close the connection without a closing alert.
  struct Abort {}

  /// The first byte of each record of a handshake (RFC 8446, section 5.1).
  private static let handshake: UInt8 = 22

  private let security: TransportSecurity
  private let connection: HTTPConnection
  /// Whether the client speaks TLS; `nil` until it sends something.
  private var isSecure: Bool?

  init(_ security: TransportSecurity, _ connection: HTTPConnection) {
    self.security = security
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isSecure == nil { detect(Self.unwrapInboundIn(data), context) }
    if isSecure == true { context.fireChannelRead(data) }
  }

  private func detect(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
    guard first == Self.handshake else {
      isSecure = false
      security.reportRefusal("\(Self.address(context)) sent plain HTTP to a port that serves HTTPS.")
      let port = context.channel.localAddress?.port.map { ":\($0)" } ?? ""
      return connection.refuse(
        RequestError(.malformed, "This port serves HTTPS; use an address such as https://localhost\(port)."))
    }
    do {
      try context.pipeline.syncOperations.addHandlers(
        security.handlers(timeout: connection.connections.limits.headTimeout), position: .after(self))
      isSecure = true
    } catch {
      // The channel has closed, and so has its pipeline.
      context.close(promise: nil)
    }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    if event is Abort {
      context.close(promise: promise)
    } else {
      context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  /// The address of a connection's client, for people.
  static func address(_ context: ChannelHandlerContext) -> String {
    guard let address = context.remoteAddress, let host = address.ipAddress, let port = address.port else {
      return "a client that has gone"
    }
    return BindAddress(host: host, port: port).description
  }
}
