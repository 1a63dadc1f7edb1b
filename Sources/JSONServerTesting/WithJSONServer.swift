public import JSONServer

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
/// Hundreds may run at a time; they share a few threads. Where the system lets a process have few open files, further ones
/// start when others have stopped.
///
/// - Parameters:
///   - data: What the server starts with; never written back.
///   - routes: Rewrite rules, pattern to target, such as `["/blog/:id": "/posts/:id"]`.
///   - pathPrefix: The path under which everything is served, such as `/api/v1`; ``MockServer/url`` has it, too.
///   - unexpectedRequests: What becomes of requests that nothing responds to.
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
  _ data: MockData = .empty, routes: KeyValuePairs<String, String> = [:], pathPrefix: String = "",
  unexpectedRequests: UnexpectedRequests = .allow, auth: String? = nil, listens: Bool = true,
  sourcePath: String = #filePath, isolation: isolated (any Actor)? = #isolation,
  configure: (inout Server.Configuration) -> Void = { _ in },
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  let configuration = try MockServer.configuration(
    data, routes: routes, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth,
    sourcePath: sourcePath,
    configure)
  let server = try await MockServer.start(configuration, listens: listens)
  do {
    let result = try await MockServer.$running.withValue(server) { try await body(server) }
    try await server.verify()
    await server.stop()
    return result
  } catch {
    await server.stop()
    throw error
  }
}
