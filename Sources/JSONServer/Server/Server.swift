import HTTPTypes
import JSONDatabase
public import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers

/// A server of one database, for a terminal, a test or another program.
///
/// You may call all members from any thread. The event loop that owns the data handles one request after the other, so
/// a reader never sees half of a change.
///
/// A server serves, and keeps its file locked, until you call ``stop(grace:)``; releasing it does not stop it.
public final class Server: Sendable {
  /// The version of the server.
  public static let version = "1.0.0"

  /// The engine of the server itself.
  let root: Engine
  /// The session of this server; `nil` for the server itself.
  private let session: SessionName?
  /// The engine of this session after ``stop(grace:)``.
  private let ended = NIOLockedValueBox<Engine?>(nil)
  package let configuration: Configuration
  /// The certificate and the key; `nil` for plain HTTP.
  private let security: TransportSecurity?
  /// The sockets; `nil` when the server does not listen.
  private let listener: NIOLockedValueBox<HTTPListener?>

  private init(
    _ engine: Engine, _ configuration: Configuration, _ security: TransportSecurity?
  ) {
    root = engine
    session = nil
    listener = NIOLockedValueBox(nil)
    self.configuration = configuration
    self.security = security
  }

  /// Creates a session's view of a server.
  private init(_ session: SessionName, of server: Server) {
    root = server.root
    self.session = session
    listener = server.listener
    configuration = server.configuration
    security = server.security
  }

  /// The engine of this server or session.
  var engine: Engine {
    get async {
      guard let session else { return root }
      if let ended = ended.withLockedValue({ $0 }) { return ended }
      return await root.run { $0.sessions.enter(session, on: $0) }
    }
  }

  /// Returns a session: a copy of the server's initial data, with a journal, routes, faults, stubs, snapshots and settings of
  /// its own.
  ///
  /// The session begins with its first use. With ``Configuration/hasSessions``, requests use the session when they name
  /// it in `X-JSON-Server-Session`, or begin with its ``url``.
  ///
  /// - Parameter name: The session's name, up to 64 letters, digits and `-._~`; any other text is converted to such a
  ///   name.
  public func session(_ name: String) -> Server {
    Server(SessionName(cleaning: name), of: self)
  }

  /// Expires all access tokens immediately; refresh tokens stay valid. Does nothing without sign-in.
  public func expireTokens() async {
    await result(orWarning: "The tokens have not expired") {
      let now = $0.now
      $0.changeState({ Tokens.expire(now: now, in: &$0) }, then: $1)
    }
  }

  /// Reads the source, and returns a server that does not listen yet: ``respond(to:)`` works.
  ///
  /// Returns when the source is read, at about 1 GB/s. The caller must ``stop(grace:)`` the server, which closes its
  /// files.
  ///
  /// - Throws: ``ServerError`` that names the invalid file, line or option.
  public static func load(_ configuration: Configuration) async throws(ServerError) -> Server {
    var bounded = configuration
    bounded.limits = configuration.limits.bounded
    let configuration = try bounded.namingSchema().readingContract()
    // Errors of the configuration are found before the file is locked.
    try configuration.check()
    let policies = HTTPPolicies(configuration)
    let routes = try Routes(configuration)
    let security = try configuration.security()
    let stubs = try configuration.openStubs()
    let loop = EventLoopExecutor()
    let mailbox = EditMailbox()
    let length = configuration.dialect == .v1 ? 11 : 7
    let ids = IDGenerator.urlSafe(length: length, random: configuration.random)
    let parser = SourceParser(schema: configuration.schema, ids: ids, onRead: configuration.onRead)
    let source = try await configuration.open(parser, on: loop) { mailbox.deliver($0) }
    do throws(ServerError) {
      try configuration.checkContract(source.database)
      try configuration.signIn?.check(source.database, listed: routes.guards)
    } catch {
      source.store?.close()
      throw error
    }
    let engine = Engine(configuration, source, policies: policies, routes: routes, stubs: stubs, ids: ids, loop: loop)
    mailbox.connect { edit in
      engine.execute { $0.writes.receive(edit, on: $0) }
    }
    engine.execute { engine in
      engine.follow(engine.writes.state.keys)
      engine.readAhead()
    }
    for warning in source.warnings + configuration.warnings(about: source.database) + configuration.contractWarnings {
      configuration.onEvent(.warning(warning.respelled(configuration.spellings)))
    }
    return Server(engine, configuration, security)
  }

  /// Reads the source, and listens until you call ``stop(grace:)``.
  ///
  /// - Throws: ``ServerError`` that names the invalid file, line, option or address.
  public static func start(_ configuration: Configuration) async throws(ServerError) -> Server {
    let server = try await load(configuration)
    do throws(ServerError) {
      try await server.listen()
    } catch {
      await server.stop()
      throw error
    }
    return server
  }

  private func listen() async throws(ServerError) {
    do throws(ListenError) {
      let started = try await HTTPListener.start(
        on: configuration.addresses, loop: root.loop, limits: configuration.limits, application: root,
        security: security
      ) { [onEvent = configuration.onEvent] maximum in
        onEvent(
          .warning(
            "All \(maximum) connections are in use; until some close, requests of new ones get a 503, except those to /__admin."
          ))
      }
      listener.withLockedValue { $0 = started }
    } catch {
      let code: ServerError.Code = error.code == .portInUse ? .portInUse : .cannotListen
      throw ServerError(code, error.message)
    }
  }

  /// The bound addresses, as they are written in a URL: `127.0.0.1:3000`.
  public var addresses: [String] { boundAddresses.map(\.description) }

  private var boundAddresses: [BindAddress] { listener.withLockedValue { $0?.boundAddresses ?? [] } }

  /// The port; 0 when the server does not listen.
  public var port: Int { boundAddresses.first?.port ?? 0 }

  /// The address of the server, such as `http://127.0.0.1:3000`; empty when it does not listen.
  ///
  /// With HTTPS, the address of this machine is written as `localhost`, the usual name in certificates.
  public var url: String {
    guard var address = boundAddresses.first else { return "" }
    let path = session == nil ? "" : configuration.mountPath + sessionPath
    guard security != nil else { return "http://\(address)\(path)" }
    if address.host == "127.0.0.1" { address.host = "localhost" }
    return "https://\(address)\(path)"
  }

  /// What comes after the server's address in a session's: `/__session/NAME`; empty for the server itself.
  package var sessionPath: String { session.map { "/\(SessionName.root)/\($0.text)" } ?? "" }

  /// Responds to a request without a socket, in the same way, except that a head may have any size.
  public func respond(to request: Request) async -> Response {
    let engine = await engine
    var request = request
    // A request of the process itself was not sent to another host.
    if request.headerFields[.host] == nil { request.headerFields[.host] = "localhost" }
    var refusal: RequestError?
    do throws(RequestError) {
      try request.unpackBody(limits: configuration.limits)
    } catch {
      refusal = error
    }
    let (addressed, error) = (request, refusal)
    // A request that waits in a hold, or for a calculation, ends when the task is canceled. Used on the event loop only.
    let waiting = NIOLockedValueBox<(isCanceled: Bool, end: (@Sendable () -> Void)?)>((false, nil))
    let prepared: PreparedResponse = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        engine.loop.execute {
          if let error { return engine.refuse(addressed, with: error) { continuation.resume(returning: $0) } }
          engine.respond(to: addressed) { progress in
            switch progress {
            case .tookEffect: break
            case .held(let end), .calculating(let end):
              waiting.withLockedValue { $0.end = end }
              if waiting.withLockedValue(\.isCanceled) { end() }
            }
          } reply: {
            continuation.resume(returning: $0)
          }
        }
      }
    } onCancel: {
      engine.loop.execute {
        waiting.withLockedValue { $0.isCanceled = true }
        waiting.withLockedValue(\.end)?()
      }
    }
    let response = prepared.response
    return request.method == .head ? response.head : response
  }

  /// Responds to a request that is not in the journal, and meets no stub, fault or hold, as those of the page at `/`.
  package func respondUnseen(
    _ method: HTTPRequest.Method, _ path: String, body: JSONValue?, headers: KeyValuePairs<String, String>
  ) async -> Response {
    var fields = HTTPFields()
    for (name, value) in headers { fields[name] = value }
    fields[.page] = "sent"
    if body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    return await respond(
      to: Request(
        method: method, target: configuration.mountPath + (path.hasPrefix("/") ? "" : "/") + path, headerFields: fields,
        body: body?.utf8Text(.compact) ?? []))
  }

  /// The resources, in the file's order.
  public var resources: [ResourceDescription] {
    get async { await engine.database.resources }
  }

  /// Sets other rewrite rules: for a server also in its sessions, for a session only there.
  ///
  /// - Throws: ``ServerError`` for the first invalid rule; the old rules stay then.
  public func setRoutes(_ rules: JSONObject) async throws(ServerError) {
    try await engine.setRoutes(rules)
  }

  /// Reads the files of ``Configuration/tlsIdentity`` again, for new connections. Does nothing without HTTPS.
  ///
  /// - Throws: ``ServerError`` that names the invalid file; the old certificate stays in use.
  public func reloadCertificate() throws(ServerError) {
    try security?.reload()
  }

  /// Finishes the requests in progress, saves their writes, and closes sockets and files. For a session, ends only the
  /// session, whose data and journal this object still shows.
  ///
  /// - Parameter grace: How long the requests may take.
  public func stop(grace: Duration = .seconds(5)) async {
    if let session {
      guard ended.withLockedValue({ $0 }) == nil else { return }
      let engine = await engine
      ended.withLockedValue { $0 = engine }
      return await root.run { $0.sessions.remove(session.text) }
    }
    await root.releaseDelayed()
    let listener = listener.withLockedValue { listener in
      defer { listener = nil }
      return listener
    }
    await listener?.shutdown(grace: grace)
    await root.close()
  }
}
