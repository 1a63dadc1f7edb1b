import JSONServerMock
import JSONServerTesting
import TestSupport

/// Many tests at once, as Swift Testing runs them, in a process that may open few files: Xcode starts one with 256.
@Suite(.timeLimit(.minutes(5)))
struct ManyServersTests {
  private static let variable = "JSON_SERVER_TESTS_FEW_FILES"
  private static let isWithin = ProcessInfo.processInfo.environment[variable] != nil

  #if os(Linux)
    /// The program that holds these tests; on a Mac it is a bundle that a program of Xcode's loads.
    private static let program = CommandLine.arguments[0]

    @Test(.disabled(if: isWithin), arguments: [(256, 1024), (256, 256)])
    func `Hundreds of tests have servers at once, however few files may be open`(_ soft: Int, _ hard: Int) {
      // All cases at once, as in a process that does not limit them.
      let variables = "\(Self.variable)=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=500"
      let limits = "ulimit -Sn \(soft) && ulimit -Hn \(hard) && export \(variables)"
      let run = "exec '\(Self.program)' --testing-library swift-testing --filter ManyServersTests 2>&1"
      let (output, isSuccess) = Shell.run("\(limits) && \(run)", in: "/tmp")
      let failures = output.split(separator: "\n").filter { $0.hasPrefix("✘") }
      #expect(isSuccess, "\(failures.count) failures: \(failures.first ?? output.suffix(2000))")
      #expect(output.contains("tests in 1 suite passed"))
    }
  #endif

  @Test func `A test that needs more servers than there are turns gets them`() async {
    let turns = ListeningTurns(openFiles: 0, patience: .milliseconds(1))
    for _ in 0..<3 { await turns.take(isNested: false) }
  }

  @Test func `A server within another's test does not wait`() async {
    let turns = ListeningTurns(openFiles: 0, patience: .seconds(3600))
    for _ in 0..<3 { await turns.take(isNested: true) }
  }

  @Test(.enabled(if: isWithin), arguments: 0..<500)
  func `One of hundreds has a server and a client with connections`(_ number: Int) async throws {
    try await withJSONServer(["posts": [["id": .init(number)]]]) { server in
      let session = URLSession.forTests
      defer { session.invalidateAndCancel() }
      async let first = session.get("posts/\(number)", at: server.url)
      async let second = session.get("posts/\(number)", at: server.url)
      let statuses = try await [first, second].map(\.response.statusCode)
      #expect(statuses == [200, 200])
    }
  }
}
