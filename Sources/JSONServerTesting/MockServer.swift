public import JSONServer
public import JSONServerValues
import NIOConcurrencyHelpers
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A test's own server, with its own data and its own record of what the client did.
///
/// A test gets one from the trait `.jsonServer(…)`, or from
/// ``withJSONServer(_:routes:pathPrefix:unexpectedRequests:auth:listens:sourcePath:isolation:configure:_:)``, and never has to stop it. Where neither
/// fits, as in `setUp` and `tearDown`, in previews and for UI tests, one is started with
/// ``start(_:routes:pathPrefix:unexpectedRequests:auth:listens:sourcePath:configure:)``.
public final class MockServer: Sendable {
  /// The server behind it, for what a test seldom needs.
  public let server: Server

  /// The address to give to the client under test, such as `http://localhost:49152`: App Transport Security lets an app
  /// reach that, and refuses `http://127.0.0.1`.
  ///
  /// A server that does not listen has an address, too; it is reached with `URLSessionConfiguration.jsonServer(_:)`.
  public let url: URL

  /// What the test has set up and expected.
  let ledger = Ledger()

  /// A number that no other server of the process has, from 1.
  let number: Int

  /// The sessions that the test has asked for, by their names.
  let sessions = NIOLockedValueBox<[String: MockServer]>([:])

  @TaskLocal static var running: MockServer?

  private static let lastNumber = Atomic(0)

  /// Whether it has one of the turns in which servers listen.
  private let hasTurn = Atomic(false)

  private init(_ server: Server, number: Int, url: URL) {
    self.server = server
    self.number = number
    self.url = url
    startLoadingURLs()
  }

  /// A server for tests; `nil` when its address is none that `URL` takes and there is no other, as for a host with a zone.
  ///
  /// - Parameter mountPath: The path under which the server is mounted.
  convenience init?(_ server: Server, mountPath: String, otherwise other: URL? = nil) {
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let address =
      server.url.isEmpty
      ? "http://json-server-\(number).localhost" : server.url.replacing("http://127.0.0.1:", with: "http://localhost:")
    guard let url = URL(string: address + mountPath) ?? other else { return nil }
    self.init(server, number: number, url: url)
  }

  /// The server of the running test.
  ///
  /// - Throws: ``MockServerError`` with code `noServer`, outside of tests with the trait `.jsonServer(…)` and of
  ///   `withJSONServer`, and in detached tasks.
  public static var current: MockServer {
    get throws(MockServerError) {
      if let running { return running }
      throw MockServerError(
        .noServer, "No server runs here; give the test the trait .jsonServer(…), or use withJSONServer(…).")
    }
  }

  /// Responds to a request as the server would over a socket.
  public func respond(to request: Request) async -> Response {
    await server.respond(to: request)
  }

  /// Starts a server that runs until ``stop()`` is called.
  ///
  /// ```swift
  /// let server = try await MockServer.start(["bookmarks": []])
  /// app.launchEnvironment.merge(server.environment) { $1 }
  /// ```
  ///
  /// - Parameters:
  ///   - data: What the server starts with; never written back.
  ///   - routes: Rewrite rules, pattern to target, such as `["/blog/:id": "/posts/:id"]`.
  ///   - pathPrefix: The path under which everything is served, such as `/api/v1`; ``url`` has it, too.
  ///   - unexpectedRequests: What becomes of requests that nothing responds to.
  ///   - auth: The collection of the users who sign in; `nil` when nobody has to.
  ///   - listens: Whether the server has a socket, on a free port of localhost.
  ///   - sourcePath: The source file of the call, from which a path of the data leads.
  ///   - configure: Changes what else the server is configured with.
  /// - Throws: ``MockServerError`` or `ServerError` when the server does not start.
  public static func start(
    _ data: MockData = .empty, routes: KeyValuePairs<String, String> = [:], pathPrefix: String = "",
    unexpectedRequests: UnexpectedRequests = .allow, auth: String? = nil, listens: Bool = true,
    sourcePath: String = #filePath,
    configure: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> MockServer {
    try await start(
      try configuration(
        data, routes: routes, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth,
        sourcePath: sourcePath,
        configure),
      listens: listens)
  }

  static func configuration(
    _ data: MockData, routes: KeyValuePairs<String, String>, pathPrefix: String,
    unexpectedRequests: UnexpectedRequests, auth: String?, sourcePath: String,
    _ configure: (inout Server.Configuration) -> Void
  ) throws -> Server.Configuration {
    var configuration = Server.Configuration(source: try data.source(sourcePath))
    // A test's data needs no guard against the names of other sites; a client may call it by its real backend's name.
    configuration.allowedHosts = ["*"]
    configuration.routes = JSONObject(routes.map { ($0.key, .string($0.value)) })
    configuration.pathPrefix = pathPrefix
    configuration.isStrict = unexpectedRequests == .issue
    // What is expected is counted in the journal, which ends with the test.
    configuration.journalCapacity = .max
    configuration.journalByteCapacity = .max
    configuration.signIn = auth.map { Server.SignIn(users: $0) }
    configuration.hasSessions = true
    configure(&configuration)
    return configuration
  }

  static func start(_ configuration: Server.Configuration, listens: Bool) async throws -> MockServer {
    if listens { await ListeningTurns.shared.take(isNested: running != nil) }
    do {
      let server = listens ? try await Server.start(configuration) : try await Server.load(configuration)
      guard let started = MockServer(server, mountPath: configuration.mountPath) else {
        await server.stop(grace: .zero)
        throw MockServerError(
          .invalidSetup, "'\(server.url)' is no address that a client can be given; use another host.")
      }
      started.hasTurn.store(listens, ordering: .relaxed)
      return started
    } catch {
      if listens { await ListeningTurns.shared.pass() }
      throw error
    }
  }

  /// Closes the socket, without waiting for clients, and releases what is held.
  public func stop() async {
    for session in sessions.withLockedValue({ Array($0.values) }) { session.stopLoadingURLs() }
    stopLoadingURLs()
    await server.stop(grace: .zero)
    if hasTurn.exchange(false, ordering: .relaxed) { await ListeningTurns.shared.pass() }
  }

  /// The whole data as it is now.
  public var value: JSONValue {
    get async { await server.value }
  }

  /// Returns the records of a collection, in stored order.
  ///
  /// ```swift
  /// #expect(try await server.records("bookmarks", as: Bookmark.self).count == 2)
  /// ```
  ///
  /// - Parameters:
  ///   - collection: The collection's name.
  ///   - type: The type of a record.
  ///   - names: How the names of properties become the names of members.
  ///   - dates: How dates are read.
  ///   - isolation: The actor that the records are read on; the caller's.
  ///   - filePath: The file of the call, for the error.
  ///   - line: The line of the call.
  /// - Throws: `ServerError` with code `unknownRecord` when there is no such collection; ``MockServerError`` with code
  ///   `unreadableRecord` that names the record and its member when one cannot be read:
  ///   `bookmarks[3] (id 7): title: expected a string, found null`.
  public func records<Record: Decodable>(
    _ collection: String, as type: Record.Type = Record.self, names: JSONNameStrategy = .unchanged,
    dates: JSONDateStrategy = .iso8601, isolation: isolated (any Actor)? = #isolation,
    filePath: String = #filePath, line: Int = #line
  ) async throws -> [Record] {
    let values = JSONValue.array(try await server.values(of: collection))
    do {
      return try JSONValueDecoder(dates: dates, names: names).decode([Record].self, from: values)
    } catch {
      let failure = DecodingFailure(error, in: collection, values)
      throw MockServerError(.unreadableRecord, "\(failure)\nThe record is \(failure.value)").at(filePath, line)
    }
  }

  /// Returns the records of a collection as JSON, in stored order.
  ///
  /// - Throws: `ServerError` with code `unknownRecord` when there is no such collection.
  public func values(of collection: String) async throws(ServerError) -> [JSONValue] {
    try await server.values(of: collection)
  }

  /// Resets the data to its state at start; the journal, faults and stubs stay.
  public func reset() async throws(ServerError) {
    try await server.reset()
  }

  /// Saves the data as it is now under a name; a snapshot of the same name is replaced.
  public func saveSnapshot(_ name: String) async {
    await server.saveSnapshot(name)
  }

  /// Restores the data of a snapshot.
  ///
  /// - Throws: `ServerError` with code `unknownSnapshot`.
  public func restoreSnapshot(_ name: String) async throws(ServerError) {
    try await server.restoreSnapshot(name)
  }

  /// Returns a client's own copy of this server: its data at start, its own faults, stubs and requests.
  ///
  /// ```swift
  /// let first = server.session("first")
  /// app.launchEnvironment = first.environment
  /// ```
  ///
  /// It ends with the test. The same name returns the same session.
  ///
  /// - Parameter name: The session's name, up to 64 letters, digits and `-._~`; of any other text a name is made.
  public func session(_ name: String) -> MockServer {
    sessions.withLockedValue { sessions in
      if let known = sessions[name] { return known }
      let mountPath = server.url.isEmpty ? url.path() : ""
      // The first is never nil: it has an address to fall back on.
      let session = MockServer(server.session(name), mountPath: mountPath, otherwise: url) ?? self
      sessions[name] = session
      return session
    }
  }

  /// What an app that is launched needs to know, for `XCUIApplication.launchEnvironment`: `JSON_SERVER_URL`.
  public var environment: [String: String] {
    ["JSON_SERVER_URL": url.absoluteString]
  }

  /// Has all access tokens expire at once; refresh tokens stay valid.
  public func expireTokens() async {
    await server.expireTokens()
  }
}
