import Dispatch
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer
@testable import JSONServerHTTP
@testable import JSONServerResources

/// Reads of so many records that another thread carries them out.
@Suite(.timeLimit(.minutes(1)))
struct LargeReadTests {
  private static let count = 3_000

  private static let data: JSONValue = ["posts": EngineFixture.words(count)]

  private static func ids(_ response: Response) throws -> [Int] {
    try JSONValue(parsing: response.bytes).array?.compactMap { $0["id"]?.int } ?? []
  }

  @Test(arguments: [
    "/posts?q=word+29&_limit=3": [29, 59, 89], "/posts?word_like=d+7$&_limit=2": [7, 37],
    "/posts?word=word+0&_sort=id&_order=desc&_limit=1": [3000], "/posts?id_ne=1&_limit=1": [2],
  ])
  func `They find what a plain reading finds`(_ target: String, _ expected: [Int]) async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    for _ in 0..<2 { #expect(try Self.ids(await fixture.send(.get, target)) == expected) }
    #expect(await fixture.engine.largeReads == 0)
  }

  @Test func `They show the version that was there when they began`() async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    let responses = await fixture.send(.get, "/posts?q=word+7&_limit=1", meanwhile: (.delete, "/posts/7"))
    let lists = try responses.map(Self.ids).filter { !$0.isEmpty }
    #expect(lists == [[7]])
    #expect(try Self.ids(await fixture.send(.get, "/posts?q=word+7&_limit=1")) == [37])
  }

  @Test func `What is taken back meanwhile is not shown`() async throws {
    let failure = CommitResult.failed(StorageError(.noSpace, "The disk is full."))
    let fixture = try EngineFixture(Self.data, commits: [failure])
    let responses = await fixture.send(.delete, "/posts/7", meanwhile: (.get, "/posts?q=word+7&_limit=1"))
    #expect(responses.map(\.status.code).sorted() == [200, 507])
    let list = try #require(responses.first { $0.status == .ok })
    #expect(try Self.ids(list) == [7])
  }

  @Test func `One that begins again shows nothing of what comes behind it on its connection`() async throws {
    let failure = CommitResult.failed(StorageError(.noSpace, "The disk is full."))
    let fixture = try EngineFixture(Self.data, commits: [failure])
    try await fixture.readAll()
    let list = await fixture.send(
      .delete, "/posts/7", meanwhile: (.get, "/posts?q=word+7&_limit=2"), then: (.delete, "/posts/37"))
    #expect(try Self.ids(list) == [7, 37])
    #expect(try Self.ids(await fixture.send(.get, "/posts?q=word+7&_limit=2")) == [7, 67])
  }

  @Test func `Sessions begin with what was read ahead`() async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true, configure: { $0.hasSessions = true })
    await fixture.engine.readAhead()
    try await wait { await fixture.engine.hasReadStart }
    let records = try #require(Self.data["posts"]?.array)
    try await fixture.edit(["posts": .array(Array(records.dropLast()))], generation: 1)
    try await wait { await fixture.engine.database.count(of: "posts") != Self.count }
    #expect(await fixture.engine.hasReadStart)
  }

  @Test func `What is in a record is joined before the response is made, and looks the same`() throws {
    let text = ValidJSON(writing: .string(String(repeating: "x", count: 100_000)))
    let related = RelatedRecord(
      record: ValidJSON(writing: ["id": 1]), related: [("comments", .many(Array(repeating: text, count: 20)))])
    let request = Request(method: .get, target: "/posts/1?_embed=comments", headerFields: [.host: "localhost"])
    var result = EndpointResult(.record(related))
    let expected = result.response(to: request).response.bytes
    result.joinLargeRecord()
    guard case .text = result.content else {
      Issue.record("It is not joined.")
      return
    }
    #expect(result.response(to: request).response.bytes == expected)
  }

  @Test func `Too many at a time are asked to come again`() async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    await fixture.engine.setLargeReads(Engine.maximumLargeReads)
    let refused = await fixture.send(.get, "/posts?q=word+7")
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.headerFields[.retryAfter] == "1")
    #expect(await fixture.send(.get, "/posts?_limit=1").status == .ok)
    await fixture.engine.setLargeReads(0)
    #expect(await fixture.send(.get, "/posts?q=word+7").status == .ok)
  }

  @Test(arguments: ["/posts/7", "/posts?_sort=word&_limit=1"])
  func `Those that need the same index wait for the one that makes it`(_ target: String) async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    let gate = WorkerGate(.calculations)
    let request = Request(method: .get, target: target, headerFields: [.host: "localhost"])
    async let responses = fixture.send(Array(repeating: request, count: Engine.maximumLargeReads * 2))
    try await wait { await !fixture.engine.indexing.isEmpty }
    gate.open()
    #expect(try await responses.allSatisfy { $0.status == .ok })
    #expect(await fixture.engine.indexing.isEmpty)
  }

  @Test func `Those that need an index which cannot be made are carried out without it`() async throws {
    let records = (1...3_000).map { id -> JSONValue in ["id": .number(JSONNumber(id)), "x": id % 2 == 0 ? 1 : "a"] }
    let fixture = try EngineFixture(.object(JSONObject([("posts", .array(records))])), isInMemory: true)
    let request = Request(method: .get, target: "/posts?_sort=x&_limit=1", headerFields: [.host: "localhost"])
    let responses = try await fixture.send(Array(repeating: request, count: 8))
    #expect(responses.allSatisfy { $0.status == .ok })
    #expect(Set(responses.map(\.bytes)).count == 1)
    #expect(await fixture.engine.indexing.isEmpty)
  }

  @Test func `Those that wait for an index go on when the client of the one that makes it has gone`() async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    let request = Request(method: .get, target: "/posts?_sort=word&_limit=1", headerFields: [.host: "localhost"])
    let (answers, answer) = AsyncStream.makeStream(of: Response.self)
    fixture.engine.loop.execute {
      for number in 0..<3 {
        fixture.engine.respond(to: request) { progress in
          if number == 0, case .calculating(let onEnd) = progress { onEnd() }
        } reply: {
          answer.yield($0.response)
        }
      }
    }
    let statuses = await answers.prefix(3).reduce(into: []) { $0.append($1.status.code) }
    #expect(statuses.sorted() == [200, 200, 503])
  }

  @Test(arguments: [
    ("/posts?q=word+7&_limit=1", 7, "reading much for GET /posts?q=word+7&_limit=1 …"),
    ("/posts?_sort=word,-id&_limit=1", 3_000, "indexing posts by word, id …"),
  ])
  func `One that takes long is said to be under way`(_ target: String, _ id: Int, _ expected: String) async throws {
    let release = DispatchSemaphore(value: 0)
    let messages = NIOLockedValueBox<[String]>([])
    let fixture = try EngineFixture(
      Self.data, isInMemory: true,
      onEvent: { event in
        guard case .working(let message) = event else { return }
        messages.withLockedValue { $0.append(message) }
        for _ in 0..<WorkerThreads.count { release.signal() }
      })
    for _ in 0..<WorkerThreads.count { WorkerThreads.calculations.run { _ = release.wait(timeout: .now() + 20) } }
    #expect(try Self.ids(await fixture.send(.get, target)) == [id])
    #expect(messages.withLockedValue { $0 } == [expected])
  }

  @Test func `One whose client has gone does not begin`() async throws {
    let fixture = try EngineFixture(Self.data, isInMemory: true)
    let request = Request(method: .get, target: "/posts?q=word+7", headerFields: [.host: "localhost"])
    let response = await withCheckedContinuation { continuation in
      fixture.engine.loop.execute {
        fixture.engine.respond(to: request) { progress in
          if case .calculating(let onEnd) = progress { onEnd() }
        } reply: {
          continuation.resume(returning: $0.response)
        }
      }
    }
    #expect(response.status == .serviceUnavailable)
  }
}

extension Engine {
  fileprivate var largeReads: Int { sessions.largeReads }

  fileprivate func setLargeReads(_ count: Int) { sessions.largeReads = count }

  /// Whether the data with which sessions begin was read.
  fileprivate var hasReadStart: Bool { writes.initial.isReadAhead }
}

extension EngineFixture {
  /// Sends a write, a read while the commit of that is in flight, and another write as soon as the read has taken effect.
  ///
  /// - Returns: The response to the read.
  fileprivate func send(
    _ method: HTTPRequest.Method, _ target: String, meanwhile read: (method: HTTPRequest.Method, target: String),
    then write: (method: HTTPRequest.Method, target: String)
  ) async -> Response {
    let (write, read) = (Self.request(write), Self.request(read))
    let (changes, change) = AsyncStream.makeStream(of: Response.self)
    let response = await withCheckedContinuation { continuation in
      engine.loop.execute {
        engine.respond(to: Self.request((method, target)), progress: { _ in }) { _ in }
        engine.loop.execute {
          let hasBegun = NIOLockedValueBox(false)
          let begin: @Sendable () -> Void = {
            let isFirst = hasBegun.withLockedValue { hasBegun in
              defer { hasBegun = true }
              return !hasBegun
            }
            guard isFirst else { return }
            engine.respond(to: write, progress: { _ in }) { change.yield($0.response) }
          }
          engine.respond(to: read) { progress in
            if case .tookEffect = progress { begin() }
          } reply: {
            continuation.resume(returning: $0.response)
            begin()
          }
        }
      }
    }
    for await _ in changes { break }
    return response
  }
}
