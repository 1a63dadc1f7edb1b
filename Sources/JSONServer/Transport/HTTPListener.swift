import NIOCore
import NIOPosix

/// A server's sockets: listens at its addresses and serves each client on the server's own loop.
final class HTTPListener: Sendable {
  /// The addresses actually bound, with the ports that the system chose.
  let boundAddresses: [BindAddress]

  private typealias Bound = (address: BindAddress, channel: any Channel)

  private let channels: [any Channel]
  private let connections: NIOLoopBound<Connections>

  private init(_ bound: [Bound], _ connections: NIOLoopBound<Connections>) {
    boundAddresses = bound.map(\.address)
    channels = bound.map(\.channel)
    self.connections = connections
  }

  /// Listens at all of the addresses, or at none.
  ///
  /// Addresses with port 0 get the same port, chosen by the system for the first of them. An optional address that the
  /// machine does not have is left out when another is bound.
  ///
  /// - Parameters:
  ///   - security: What connections are encrypted with; `nil` for plain HTTP.
  ///   - onCrowd: Told the maximum when there are more connections for the first time.
  /// - Throws: ``ListenError`` for the first address that cannot be bound.
  static func start(
    on addresses: [BindAddress], loop: EventLoopExecutor, limits: Limits, application: any Application,
    security: TransportSecurity? = nil, onCrowd: @escaping @Sendable (_ maximum: Int) -> Void = { _ in }
  ) async throws(ListenError) -> HTTPListener {
    let connections = await withCheckedContinuation { continuation in
      loop.execute {
        let connections = Connections(
          limits: limits, application: application, security: security, onCrowd: onCrowd)
        continuation.resume(returning: NIOLoopBound(connections, eventLoop: loop.eventLoop))
      }
    }
    var attempt = 0
    while true {
      do throws(ListenError) {
        return HTTPListener(try await bind(addresses, connections), connections)
      } catch  where error.code == .portInUse && addresses.contains(where: { $0.port == 0 }) && attempt < 9 {
        // The port that was free at the first address was taken at another.
        attempt += 1
      }
    }
  }

  /// Takes no further connections, finishes the requests in progress, and closes all connections.
  ///
  /// - Parameter grace: How long the requests may take; then the connections are closed as they are.
  func shutdown(grace: Duration) async {
    for channel in channels {
      // It fails when the channel is closed already, and then there is nothing to do.
      try? await channel.close().get()
    }
    let connections = connections
    let finished = connections.eventLoop.makePromise(of: Void.self)
    let force = connections.eventLoop.scheduleTask(in: TimeAmount(grace)) { connections.value.closeAll() }
    connections.eventLoop.execute { connections.value.shutDown(promise: finished) }
    // The promise never fails.
    try? await finished.futureResult.get()
    force.cancel()
  }

  // MARK: Binding

  /// The connections that the system holds while the server does not accept.
  private static let backlog: CInt = 1024

  private static func bind(
    _ addresses: [BindAddress], _ connections: NIOLoopBound<Connections>
  ) async throws(ListenError) -> [Bound] {
    var bound: [Bound] = []
    var missing: ListenError?
    for var address in addresses {
      if address.port == 0, let first = bound.first { address.port = first.address.port }
      do throws(ListenError) {
        bound.append(try await bind(address, connections))
      } catch {
        missing = error
        if address.isOptional, error.code == .unknownHost { continue }
        for (_, channel) in bound { try? await channel.close().get() }
        throw error
      }
    }
    if bound.isEmpty, let missing { throw missing }
    return bound
  }

  private static func bind(
    _ address: BindAddress, _ connections: NIOLoopBound<Connections>
  ) async throws(ListenError) -> Bound {
    let socketAddress: SocketAddress
    do {
      // The resolver blocks, so it has a thread of its own.
      socketAddress = try await NIOThreadPool.singleton.runIfActive {
        try SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
      }
    } catch {
      throw ListenError(resolving: address, cause: error)
    }
    if address.port != 0, await isServed(socketAddress, by: connections.eventLoop) { throw ListenError.inUse(address) }
    do {
      let channel = try await bootstrap(connections).bind(to: socketAddress).get()
      let local = channel.localAddress
      let actual = BindAddress(host: local?.ipAddress ?? address.host, port: local?.port ?? address.port)
      return (actual, channel)
    } catch {
      throw ListenError(binding: address, errorNumber: (error as? IOError)?.errnoCode, cause: error)
    }
  }

  /// Whether a program accepts connections at an address.
  ///
  /// Apple's systems bind 127.0.0.1:3000 although another program listens at *:3000, which would get no more clients of
  /// this machine from then on, or still get those that use one of its names.
  private static func isServed(_ address: SocketAddress, by loop: any EventLoop) async -> Bool {
    let client = ClientBootstrap(group: loop).connectTimeout(.milliseconds(200))
    guard let channel = try? await client.connect(to: address).get() else { return false }
    // The system may choose the very port for the client's end, and connect the two.
    let isServed = channel.localAddress != channel.remoteAddress
    try? await channel.close().get()
    return isServed
  }

  private static func bootstrap(_ connections: NIOLoopBound<Connections>) -> ServerBootstrap {
    ServerBootstrap(group: connections.eventLoop)
      .serverChannelOption(.backlog, value: backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // One at a time, so that accepting stops exactly at the last connection allowed.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            AcceptBackoffHandler(shouldForwardIOErrorCaught: false), AvailableConnectionsHandler(connections.value))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.autoRead, value: false)
      // How much of a stream a client that does not read can make the server hold, with one of its pieces.
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 32 * 1024))
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(HTTPConnection.handlers(connections.value))
        }
      }
  }
}

/// Where a server listens: a name or an IP address, and a port.
struct BindAddress: Sendable, Hashable, CustomStringConvertible {
  /// A host name, or an IP address without brackets.
  var host: String
  /// The port; 0 lets the system choose.
  var port: Int
  /// Whether a machine without this address is served by the other addresses alone.
  var isOptional: Bool

  init(host: String, port: Int, isOptional: Bool = false) {
    self.host = host
    self.port = port
    self.isOptional = isOptional
  }

  /// Both loopback addresses, so that `localhost` finds the server whichever a client tries first.
  static func loopback(port: Int) -> [BindAddress] {
    [BindAddress(host: "127.0.0.1", port: port), BindAddress(host: "::1", port: port, isOptional: true)]
  }

  /// The address as it is written in a URL.
  var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// Why a server cannot listen.
struct ListenError: Error, CustomStringConvertible {
  enum Code: Sendable, Hashable {
    case portInUse
    case permissionDenied
    case unknownHost
    case other
  }

  let code: Code
  /// What is wrong and what to do, with the address.
  let message: String
  /// What the system reported.
  let cause: any Error

  var description: String { message }
}

/// Responds to the requests that a transport reads.
protocol Application: Sendable {
  /// Responds to one request.
  ///
  /// Called on the server's event loop, and must not block it. The requests of one connection begin in their order, and
  /// take effect in it: until an unsafe request (RFC 9110, section 9.2.1) has taken effect, none after it begins; an
  /// unsafe one begins only when all before it have (RFC 9112, section 9.3.2). Safe ones may be under way together.
  ///
  /// - Parameters:
  ///   - request: The request, read to its end.
  ///   - progress: Reports what becomes of the request before its response is due; called on the event loop, if at all.
  ///   - reply: Sends the response; called once, immediately or later, on the event loop. The transport sends the
  ///     responses of one connection in the order of its requests.
  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping Reply)
}

/// Sends the response to a request.
typealias Reply = @Sendable (consuming PreparedResponse) -> Void

/// What becomes of a request before its response is due.
enum RequestProgress: Sendable {
  /// It has read or changed all that it ever will. The response implies it.
  case tookEffect
  /// It waits for something else than its client, perhaps for long. The closure is called on the event loop if the client
  /// goes away, or closes its side of the connection, before the response is there.
  case held(onDisconnect: @Sendable () -> Void)
  /// Its response is being calculated. The closure is called on the event loop if the connection ends before that is there.
  case calculating(onEnd: @Sendable () -> Void)
}

/// What the connections of one listener share; used on the listener's event loop only.
final class Connections {
  /// The most connections whose responses are gathered before they are sent.
  static let maximumUnflushed = 32

  let limits: Limits
  let application: any Application
  /// What connections are encrypted with; `nil` for plain HTTP.
  let security: TransportSecurity?
  // As the members of a connection, they are used without a check at run time.
  @exclusivity(unchecked) var writer = ResponseWriter()
  @exclusivity(unchecked) var buffers = BufferPool(maximum: Connections.maximumUnflushed)

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
  @exclusivity(unchecked) private var unflushed: [HTTPConnection] = []

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

  /// Sends what a connection has written, once the loop has handled what else it found ready; of the only one, at once.
  ///
  /// Each response wakes a client that is asleep. Sent together, the responses to many requests of one program wake
  /// it once, which spares the system much of its part.
  func flushSoon(_ connection: HTTPConnection, on loop: any EventLoop) {
    // There is nothing to gather then, and the loop need not come back for it.
    guard open.count > 1 else { return connection.flush() }
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
