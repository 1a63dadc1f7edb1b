public import JSONServerMock
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
/// On a suite, the trait gives each test a server of its own; a test's own trait takes precedence. The requests of a failed
/// test are attached to it.
public struct JSONServerTrait: TestTrait, SuiteTrait, TestScoping {
  let listens: Bool
  let configuration: @Sendable () throws -> Server.Configuration

  public var isRecursive: Bool { true }

  /// The suite that has the trait; `nil` for one of a test. So two traits of one test are told from those of its suites.
  private let suite = Owner()

  private final class Owner: Sendable {
    let id = Mutex<Test.ID?>(nil)
  }

  init(listens: Bool, configuration: @escaping @Sendable () throws -> Server.Configuration) {
    (self.listens, self.configuration) = (listens, configuration)
  }

  public func prepare(for test: Test) async throws {
    // The suites and the tests within it have the trait, too, and come later.
    if test.isSuite { suite.id.withLock { $0 = $0 ?? test.id } }
  }

  /// - Throws: ``MockServerError`` when a test, or a suite that it is in, has two traits.
  private static func checkTraits(of test: Test) throws(MockServerError) {
    let owners = test.traits.compactMap { ($0 as? JSONServerTrait)?.suite }.map { $0.id.withLock { $0 } ?? test.id }
    guard Set(owners).count < owners.count else { return }
    throw MockServerError("A test or a suite has two traits .jsonServer(…); give it one, since a test has one server.")
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try Self.checkTraits(of: test)
    try await withJSONServer(try configuration(), listens: listens) { server in
      server.ledger.nameAttachment()
      let hasFailed = Atomic(false)
      let watch = IssueHandlingTrait.compactMapIssues { issue in
        if issue.failsTest { hasFailed.store(true, ordering: .relaxed) }
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
    let requests = await server.server.allExchanges
    guard !requests.isEmpty else { return }
    let report = requests.map(\.report).joined(separator: "\n\n")
    Attachment.record(report, named: "requests.txt", sourceLocation: test.sourceLocation)
  }
}

extension Trait where Self == JSONServerTrait {
  /// Gives each test a server of its own; ``MockServer/current`` is the server in the test.
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
  ///   - configure: Changes other members of the configuration.
  public static func jsonServer(
    _ data: MockData = [:], openAPI: String? = nil, recording: String? = nil, pathPrefix: String = "",
    unexpectedRequests: UnexpectedRequests = .allow,
    auth: String? = nil, listens: Bool = true, sourcePath: String = #filePath,
    configure: @escaping @Sendable (inout Server.Configuration) throws -> Void = { _ in }
  ) -> JSONServerTrait {
    JSONServerTrait(listens: listens) {
      try .mock(
        data, openAPI: openAPI, recording: recording, pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests,
        auth: auth, sourcePath: sourcePath, configure: configure)
    }
  }

  /// Gives each test a server of its own, whose data is JSON.
  @_disfavoredOverload
  public static func jsonServer(
    _ data: JSONValue, pathPrefix: String = "", unexpectedRequests: UnexpectedRequests = .allow,
    auth: String? = nil, listens: Bool = true,
    configure: @escaping @Sendable (inout Server.Configuration) throws -> Void = { _ in }
  ) -> JSONServerTrait {
    .jsonServer(
      .json(data), pathPrefix: pathPrefix, unexpectedRequests: unexpectedRequests, auth: auth, listens: listens,
      configure: configure)
  }
}
