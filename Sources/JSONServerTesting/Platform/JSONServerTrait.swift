#if SwiftTesting && canImport(Testing)
  public import JSONServer
  import Synchronization
  public import Testing

  /// Gives each test, and each case of a test with arguments, a server of its own.
  ///
  /// ```swift
  /// @Test(.jsonServer("fixtures/shop.json"))
  /// func `A new bookmark is saved`() async throws {
  ///   let server = try MockServer.current
  ///   try await BookmarkStore(baseURL: server.url).add("Swift")
  ///   try await server.expect(.post("/bookmarks"), times: 1)
  /// }
  /// ```
  ///
  /// On a suite it holds for all tests within; a trait of the test itself comes before it. When a test fails, the
  /// requests that came are attached to it.
  public struct JSONServerTrait: TestTrait, SuiteTrait, TestScoping {
    let data: MockData
    let routes: KeyValuePairs<String, String>
    let pathPrefix: String
    let unexpectedRequests: UnexpectedRequests
    let auth: String?
    let listens: Bool
    let sourcePath: String
    let configure: @Sendable (inout Server.Configuration) -> Void

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await withJSONServer(
        data, routes: routes, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth,
        listens: listens,
        sourcePath: sourcePath, configure: configure
      ) { server in
        server.ledger.nameAttachment()
        let hasFailed = Atomic(false)
        let watch = IssueHandlingTrait.compactMapIssues { issue in
          hasFailed.store(true, ordering: .relaxed)
          return issue
        }
        do {
          try await watch.provideScope(for: test, testCase: testCase) {
            try await function()
            try await server.verify()
          }
        } catch {
          await Self.attachRequests(of: server, to: test)
          throw error
        }
        if hasFailed.load(ordering: .relaxed) { await Self.attachRequests(of: server, to: test) }
      }
    }

    private static func attachRequests(of server: MockServer, to test: Test) async {
      let requests = await server.requests
      guard !requests.isEmpty else { return }
      Attachment.record(JournalText.report(requests), named: "requests.txt", sourceLocation: test.sourceLocation)
    }
  }

  extension Trait where Self == JSONServerTrait {
    /// Gives each test a server of its own; ``MockServer/current`` is the server in the test.
    ///
    /// - Parameters:
    ///   - data: What the server starts with; never written back.
    ///   - routes: Rewrite rules, pattern to target, such as `["/blog/:id": "/posts/:id"]`.
    ///   - pathPrefix: The path under which everything is served, such as `/api/v1`; ``MockServer/url`` has it, too.
    ///   - unexpectedRequests: What becomes of requests that nothing responds to.
    ///   - auth: The collection of the users who sign in; `nil` when nobody has to.
    ///   - listens: Whether the server has a socket, on a free port of localhost.
    ///   - sourcePath: The source file of the test, from which a path of the data leads.
    ///   - configure: Changes what else the server is configured with.
    public static func jsonServer(
      _ data: MockData, routes: KeyValuePairs<String, String> = [:], pathPrefix: String = "",
      unexpectedRequests: UnexpectedRequests = .allow, auth: String? = nil, listens: Bool = true,
      sourcePath: String = #filePath, configure: @escaping @Sendable (inout Server.Configuration) -> Void = { _ in }
    ) -> JSONServerTrait {
      JSONServerTrait(
        data: data, routes: routes, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth,
        listens: listens,
        sourcePath: sourcePath,
        configure: configure)
    }
  }
#endif
