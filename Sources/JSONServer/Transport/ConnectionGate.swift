import NIOCore

/// Accepts no connection while the server has as many as it may; the system queues further ones meanwhile.
final class ConnectionGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = any Channel

  private let connections: Connections
  private var context: ChannelHandlerContext?
  private var isClosed = false

  init(_ connections: Connections) {
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connections.insert(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func read(context: ChannelHandlerContext) {
    isClosed = connections.isFull
    if !isClosed { context.read() }
  }

  /// Accepts again after a connection has gone.
  func reopen() {
    guard isClosed, let context else { return }
    isClosed = false
    context.read()
  }
}
