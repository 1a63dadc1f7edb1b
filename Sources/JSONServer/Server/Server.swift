import HTTPTypes
import JSONDatabase
import NIOConcurrencyHelpers
public import OrderedJSON

/// A server of one database, for a terminal, a test or an embedder.
///
/// All members may be called from any thread. Requests are handled one after the other on the event loop that owns the
/// data, so that a reader sees whole versions.
///
/// A server serves, and keeps its file locked, until ``stop(grace:)`` is called; releasing it ends nothing.
public final class Server: Sendable {
  /// The version of the server.
  public static let version = "1.0.0"

  let engine: Engine
  private let configuration: Configuration
  /// What connections are encrypted with; `nil` for plain HTTP.
  private let security: TransportSecurity?
  private let listening = ListeningState()

  private init(_ engine: Engine, _ configuration: Configuration, _ security: TransportSecurity?) {
    self.engine = engine
    self.configuration = configuration
    self.security = security
  }

  /// Reads the source and makes a server of it that does not listen yet: ``respond(to:)`` works.
  ///
  /// Returns when the source is read: about 1 GB/s. The caller has to ``stop(grace:)`` the server, which closes
  /// its files.
  ///
  /// - Throws: ``ServerError`` that names the file, the line or the option that is at fault.
  public static func load(_ configuration: Configuration) async throws(ServerError) -> Server {
    // What is wrong with the configuration is found before the file is locked.
    let policies = try HTTPPolicies(configuration)
    let security = try configuration.security()
    let loop = EventLoopExecutor()
    let mailbox = EditMailbox()
    let length = configuration.dialect == .v1 ? 11 : 7
    let ids = IDGenerator.urlSafe(length: length, random: configuration.random)
    let parser = SourceParser(schema: configuration.schema, ids: ids)
    let source = try await configuration.open(parser, on: loop) { mailbox.deliver($0) }
    do throws(ServerError) {
      try configuration.signIn?.check(source.database)
    } catch {
      source.persistence?.close()
      throw error
    }
    let engine = Engine(configuration, source, policies: policies, ids: ids, loop: loop)
    mailbox.connect { edit in
      loop.execute { engine.assumeIsolated { $0.writes.receive(edit, on: $0) } }
    }
    for warning in source.warnings { configuration.onEvent(.warning(warning)) }
    return Server(engine, configuration, security)
  }

  /// Reads the source and listens until ``stop(grace:)`` is called.
  ///
  /// - Throws: ``ServerError`` that names the file, the line, the option or the address that is at fault.
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
      let listener = try await HTTPListener.start(
        on: configuration.addresses, loop: engine.loop, limits: configuration.limits, application: engine,
        security: security)
      listening.set(listener)
    } catch {
      let code: ServerError.Code = error.code == .portInUse ? .portInUse : .cannotListen
      throw ServerError(code, error.message)
    }
  }

  /// The addresses really listened on, as they are written in a URL: `127.0.0.1:3000`.
  public var addresses: [String] { listening.addresses.map(\.description) }

  /// The port listened on; 0 when the server does not listen.
  public var port: Int { listening.addresses.first?.port ?? 0 }

  /// The address to reach the server at, such as `http://127.0.0.1:3000`; empty when it does not listen.
  ///
  /// With HTTPS, the address of this machine is written as `localhost`, the name that certificates are made for.
  public var url: String {
    guard var address = listening.addresses.first else { return "" }
    guard security != nil else { return "http://\(address)" }
    if address.host == "127.0.0.1" { address.host = "localhost" }
    return "https://\(address)"
  }

  /// Responds to a request without a socket, as over one.
  public func respond(to request: Request) async -> Response {
    let engine = engine
    var request = request
    // A request from the process itself was not sent to another host.
    if request.headerFields[.host] == nil { request.headerFields[.host] = "localhost" }
    let addressed = request
    let response = await withCheckedContinuation { continuation in
      engine.loop.execute { engine.respond(to: addressed, proceed: {}) { continuation.resume(returning: $0.response) } }
    }
    return request.method == .head ? response.head : response
  }

  /// The resources, in the file's order.
  public var resources: [ResourceDescription] {
    get async { await engine.resources }
  }

  /// Rewrites the targets of requests by other rules from now on.
  ///
  /// - Throws: ``ServerError`` for the first rule that cannot be used; the rules before stay in force.
  public func setRoutes(_ rules: JSONObject) async throws(ServerError) {
    try await engine.setRoutes(rules)
  }

  /// Reads the files of ``Configuration/tlsIdentity`` again: connections that are made from now on get the certificate
  /// that stands there. Does nothing without HTTPS.
  ///
  /// - Throws: ``ServerError`` that names the file that cannot be used; the certificate before stays in use.
  public func reloadCertificate() throws(ServerError) {
    try security?.reload()
  }

  /// Finishes the requests in progress, saves what they wrote, and closes sockets and files.
  ///
  /// - Parameter grace: How long the requests may take.
  public func stop(grace: Duration = .seconds(5)) async {
    await engine.releaseDelayed()
    await listening.take()?.shutdown(grace: grace)
    await engine.close()
  }
}

/// The sockets of a server, once it listens.
final class ListeningState: Sendable {
  private let listener = NIOLockedValueBox<HTTPListener?>(nil)

  func set(_ listener: HTTPListener) {
    self.listener.withLockedValue { $0 = listener }
  }

  /// Takes the sockets out, to close them.
  func take() -> HTTPListener? {
    listener.withLockedValue { listener in
      defer { listener = nil }
      return listener
    }
  }

  var addresses: [BindAddress] {
    listener.withLockedValue { $0?.boundAddresses ?? [] }
  }
}
