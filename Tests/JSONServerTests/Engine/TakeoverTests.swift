import HTTPTypes
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer

/// What happens to acknowledged writes that an edit from outside, a reset or a snapshot would remove.
@Suite(.timeLimit(.minutes(1))) struct Takeovers {
  private static let start: JSONValue = ["posts": [["id": 1]]]
  private static let full = StorageError(.noSpace, "The disk is full.")

  @Test func `show the version before until a copy of it is durable`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(Self.start, history: history)
    #expect(await server.send(.post, "/posts").status == .created)
    try await server.edit(Self.start, generation: 1)
    #expect(await server.send(.get, "/posts/2").status == .ok)
    #expect(history.end(.success("history/1.json")) == 1)
    #expect(await server.send(.get, "/posts/2").status == .notFound)
  }

  @Test func `make writes wait for the copy, and carry them out on the edited data`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(Self.start, history: history)
    _ = await server.send(.post, "/posts")
    try await server.edit(["posts": [["id": 7]]], generation: 1)
    async let written = server.send(.post, "/posts")
    try await wait { await server.engine.hasWaitingWrites }
    history.end(.success("history/1.json"))
    #expect(try await written.json["id"] == 8)
  }

  @Test func `do not happen while no copy can be made, and report that once`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let warnings = NIOLockedValueBox<[String]>([])
    let server = try EngineFixture(Self.start, history: history) { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    _ = await server.send(.post, "/posts")
    try await server.edit(Self.start, generation: 1)
    history.end(.failure(Self.full))
    #expect(await server.send(.get, "/posts/2").status == .ok)
    let refused = await server.send(.post, "/posts")
    #expect(refused.status == .serviceUnavailable)
    #expect(try refused.json["message"]?.string?.contains("The disk is full.") == true)
    await server.engine.retryTakeover()
    #expect(history.end(.failure(Self.full)) > 0)
    #expect(await server.send(.get, "/posts/2").status == .ok)
    #expect(warnings.withLockedValue { $0.count } == 1)
    await server.engine.retryTakeover()
    history.end(.success("history/1.json"))
    #expect(await server.send(.get, "/posts/2").status == .notFound)
    #expect(warnings.withLockedValue { $0.last?.contains("kept as 'history/1.json'") } == true)
  }

  @Test func `happen immediately when a newer edit removes nothing`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(Self.start, history: history)
    _ = await server.send(.post, "/posts")
    try await server.edit(Self.start, generation: 1)
    history.end(.failure(Self.full))
    _ = await server.send(.get, "/posts/2")
    let mended: JSONValue = ["posts": [["id": 1], ["id": 2]], "tags": []]
    try await server.edit(mended, generation: 2)
    await server.engine.retryTakeover()
    #expect(await server.value == mended)
  }

  @Test func `of a reset keep a copy first, and refuse without one`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(Self.start, history: history)
    _ = await server.send(.post, "/posts")
    async let refused = server.send(.post, "/__admin/reset")
    try await wait { history.end(.failure(Self.full)) > 0 }
    #expect(await refused.status == .serviceUnavailable)
    #expect(await server.send(.get, "/posts/2").status == .ok)
    async let reset = server.send(.post, "/__admin/reset")
    try await wait { history.end(.success("history/1.json")) > 0 }
    #expect(await reset.status == .ok)
    #expect(await server.value == Self.start)
  }

  @Test(arguments: [true, false])
  func `of a snapshot keep a copy of an edit first that nobody can have seen`(_ isKept: Bool) async throws {
    let history = ScriptedHistory(isHeld: true)
    let warnings = NIOLockedValueBox<[String]>([])
    let edited: JSONValue = ["posts": [["id": 1], ["id": 9, "by": "a person"]]]
    let server = try EngineFixture(
      Self.start, commits: [.moved(to: try EngineFixture.source(edited, generation: 1))], history: history
    ) { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    _ = await server.send(.post, "/__admin/snapshots")
    async let reset = server.send(.post, "/__admin/snapshots/snapshot-1")
    try await wait { await server.engine.hasTakeover }
    #expect(await server.value == edited)
    history.end(isKept ? .success("history/1.json") : .failure(Self.full))
    #expect(await reset.status == (isKept ? .ok : .serviceUnavailable))
    #expect(await server.value == (isKept ? Self.start : edited))
    #expect(
      warnings.withLockedValue { $0.count(where: { $0.contains("kept as 'history/1.json'") }) } == (isKept ? 1 : 0))
  }

  @Test func `of a snapshot that came behind a write which met an edit keep a copy of that, too`() async throws {
    let edited: JSONValue = ["posts": [["id": 1], ["id": 9]]]
    let warnings = NIOLockedValueBox<[String]>([])
    let server = try EngineFixture(
      Self.start, commits: [.moved(to: try EngineFixture.source(edited, generation: 1))]
    ) { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    _ = await server.send(.post, "/__admin/snapshots")
    let answers = await server.send(.post, "/posts", meanwhile: (.post, "/__admin/snapshots/snapshot-1"))
    #expect(answers.map(\.status) == [.created, .ok])
    #expect(await server.value == Self.start)
    #expect(warnings.withLockedValue { $0.count(where: { $0.contains("kept as 'history/1.json'") }) } == 1)
  }

  @Test func `of a reset after an edit that was served keep no copy`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(Self.start, history: history)
    try await server.edit(["posts": [["id": 7]]], generation: 1)
    #expect(await server.send(.post, "/__admin/reset").status == .ok)
    #expect(history.end(.failure(Self.full)) == 0)
  }
}

extension Engine {
  fileprivate var hasTakeover: Bool { writes.scheduler.workNumber != nil }

  fileprivate var hasWaitingWrites: Bool { !writes.scheduler.waiting.isEmpty }
}
