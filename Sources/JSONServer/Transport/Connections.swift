import NIOCore

/// What the connections of one listener share; used on the listener's event loop only.
final class Connections {
  /// The most connections whose responses are gathered before they are sent.
  static let maximumUnflushed = 32

  let limits: Limits
  let application: any Application
  /// What connections are encrypted with; `nil` for plain HTTP.
  let security: TransportSecurity?
  var writer = ResponseWriter()
  var buffers = BufferPool(maximum: Connections.maximumUnflushed)

  /// Whether the server takes no further requests.
  private(set) var isShuttingDown = false

  /// How many connections more than the maximum there may be.
  static let reserved = 16

  private let maximum: Int
  private let onCrowd: @Sendable (Int) -> Void
  private var wasCrowded = false
  private var open: [ObjectIdentifier: HTTPConnection] = [:]
  private var handlers: [AvailableConnectionsHandler] = []
  private var emptied: EventLoopPromise<Void>?
  /// The connections that have written and not flushed.
  private var unflushed: [HTTPConnection] = []

  /// - Parameter onCrowd: Told the maximum when there are more connections for the first time.
  init(
    limits: Limits, application: any Application, security: TransportSecurity? = nil,
    onCrowd: @escaping @Sendable (_ maximum: Int) -> Void = { _ in }
  ) {
    self.onCrowd = onCrowd
    self.limits = limits
    self.application = application
    self.security = security
    maximum = Self.maximum(limits, openFiles: System.openFileLimit)
  }

  /// The most connections that a process with so many open files may hold.
  static func maximum(_ limits: Limits, openFiles: Int) -> Int {
    // The remaining files are the store's, the log's and whatever else the process has open.
    max(1, min(limits.maximumConnections, openFiles - 64))
  }

  var isFull: Bool { open.count >= maximum + Self.reserved }

  /// Whether there are more than the maximum, so that the last ones may ask for the admin interface alone.
  var isCrowded: Bool { open.count > maximum }

  func insert(_ connection: HTTPConnection) {
    open[ObjectIdentifier(connection)] = connection
    guard isCrowded, !wasCrowded else { return }
    wasCrowded = true
    onCrowd(maximum)
  }

  func remove(_ connection: HTTPConnection) {
    guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    if !isFull { handlers.forEach { $0.reopen() } }
    if open.isEmpty { emptied?.succeed() }
  }

  /// Sends what a connection has written, once the loop has handled what else it found ready.
  ///
  /// Each response wakes a client that is asleep. Sent together, the responses to many requests of one program wake
  /// it once, which spares the system much of its part.
  func flushSoon(_ connection: HTTPConnection, on loop: any EventLoop) {
    unflushed.append(connection)
    if unflushed.count == Self.maximumUnflushed {
      flushAll()
    } else if unflushed.count == 1 {
      let connections = NIOLoopBound(self, eventLoop: loop)
      loop.execute { connections.value.flushAll() }
    }
  }

  private func flushAll() {
    let connections = unflushed
    unflushed.removeAll(keepingCapacity: true)
    for connection in connections { connection.flush() }
  }

  func insert(_ handler: AvailableConnectionsHandler) {
    handlers.append(handler)
  }

  /// Lets each connection finish the requests in progress, and close.
  ///
  /// - Parameter promise: Succeeds when no connection is left.
  func shutDown(promise: EventLoopPromise<Void>) {
    isShuttingDown = true
    handlers = []
    if let emptied { return emptied.futureResult.cascade(to: promise) }
    emptied = promise
    for connection in open.values { connection.shutDown() }
    if open.isEmpty { promise.succeed() }
  }

  /// Closes all connections immediately, whatever they are doing.
  func closeAll() {
    for connection in open.values { connection.closeNow() }
  }
}

/// Accepts no connection while the server has as many as it may; the system queues further ones meanwhile.
final class AvailableConnectionsHandler: ChannelDuplexHandler {
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
