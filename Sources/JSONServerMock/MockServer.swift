public import JSONServer
public import JSONServerValues
import NIOConcurrencyHelpers
import Synchronization

/// A server for a test, a preview or an app that a UI test launches, with its own data and its own journal of requests.
///
/// A test gets a server from JSONServerTesting's trait `.jsonServer(…)` or function `withJSONServer`, which stop it. For
/// `setUp` and `tearDown`, previews and UI tests, start one with
/// ``start(_:pathPrefix:unexpectedRequests:auth:listens:sourcePath:configure:)-(MockData,_,_,_,_,_,_)``.
public final class MockServer: Sendable {
  /// The server of the library JSONServer, with further functions.
  public let server: Server

  /// The address for the client under test, such as `http://localhost:49152`.
  ///
  /// A server that does not listen has an address for sessions of `URLSessionConfiguration.jsonServer(_:)`.
  public let url: URL

  /// The rules and expectations of the test.
  package let ledger = Ledger()

  /// The number of the server in the process, from 1.
  let number: Int

  /// The sessions that the test has asked for, by their names.
  private let knownSessions = NIOLockedValueBox<[String: MockServer]>([:])

  /// The server of the running test.
  @TaskLocal package static var running: MockServer?

  private static let lastNumber = Atomic(0)

  /// Whether the server has a turn to listen.
  private let hasTurn = Atomic(false)

  /// A server for tests; `nil` when its address is none that `URL` takes and there is no other, as for a host with a zone.
  ///
  /// - Parameter mountPath: The path under which the server is mounted.
  init?(_ server: Server, mountPath: String, otherwise other: URL? = nil) {
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let address =
      server.url.isEmpty
      ? "http://json-server-\(number).localhost"
      : server.url.replacing("http://127.0.0.1:", with: "http://\(LocalAddress.name):")
    guard let url = URL(string: address + mountPath) ?? other else { return nil }
    self.server = server
    self.url = url
    loadURLs(true)
  }

  /// Starts a server that runs until ``stop()`` is called.
  ///
  /// ```swift
  /// let server = try await MockServer.start(["bookmarks": []])
  /// app.launchEnvironment.merge(server.environment) { $1 }
  /// ```
  ///
  /// - Parameters:
  ///   - data: The data at the start; never written back.
  ///   - pathPrefix: The path under which everything is served, such as `/api/v1`; ``url`` has it, too.
  ///   - unexpectedRequests: Whether requests without a resource or stub get a 404, or are issues.
  ///   - auth: The collection of the users who sign in; `nil` for no sign-in.
  ///   - listens: Whether the server has a socket, on a free port of localhost; without one it serves sessions of
  ///     `URLSessionConfiguration.jsonServer(_:)`.
  ///   - sourcePath: The source file of the call, to which the path of a data file is relative.
  ///   - configure: Changes other members of the configuration.
  /// - Throws: ``MockServerError`` or `ServerError` when the server does not start.
  public static func start(
    _ data: MockData = [:], pathPrefix: String = "", unexpectedRequests: UnexpectedRequests = .allow,
    auth: String? = nil, listens: Bool = true, sourcePath: String = #filePath,
    configure: (inout Server.Configuration) throws -> Void = { _ in }
  ) async throws -> MockServer {
    try await start(
      try Server.Configuration.mock(
        data, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth, sourcePath: sourcePath,
        configure: configure),
      listens: listens)
  }

  /// Starts a server that has JSON as its data, and runs until ``stop()`` is called.
  @_disfavoredOverload
  public static func start(
    _ data: JSONValue, pathPrefix: String = "", unexpectedRequests: UnexpectedRequests = .allow,
    auth: String? = nil, listens: Bool = true, configure: (inout Server.Configuration) throws -> Void = { _ in }
  ) async throws -> MockServer {
    try await start(
      .json(data), pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth, listens: listens,
      configure: configure)
  }

  package static func start(_ configuration: Server.Configuration, listens: Bool) async throws -> MockServer {
    if listens { await ListeningTurns.shared.take(isNested: running != nil) }
    do {
      let server = listens ? try await Server.start(configuration) : try await Server.load(configuration)
      guard let started = MockServer(server, mountPath: configuration.mountPath) else {
        await server.stop(grace: .zero)
        throw MockServerError(
          "'\(server.url)' is no address that a client can be given; use another host.")
      }
      started.hasTurn.store(listens, ordering: .relaxed)
      return started
    } catch {
      if listens { await ListeningTurns.shared.pass() }
      throw error
    }
  }

  /// Closes the socket without waiting for clients, and releases held requests.
  public func stop() async {
    for session in sessions { session.loadURLs(false) }
    loadURLs(false)
    await server.stop(grace: .zero)
    if hasTurn.exchange(false, ordering: .relaxed) { await ListeningTurns.shared.pass() }
  }

  /// The sessions that the test has asked for, by their names.
  package var sessions: [MockServer] {
    knownSessions.withLockedValue { $0.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Returns a client's own copy of this server: its data at start, its own faults, stubs and requests.
  ///
  /// ```swift
  /// let first = server.session("first")
  /// app.launchEnvironment = first.environment
  /// ```
  ///
  /// The session ends with the test. The same name returns the same session.
  ///
  /// - Parameter name: The session's name.
  public func session(_ name: String) -> MockServer {
    knownSessions.withLockedValue { sessions in
      if let known = sessions[name] { return known }
      let mountPath = server.url.isEmpty ? url.path() : ""
      // The first is never nil: it has an address to fall back on.
      let session = MockServer(server.session(name), mountPath: mountPath, otherwise: url) ?? self
      sessions[name] = session
      return session
    }
  }

  /// The environment for an app that a test launches, for `XCUIApplication.launchEnvironment`: `JSON_SERVER_URL`.
  public var environment: [String: String] {
    ["JSON_SERVER_URL": url.absoluteString]
  }
}
