import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer

/// Writes that take so long that a person should know.
@Suite(.timeLimit(.minutes(1)))
struct SlowCommitTests {
  @Test func `The first one is said to be under way, and how long it took, with its size`() async throws {
    let gate = CommitGate()
    let messages = NIOLockedValueBox<[String]>([])
    let fixture = try EngineFixture(
      ["posts": [["id": 7]]], gate: gate,
      onEvent: { event in
        guard case .working(let message) = event else { return }
        messages.withLockedValue { $0.append(message) }
        gate.open()
      })
    #expect(await fixture.send(.delete, "/posts/7").status == .ok)
    let found = messages.withLockedValue { $0 }
    #expect(found.count == 2)
    #expect(found.first?.wholeMatch(of: /writing .+, [0-9]+ B …/) != nil, "\(found)")
    #expect(found.last?.wholeMatch(of: /wrote .+, [0-9]+ B, in [0-9.]+ s/) != nil, "\(found)")
  }
}
