import NIOCore
import NIOPosix

/// The sockets of a server: listens on its addresses, and serves each client on the server's event loop.
package struct HTTPListener: Sendable {
  /// The bound addresses, with the ports that the system chose.
  package let boundAddresses: [BindAddress]

  private let connections: NIOLoopBound<Connections>

  /// Listens on all addresses, or on none.
  ///
  /// Addresses with port 0 get the same port, which the system chooses for the first of them. An optional address that
  /// the machine lacks is skipped when another address is bound.
  ///
  /// - Parameters:
  ///   - security: The encryption of connections; `nil` for plain HTTP.
  ///   - onCrowd: Called with the maximum when the number of connections exceeds it for the first time.
  /// - Throws: ``ListenError`` for the first address that cannot be bound.
  package static func start(
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
        return HTTPListener(boundAddresses: try await bind(addresses, connections), connections: connections)
      } catch  where error.code == .portInUse && addresses.contains(where: { $0.port == 0 }) && attempt < 9 {
        // The port was free on the first address, but is taken on another.
        attempt += 1
      }
    }
  }

  /// Accepts no further connections, finishes the requests in progress, and closes all connections.
  ///
  /// - Parameter grace: How long the requests may take before their connections are closed.
  package func shutdown(grace: Duration) async {
    let connections = connections
    let finished = connections.eventLoop.makePromise(of: Void.self)
    let force = connections.eventLoop.scheduleTask(in: TimeAmount(grace)) { connections.value.closeAll() }
    connections.eventLoop.execute { connections.value.shutDown(promise: finished) }
    // The promise never fails.
    try? await finished.futureResult.get()
    force.cancel()
  }

  // MARK: Binding

  /// The number of connections that the system queues while the server does not accept.
  private static let backlog: CInt = 1024

  private static func bind(
    _ addresses: [BindAddress], _ connections: NIOLoopBound<Connections>
  ) async throws(ListenError) -> [BindAddress] {
    var bound: [BindAddress] = []
    var missing: ListenError?
    for var address in addresses {
      if address.port == 0, let first = bound.first { address.port = first.port }
      do throws(ListenError) {
        bound.append(try await bind(address, connections))
      } catch {
        missing = error
        if address.isOptional, error.code == .unknownHost { continue }
        // Closing never fails.
        try? await connections.eventLoop.submit { connections.value.stopListening() }.get()
        throw error
      }
    }
    if bound.isEmpty, let missing { throw missing }
    return bound
  }

  private static func bind(
    _ address: BindAddress, _ connections: NIOLoopBound<Connections>
  ) async throws(ListenError) -> BindAddress {
    let socketAddress: SocketAddress
    do {
      // The resolver blocks, so it runs on a thread of its own.
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
      return BindAddress(host: local?.ipAddress ?? address.host, port: local?.port ?? address.port)
    } catch {
      throw ListenError(binding: address, errorNumber: (error as? IOError)?.errnoCode, cause: error)
    }
  }

  /// Whether another program accepts connections on an address.
  ///
  /// Apple's systems bind 127.0.0.1:3000 although another program listens on *:3000. That program would then get no
  /// more clients of this machine, or only those that use another name.
  private static func isServed(_ address: SocketAddress, by loop: any EventLoop) async -> Bool {
    let client = ClientBootstrap(group: loop).connectTimeout(.milliseconds(200))
    guard let channel = try? await client.connect(to: address).get() else { return false }
    // The system may choose this port for the client's end, too, and connect the socket with itself.
    let isServed = channel.localAddress != channel.remoteAddress
    try? await channel.close().get()
    return isServed
  }

  private static func bootstrap(_ connections: NIOLoopBound<Connections>) -> ServerBootstrap {
    ServerBootstrap(group: connections.eventLoop)
      .serverChannelOption(.backlog, value: backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Accept one connection at a time, to stop exactly at the last allowed one.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(connections.value))
          connections.value.insert(listening: channel)
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.autoRead, value: false)
      // With one piece, this is how much of a stream the server holds for a client that does not read.
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 32 * 1024))
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(HTTPConnection.handlers(connections.value))
        }
      }
  }
}

/// Pauses accepting after an error, as when no more files may be open: the connection still waits, so the channel would
/// try again at once, all the time.
final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let connections: Connections

  init(_ connections: Connections) {
    self.connections = connections
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is IOError else { return context.fireErrorCaught(error) }
    connections.pauseAccepting(on: context.eventLoop)
  }
}

/// An address to listen on: a name or an IP address, and a port.
package struct BindAddress: Sendable, Hashable, CustomStringConvertible {
  /// A host name, or an IP address without brackets.
  package var host: String
  /// The port; 0 lets the system choose.
  package var port: Int
  /// Whether the server starts without this address when the machine lacks it.
  package var isOptional = false

  package init(host: String, port: Int, isOptional: Bool = false) {
    self.host = host
    self.port = port
    self.isOptional = isOptional
  }

  /// Both loopback addresses, since a client may try either of them for `localhost`.
  package static func loopback(port: Int) -> [BindAddress] {
    [BindAddress(host: "127.0.0.1", port: port), BindAddress(host: "::1", port: port, isOptional: true)]
  }

  /// The address as it is written in a URL.
  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// The reason why a server cannot listen.
package struct ListenError: Error, CustomStringConvertible {
  package enum Code: Sendable, Hashable {
    case portInUse
    case permissionDenied
    case unknownHost
    case other
  }

  package let code: Code
  /// The error and what to do, with the address.
  package let message: String
  /// The error of the system.
  let cause: any Error

  package var description: String { message }
}

/// Responds to the requests that a transport reads.
package protocol Application: Sendable {
  /// Whether a request is for the admin interface, which remains reachable when there are too many connections.
  ///
  /// Called on the server's event loop.
  func isAdministrative(_ request: Request) -> Bool

  /// Responds to one request.
  ///
  /// Called on the server's event loop, and must not block it. The requests of one connection begin and take effect in
  /// their order: no request begins before an earlier unsafe request (RFC 9110, section 9.2.1) has taken effect, and an
  /// unsafe request begins after all earlier requests have taken effect (RFC 9112, section 9.3.2). Safe requests may
  /// run at the same time.
  ///
  /// - Parameters:
  ///   - request: The complete request.
  ///   - progress: Reports on the request before its response; called on the event loop, if at all.
  ///   - reply: Sends the response; called once, immediately or later, on the event loop. The transport sends the
  ///     responses of one connection in the order of its requests.
  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping Reply)

  /// Responds to a request that the transport refuses, with an error.
  ///
  /// Called on the server's event loop.
  ///
  /// - Parameter request: The part of the request that was read, within the limits.
  func refuse(_ request: Request, with error: RequestError, reply: @escaping Reply)
}

/// Sends the response to a request.
package typealias Reply = @Sendable (consuming PreparedResponse) -> Void

/// A report on a request before its response.
package enum RequestProgress: Sendable {
  /// The request has read or changed all data that it will ever read or change. The response implies this.
  case tookEffect
  /// The request waits, perhaps for long. The closure is called on the event loop if the client disconnects, or closes
  /// its side of the connection, before the response.
  case held(onDisconnect: @Sendable () -> Void)
  /// The response is being calculated. The closure is called on the event loop if the connection ends before the
  /// response.
  case calculating(onEnd: @Sendable () -> Void)
}

/// The state that the connections of one listener share; used only on the listener's event loop.
final class Connections {
  /// The largest number of connections whose responses are gathered before they are sent.
  static let maximumUnflushed = 32
  /// The shortest time between two turns. NIO looks for input only when no work is due; after less time, the next turn could be
  /// due at once.
  private static let shortestPause = TimeAmount.microseconds(20)

  let limits: Limits
  let application: any Application
  /// The encryption of connections; `nil` for plain HTTP.
  let security: TransportSecurity?
  // Accessed without run-time checks, as the members of a connection.
  @exclusivity(unchecked) var writer = ResponseWriter()
  @exclusivity(unchecked) var buffers = BufferPool(maximum: Connections.maximumUnflushed)

  /// Whether the server accepts no further requests.
  var isShuttingDown: Bool { emptied != nil }

  /// The number of connections beyond the maximum that are accepted for the admin interface.
  static let reserved = 16

  private let maximum: Int
  private let onCrowd: @Sendable (Int) -> Void
  private var wasCrowded = false
  @exclusivity(unchecked) private var open: [ObjectIdentifier: HTTPConnection] = [:]
  /// The channels that accept connections.
  private var listening: [any Channel] = []
  /// Whether they do; otherwise the system queues further connections.
  private var isAccepting = true
  /// Whether accepting has just failed.
  private var isPaused = false
  /// Succeeds when a server that is stopping has no connection any more.
  private var emptied: EventLoopPromise<Void>?
  /// The connections that have slices to send, in the order of their turns.
  private var slicing = CircularBuffer<HTTPConnection>()
  /// The connections with unsent responses.
  @exclusivity(unchecked) private var unflushed: [HTTPConnection] = []

  /// - Parameter onCrowd: Called with the maximum when the number of connections exceeds it for the first time.
  init(
    limits: Limits, application: any Application, security: TransportSecurity? = nil,
    onCrowd: @escaping @Sendable (_ maximum: Int) -> Void = { _ in }
  ) {
    self.onCrowd = onCrowd
    self.limits = limits
    self.application = application
    self.security = security
    maximum = Self.maximum(limits, openFiles: System.openFileLimit, used: System.lowestFreeDescriptor)
  }

  /// The largest number of connections that a process may have.
  ///
  /// - Parameters:
  ///   - openFiles: The number of files, including connections, that it may have open.
  ///   - used: The number of files that are open already; each file of a directory of data takes some.
  static func maximum(_ limits: Limits, openFiles: Int, used: Int) -> Int {
    // The remaining files are for the reserved connections, and for what is open for a moment.
    max(1, min(limits.maximumConnections, openFiles - max(64, used + 40)))
  }

  /// Whether there are more connections than the maximum; the additional ones may only use the admin interface.
  var isCrowded: Bool { open.count > maximum }

  func insert(_ connection: HTTPConnection) {
    open[ObjectIdentifier(connection)] = connection
    updateAccepting()
    guard isCrowded, !wasCrowded else { return }
    wasCrowded = true
    onCrowd(maximum)
  }

  func remove(_ connection: HTTPConnection) {
    guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    updateAccepting()
    if open.isEmpty { emptied?.succeed() }
  }

  /// Sends the responses of a connection after the event loop has handled its other input; immediately when there is
  /// only one connection.
  ///
  /// Each response wakes a sleeping client. When one program has many connections, sending all responses together wakes
  /// it once, which saves the system much work.
  func flushSoon(_ connection: HTTPConnection, on loop: any EventLoop) {
    // Nothing to gather then, and the event loop need not come back.
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

  /// Has a connection send its next slices when its turn comes; one connection after the other has a turn, and all others are
  /// looked after in between.
  func sendSlicesSoon(of connection: HTTPConnection, on loop: any EventLoop) {
    slicing.append(connection)
    if slicing.count == 1 { scheduleSlices(after: Self.shortestPause, on: loop) }
  }

  private func scheduleSlices(after pause: TimeAmount, on loop: any EventLoop) {
    let connections = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: pause) {
      let connections = connections.value
      let start = NIODeadline.now()
      connections.slicing.first?.sendSlices()
      connections.slicing.removeFirst()
      guard !connections.slicing.isEmpty else { return }
      // Where a turn takes long, as in a debug build, so does the way back to NIO.
      let pause = TimeAmount.nanoseconds((NIODeadline.now() - start).nanoseconds / 16)
      connections.scheduleSlices(after: max(pause, Self.shortestPause), on: loop)
    }
  }

  func insert(listening channel: any Channel) {
    listening.append(channel)
  }

  /// Accepts no further connections.
  func stopListening() {
    for channel in listening { channel.close(promise: nil) }
    listening = []
  }

  /// Accepts no connection for a tenth of a second.
  func pauseAccepting(on loop: any EventLoop) {
    guard !isPaused else { return }
    isPaused = true
    updateAccepting()
    let connections = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .milliseconds(100)) {
      connections.value.isPaused = false
      connections.value.updateAccepting()
    }
  }

  /// Accepts no connection while the server has its maximum, or is paused.
  private func updateAccepting() {
    let mayAccept = open.count < maximum + Self.reserved && !isPaused
    guard isAccepting != mayAccept else { return }
    isAccepting = mayAccept
    for channel in listening { _ = channel.setOption(.autoRead, value: isAccepting) }
  }

  /// Accepts no further connections, and has each connection finish the requests in progress, and close.
  ///
  /// - Parameter promise: Succeeds when all connections are closed.
  func shutDown(promise: EventLoopPromise<Void>) {
    stopListening()
    if let emptied { return emptied.futureResult.cascade(to: promise) }
    emptied = promise
    for connection in open.values { connection.shutDown() }
    if open.isEmpty { promise.succeed() }
  }

  /// Closes all connections immediately.
  func closeAll() {
    for connection in open.values { connection.closeNow() }
  }
}
