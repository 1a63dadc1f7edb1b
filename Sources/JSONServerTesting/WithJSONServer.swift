public import JSONServer
import OrderedJSON

/// Runs a closure with a server of its own, and stops the server however the closure ends.
///
/// ```swift
/// try await withJSONServer(["bookmarks": []]) { server in
///   let store = BookmarkStore(baseURL: server.url)
///   try await store.add("Swift")
///   try await server.expect(.post("/bookmarks"), times: 1)
/// }
/// ```
///
/// Hundreds may run at a time; they share a few threads.
///
/// - Parameters:
///   - data: What the server starts with; never written back.
///   - routes: Rewrite rules, pattern to target, such as `["/api/v1/*": "/$1"]`.
///   - auth: The collection of the users who sign in; `nil` when nobody has to.
///   - listens: Whether the server has a socket, on a free port of localhost; without one it serves
///     ``MockServer/respond(to:)`` and sessions of `URLSessionConfiguration.jsonServer(_:)`.
///   - sourcePath: The source file of the test, from which a path of the data leads.
///   - isolation: The actor that the closure runs on; the caller's.
///   - configure: Changes what else the server is configured with.
///   - body: What to do while the server runs; ``MockServer/current`` is the server there.
/// - Returns: What the closure returns.
/// - Throws: ``MockServerError`` or `ServerError` when the server does not start, or what the closure throws.
public func withJSONServer<Result>(
  _ data: MockData = .empty, routes: KeyValuePairs<String, String> = [:], auth: String? = nil, listens: Bool = true,
  sourcePath: String = #filePath, isolation: isolated (any Actor)? = #isolation,
  configure: (inout Server.Configuration) -> Void = { _ in },
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  var configuration = Server.Configuration(source: try data.source(sourcePath))
  // A test's data needs no guard against the names of other sites; a client may call it by its real backend's name.
  configuration.allowedHosts = ["*"]
  configuration.routes = JSONObject(routes.map { ($0.key, .string($0.value)) })
  // What is expected is counted in the journal, which ends with the test.
  configuration.journalCapacity = .max
  configuration.journalByteCapacity = .max
  configuration.signIn = auth.map { Server.SignIn(users: $0) }
  configuration.hasSessions = true
  configure(&configuration)
  let server = MockServer(listens ? try await .start(configuration) : try await .load(configuration))
  do {
    let result = try await MockServer.$running.withValue(server) { try await body(server) }
    await server.stop()
    return result
  } catch {
    await server.stop()
    throw error
  }
}
