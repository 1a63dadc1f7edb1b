import Dispatch
import JSONDatabase
import TestSupport

@testable import JSONServer
@testable import JSONServerHTTP

/// Keeps the threads for some work busy until it is opened, or its test has ended.
final class WorkerGate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  init(_ threads: WorkerThreads = .changes) {
    for _ in 0..<WorkerThreads.count {
      threads.run { [isOpen] in isOpen.wait() }
    }
  }

  deinit {
    open()
  }

  func open() {
    for _ in 0..<WorkerThreads.count { isOpen.signal() }
  }
}

extension EngineFixture {
  /// Has the ids and members of large collections read, and waits for that.
  func readAll() async throws {
    await engine.readAhead()
    try await wait { await engine.database.isReadAhead }
  }

  /// Sends requests in one round of the loop, and returns their responses in the same order.
  ///
  /// - Throws: `CancellationError` when the test ends before, as at its time limit.
  func send(_ requests: [Request]) async throws -> [Response] {
    let (answers, answer) = AsyncStream.makeStream(of: (Int, Response).self)
    engine.loop.execute {
      for (number, request) in requests.enumerated() {
        engine.respond(to: request, progress: { _ in }) { answer.yield((number, $0.response)) }
      }
    }
    let all: [(Int, Response)] = await answers.prefix(requests.count).reduce(into: []) { $0.append($1) }
    try Task.checkCancellation()
    return all.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Sends a request, and one that must get its response first, since all threads for changes are busy until then.
  ///
  /// - Returns: The statuses in the order of the responses: 200 for the second request comes first.
  func send(_ large: Request, overtakenBy small: Request) async -> [Int] {
    let gate = WorkerGate(.changes)
    let (answers, answer) = AsyncStream.makeStream(of: Response.self)
    engine.loop.execute {
      engine.respond(to: large, progress: { _ in }) { answer.yield($0.response) }
      engine.respond(to: small, progress: { _ in }) { response in
        gate.open()
        answer.yield(response.response)
      }
    }
    return await answers.prefix(2).reduce(into: []) { $0.append($1.status.code) }
  }
}
