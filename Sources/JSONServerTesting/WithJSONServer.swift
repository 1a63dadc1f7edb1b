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

/// Lets as many servers listen at a time as the open files of the process suffice for; further ones take turns.
///
/// Swift Testing runs all tests at once, and Xcode starts them with 256 open files: without turns, the sockets of the
/// servers would leave none to the clients, which then say that they cannot connect.
actor ListeningTurns {
  static let shared = ListeningTurns(openFiles: System.raisedOpenFileLimit)

  /// What a server and its clients open: two listening sockets, and both ends of some connections.
  private static let filesOfServer = 8
  /// What the process opens otherwise.
  private static let otherFiles = 64

  private let capacity: Int
  private let patience: Duration
  private var listening = 0
  private var passes = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - openFiles: The most files that the process may have open.
  ///   - patience: How long no server stops before one more starts all the same, since one test may need them all.
  init(openFiles: Int, patience: Duration = .seconds(2)) {
    capacity = max(1, (openFiles - Self.otherFiles) / Self.filesOfServer)
    self.patience = patience
  }

  /// Waits for a turn.
  ///
  /// - Parameter isNested: Whether the test has a turn already, which it would keep meanwhile.
  func take(isNested: Bool) async {
    guard listening >= capacity, !isNested else {
      listening += 1
      return
    }
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      if waiting.count == 1 { Task { await hurry() } }
    }
  }

  /// Gives a turn to the server that has waited longest.
  func pass() {
    passes += 1
    listening -= 1
    startNext(atMost: capacity)
  }

  private func startNext(atMost maximum: Int) {
    guard listening < maximum, !waiting.isEmpty else { return }
    listening += 1
    waiting.removeFirst().resume()
  }

  /// Starts one more server each time that none has stopped for a while, as long as any waits.
  private func hurry() async {
    while !waiting.isEmpty {
      let before = passes
      try? await Task.sleep(for: patience)
      if passes == before { startNext(atMost: .max) }
    }
  }
}
