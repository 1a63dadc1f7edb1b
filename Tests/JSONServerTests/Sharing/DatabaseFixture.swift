#if PostgreSQL
  import Foundation
  import HTTPTypes
  import JSONServerValues
  import TestSupport
  import Testing

  @testable import JSONServer
  @testable import PostgreSQLStorage

  /// Servers that share a database: one test after another, since PostgreSQL has a limit of connections.
  @Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: DatabaseFixture.address != nil, "JSON_SERVER_TESTS_DATABASE is not set"))
  enum DatabaseSharingTests {}

  /// A database of one test, and the servers that share it.
  final class DatabaseFixture {
    /// The address of a database whose user may create others, such as `postgres://app@127.0.0.1:5432/postgres`.
    static let address = ProcessInfo.processInfo.environment["JSON_SERVER_TESTS_DATABASE"]

    let url: String
    /// A connection for SQL beside the servers.
    let sql: Connection
    private let name: String
    private let admin: Connection
    private var servers: [Server] = []

    private init() throws {
      let address = try #require(Self.address)
      name = "test_\(UUID())".replacing("-", with: "_").lowercased()
      url = address.replacing(/[^\/]+$/, with: name)
      admin = try Connection(DatabaseAddress(address, shownAs: address))
      try admin.run("CREATE DATABASE \(name)")
      sql = try Self.connect(to: url)
    }

    private static func connect(to url: String) throws -> Connection {
      let connection = try Connection(DatabaseAddress(url, shownAs: url))
      try connection.run("SET search_path TO json_server; SET application_name TO tests")
      return connection
    }

    /// Another connection for SQL.
    func connect() throws -> Connection { try Self.connect(to: url) }

    /// Runs a test with two servers of a database that holds a value.
    static func run(
      _ value: JSONValue = ["posts": [["id": 1]]], configure: (inout Server.Configuration) -> Void = { _ in },
      _ test: (_ shared: DatabaseFixture, _ one: Server, _ other: Server) async throws -> Void
    ) async throws {
      let shared = try DatabaseFixture()
      let result: Result<Void, any Error>
      do {
        try await Server.importDatabase(value.utf8Text(), name: "database.json", to: shared.url)
        result = .success(try await test(shared, shared.server(configure), shared.server(configure)))
      } catch {
        result = .failure(error)
      }
      for server in shared.servers { await server.stop() }
      try shared.admin.run("DROP DATABASE \(shared.name) WITH (FORCE)")
      try result.get()
    }

    /// Starts another server.
    func server(_ configure: (inout Server.Configuration) -> Void = { _ in }) async throws -> Server {
      var configuration = Server.Configuration(source: .postgreSQL(url: url, seed: nil))
      configure(&configuration)
      let server = try await Server.load(configuration)
      servers.append(server)
      return server
    }

    /// Keeps the servers from the database, and waits until they know.
    func goAway() async throws {
      try admin.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
      try await awaitConnections(false) {
        // Repeated, since a connection that is being made has no name yet.
        try admin.run(
          """
          SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = '\(name)' AND application_name = 'swift-json-server'
          """)
      }
    }

    /// Lets the servers reach the database again, and waits until they do.
    func comeBack() async throws {
      try admin.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
      try await awaitConnections(true)
    }

    private func awaitConnections(_ isReached: Bool, repeating work: () throws -> Void = {}) async throws {
      for server in servers {
        try await wait {
          try work()
          return try await server.send(.get, "/__admin/health").json["database"]?["reached"] == .bool(isReached)
        }
      }
    }

    /// Has a server add a record, whose commit finds what a statement did meanwhile.
    ///
    /// - Parameter isInTurn: Whether the commit waits for its turn before it is tried.
    func add(to server: Server, after statement: String, isInTurn: Bool) async throws -> Response {
      try sql.run("BEGIN; SELECT FROM state FOR UPDATE")
      async let response = server.send(.post, "/posts")
      #expect(try await awaitLock() == isInTurn)
      try sql.run("\(statement); COMMIT")
      return await response
    }

    /// Waits until a server waits for another transaction.
    ///
    /// - Returns: Whether it waits for its turn, and not with a commit that is tried without.
    @discardableResult
    func awaitLock() async throws -> Bool {
      let waiting = "SELECT query FROM pg_stat_activity WHERE datname = '\(name)' AND wait_event_type = 'Lock'"
      var query: String?
      try await wait {
        query = try admin.run(waiting, []).text(0, 0)
        return query != nil
      }
      return query?.hasPrefix("BEGIN") == true
    }

    /// Whether nobody has the turn.
    func isTurnFree() throws -> Bool {
      try sql.run("SELECT FROM state FOR UPDATE SKIP LOCKED").count == 1
    }

    /// Sends a request that has to learn which version is the newest, and waits until its server has.
    func read(_ target: String, from server: Server) async throws -> Task<Response, Never> {
      let asking = """
        SELECT max(extract(epoch FROM query_start) * 1000000)::bigint FROM pg_stat_activity
        WHERE datname = '\(name)' AND query = 'SELECT version, commit_id FROM change ORDER BY version DESC LIMIT 1' AND state = 'idle'
        """
      let last = try admin.run(asking, []).integer(0, 0)
      let response = Task { await server.send(.get, target) }
      try await wait { try admin.run(asking, []).integer(0, 0) != last }
      let loop = await server.engine.loop
      for _ in 0..<2 { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
      return response
    }
  }
#endif
