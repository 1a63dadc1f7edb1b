public import JSONServer
public import JSONServerValues
import NIOConcurrencyHelpers
import Synchronization

/// A server for a test, a preview or an app that a UI test launches, with its own data and its own journal of requests.
///
/// A test gets a server from JSONServerTesting's trait `.jsonServer(…)` or function `withJSONServer`, which stop it. For
/// `setUp` and `tearDown`, previews and UI tests, start one with
/// ``start(_:openAPI:recording:pathPrefix:unexpectedRequests:auth:listens:sourcePath:configure:)-(MockData,_,_,_,_,_,_,_,_)``.
public final class MockServer: Sendable {
  /// The server of the library JSONServer, with further functions.
  public let server: Server

  /// The address for the client under test, such as `http://localhost:49152`.
  ///
  /// A server that does not listen has an address for sessions of `URLSessionConfiguration.jsonServer(_:)`.
  public let url: URL

  /// The rules and expectations of the test.
  package let ledger: Ledger

  /// The number of the server in the process, from 1.
  let number: Int

  /// The address of the server, also for its sessions.
  private let base: URL

  /// The sessions that the test has asked for, also those that ended.
  private let knownSessions = NIOLockedValueBox<[MockServer]>([])

  /// Whether ``stop()`` was not called yet.
  private let runs: Synchronization.Atomic<Bool>

  /// The server of the running test.
  @TaskLocal package static var running: MockServer?

  private static let lastNumber = Atomic(0)

  /// Whether the server has a turn to listen.
  private let hasTurn = Atomic(false)

  /// - Parameter base: The address of the server, also for its sessions.
  private init(_ server: Server, number: Int, below base: URL, _ ledger: Ledger = Ledger(), runs: Bool = true) {
    self.server = server
    self.number = number
    self.base = base
    self.ledger = ledger
    self.runs = Synchronization.Atomic(runs)
    url = server.sessionPath.isEmpty ? base : base.appending(path: server.sessionPath)
    loadURLs(runs)
  }

  private static func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Starts a server that runs until ``stop()`` is called.
  ///
  /// ```swift
  /// let server = try await MockServer.start(["bookmarks": []])
  /// app.launchEnvironment.merge(server.environment) { $1 }
  /// ```
  ///
  /// - Parameters:
  ///   - data: The data at the start; never written back.
  ///   - openAPI: The path of an OpenAPI document, which says what the server's paths do; a request for another path is
  ///     unexpected. `nil` for none.
  ///   - recording: The path of recorded responses, as `--record` or a browser (HAR) writes them; a request that neither the
  ///     data nor the recording responds to is unexpected. `nil` for none.
  ///   - pathPrefix: The path under which everything is served, such as `/api/v1`; ``url`` has it, too.
  ///   - unexpectedRequests: Whether requests without a resource or stub get a 404, or are issues.
  ///   - auth: The collection of the users who sign in; `nil` for no sign-in.
  ///   - listens: Whether the server has a socket, on a free port of localhost; without one it serves sessions of
  ///     `URLSessionConfiguration.jsonServer(_:)`.
  ///   - sourcePath: The source file of the call, to which the path of a data file is relative.
  ///   - configure: Changes other members of the configuration.
  /// - Throws: ``MockServerError`` or `ServerError` when the server does not start.
  public static func start(
    _ data: MockData = [:], openAPI: String? = nil, recording: String? = nil, pathPrefix: String = "",
    unexpectedRequests: UnexpectedRequests = .allow,
    auth: String? = nil, listens: Bool = true, sourcePath: String = #filePath,
    configure: (inout Server.Configuration) throws -> Void = { _ in }
  ) async throws -> MockServer {
    try await start(
      try Server.Configuration.mock(
        data, openAPI: openAPI, recording: recording, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests,
        auth: auth, sourcePath: sourcePath, configure: configure),
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
      let number = nextNumber()
      let address =
        server.url.isEmpty
        ? "http://json-server-\(number).localhost"
        : server.url.replacing("http://127.0.0.1:", with: "http://\(LocalAddress.name):")
      guard let url = URL(string: address + configuration.mountPath) else {
        // Such as the address of a host with a zone.
        await server.stop(grace: .zero)
        throw MockServerError(
          "Clients cannot use the address '\(server.url)'; use another host.")
      }
      let started = MockServer(server, number: number, below: url)
      started.hasTurn.store(listens, ordering: .relaxed)
      return started
    } catch {
      if listens { await ListeningTurns.shared.pass() }
      throw error
    }
  }

  /// Closes the socket without waiting for clients, and releases held requests. The requests and the data can still be read.
  public func stop() async {
    runs.store(false, ordering: .relaxed)
    loadURLs(false)
    for session in sessions { await session.stop() }
    await server.stop(grace: .zero)
    if hasTurn.exchange(false, ordering: .relaxed) { await ListeningTurns.shared.pass() }
  }

  /// Whether ``stop()`` was not called yet.
  package var isRunning: Bool { runs.load(ordering: .relaxed) }

  /// The sessions that the test has asked for, also those that ended.
  package var sessions: [MockServer] { knownSessions.withLockedValue { $0 } }

  /// Returns a client's own copy of this server: its data at start, its own faults, stubs and requests.
  ///
  /// ```swift
  /// let first = server.session("first")
  /// app.launchEnvironment = first.environment
  /// ```
  ///
  /// The session ends with the test. The same name returns the same session, or a new one after ``stop()``.
  ///
  /// - Parameter name: The session's name, up to 64 letters, digits and `-._~`; any other text is converted to such a name, the
  ///   same for the same text.
  public func session(_ name: String) -> MockServer {
    let session = server.session(name)
    return knownSessions.withLockedValue { [isRunning] sessions in
      let known = sessions.last { $0.server.sessionPath == session.sessionPath && ($0.isRunning || !isRunning) }
      if let known { return known }
      let new = MockServer(session, number: Self.nextNumber(), below: base, Ledger(of: ledger), runs: isRunning)
      sessions.append(new)
      return new
    }
  }

  /// The environment for an app that a test launches, for `XCUIApplication.launchEnvironment`: `JSON_SERVER_URL`.
  public var environment: [String: String] {
    ["JSON_SERVER_URL": url.absoluteString]
  }
}
