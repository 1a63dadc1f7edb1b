public import JSONServerMock

/// Runs a closure with a server of its own, and stops the server afterwards.
///
/// ```swift
/// try await withJSONServer(["bookmarks": []]) { server in
///   let store = BookmarkStore(baseURL: server.url)
///   try await store.add("Swift")
///   try await server.expect(.post("/bookmarks"), times: 1)
/// }
/// ```
///
/// Hundreds of servers run at a time, on a few threads. Where a process may open few files, a server waits until others have
/// stopped.
///
/// - Parameters:
///   - data: The data at the start; never written back.
///   - openAPI: The path of an OpenAPI document, which says what the server's paths do; a request for another path is
///     unexpected. `nil` for none.
///   - recording: The path of recorded responses, as `--record` or a browser (HAR) writes them; a request that neither the
///     data nor the recording responds to is unexpected. `nil` for none.
///   - pathPrefix: The path under which everything is served, such as `/api/v1`; `server.url` has it, too.
///   - unexpectedRequests: Whether requests without a resource or stub get a 404, or are issues.
///   - auth: The collection of the users who sign in; `nil` for no sign-in.
///   - listens: Whether the server has a socket, on a free port of localhost; without one it serves sessions of
///     `URLSessionConfiguration.jsonServer(_:)`.
///   - sourcePath: The source file of the test, to which the path of a data file is relative.
///   - isolation: The actor that the closure runs on; the caller's.
///   - configure: Changes other members of the configuration.
///   - body: The closure; ``MockServer/current`` is the server there.
/// - Returns: What the closure returns.
/// - Throws: ``MockServerError`` or `ServerError` when the server does not start, or the error of the closure; elsewhere than
///   in Swift Testing a ``MockServerError`` when there are further failures.
public func withJSONServer<Result>(
  _ data: MockData = [:], openAPI: String? = nil, recording: String? = nil, pathPrefix: String = "",
  unexpectedRequests: UnexpectedRequests = .allow,
  auth: String? = nil, listens: Bool = true, sourcePath: String = #filePath,
  isolation: isolated (any Actor)? = #isolation, configure: (inout Server.Configuration) throws -> Void = { _ in },
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  let configuration = try Server.Configuration.mock(
    data, openAPI: openAPI, recording: recording, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests,
    auth: auth, sourcePath: sourcePath, configure: configure)
  return try await withJSONServer(configuration, listens: listens, body)
}

/// Runs a closure with a server that has JSON as its data; see
/// ``withJSONServer(_:openAPI:recording:pathPrefix:unexpectedRequests:auth:listens:sourcePath:isolation:configure:_:)-(MockData,_,_,_,_,_,_,_,_,_,_)``.
@_disfavoredOverload
public func withJSONServer<Result>(
  _ data: JSONValue, pathPrefix: String = "", unexpectedRequests: UnexpectedRequests = .allow,
  auth: String? = nil, listens: Bool = true, isolation: isolated (any Actor)? = #isolation,
  configure: (inout Server.Configuration) throws -> Void = { _ in }, _ body: (MockServer) async throws -> Result
) async throws -> Result {
  try await withJSONServer(
    .json(data), pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth, listens: listens,
    configure: configure, body)
}

/// Runs a closure with a server that is configured already.
func withJSONServer<Result>(
  _ configuration: Server.Configuration, listens: Bool, isolation: isolated (any Actor)? = #isolation,
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  let server = try await MockServer.start(configuration, listens: listens)
  do {
    let result = try await MockServer.$running.withValue(server) { try await body(server) }
    try await server.verify()
    await server.stop()
    return result
  } catch {
    var error = error
    do throws(MockServerError) {
      // The error may be why no request met what was set up.
      try await server.verify(checksSetups: false)
    } catch let others {
      error = MockServerError("\(error)\n\(others)")
    }
    await server.stop()
    throw error
  }
}
