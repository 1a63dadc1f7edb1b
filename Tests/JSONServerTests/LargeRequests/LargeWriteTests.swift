import HTTPTypes
import JSONServerValues
import JSONStorage
import TestSupport
import Testing

@testable import JSONDatabase
@testable import JSONServer

/// Writes of so much that another thread carries them out.
@Suite(.timeLimit(.minutes(1)))
struct LargeWriteTests {
  private static let count = 3_000

  private static let data: JSONValue = ["posts": EngineFixture.words(count), "small": [["id": 1]]]

  /// The body of a POST of many records.
  private static func records(_ ids: ClosedRange<Int>) -> [UInt8] {
    let records = ids.map { id in JSONValue.object(JSONObject([("id", .number(JSONNumber(id))), ("word", "new")])) }
    return JSONValue.array(records).utf8Text()
  }

  private static func patch(_ target: String, _ body: String) -> Request {
    request(.patch, target, Array(body.utf8))
  }

  private static func request(_ method: HTTPRequest.Method, _ target: String, _ body: [UInt8] = []) -> Request {
    Request(
      method: method, target: target, headerFields: [.host: "localhost", .contentType: "application/json"], body: body)
  }

  private static func count(_ word: String, in fixture: EngineFixture) async -> String? {
    await fixture.send(.get, "/posts?word=\(word)&_limit=1").headerFields[.xTotalCount]
  }

  @Test func `They change all records that are meant`() async throws {
    let fixture = try EngineFixture(Self.data)
    let created = try await fixture.send([Self.request(.post, "/posts", Self.records(2_901...3_100))])
    #expect(created.map(\.status) == [.created])
    #expect(try created[0].json.array?.count == 200)
    #expect(await Self.count("new", in: fixture) == "200")
    let changed = try await fixture.send([Self.patch("/posts?word=new", #"{"word": "changed"}"#)])
    #expect(changed[0].headerFields[.xTotalCount] == "200")
    #expect(await Self.count("changed", in: fixture) == "200")
    let deleted = try await fixture.send([Self.request(.delete, "/posts?word=changed")])
    #expect(deleted.map(\.status) == [.ok])
    #expect(await fixture.send(.get, "/posts?_limit=1").headerFields[.xTotalCount] == "2900")
  }

  @Test func `One new record finds out for all what ids go by`() async throws {
    let fixture = try EngineFixture(["posts": [["id": 1]]])
    let many = try await fixture.send([Self.request(.post, "/posts", Self.records(2...3_000))])
    #expect(many.map(\.status) == [.created])
    let created = try await fixture.send([Self.request(.post, "/posts", Array(#"{"id": 9000}"#.utf8))])
    #expect(created.map(\.status) == [.created])
    #expect(await fixture.engine.database.isReadAhead)
    #expect(try await fixture.send(.post, "/posts").json["id"] == 9_001)
  }

  @Test func `Reads go on with the version before, and writes wait in order`() async throws {
    let fixture = try EngineFixture(Self.data)
    // Otherwise the read waits for the ids, and may show what was written meanwhile.
    try await fixture.readAll()
    let responses = try await fixture.send([
      Self.patch("/posts?_all=true", #"{"word": "all"}"#), Self.patch("/posts/1", #"{"word": "one"}"#),
      Self.request(.get, "/posts/1"), Self.patch("/posts/1", #"{"more": true}"#), Self.request(.get, "/small/1"),
    ])
    #expect(try responses[2].json["word"] == "word 1")
    #expect(responses.map(\.status.code) == [200, 200, 200, 200, 200])
    #expect(try await fixture.send(.get, "/posts/1").json == ["id": 1, "word": "one", "more": true])
    #expect(try await fixture.send(.get, "/posts/2").json["word"] == "all")
  }

  @Test func `What cannot be done changes nothing`() async throws {
    let fixture = try EngineFixture(Self.data)
    let records = Self.records(3_001...3_200).dropLast() + Array(", 7]".utf8)
    let refused = try await fixture.send([
      Self.request(.post, "/posts", Array(records)), Self.patch("/posts?_all=true", #"{"id": 7}"#),
      Self.patch("/posts?_all=true&word=none&other=1", #"{"word": "x"}"#),
    ])
    #expect(refused.map(\.status.code) == [400, 400, 400])
    #expect(await fixture.send(.get, "/posts?_limit=1").headerFields[.xTotalCount] == "3000")
    #expect(await Self.count("x", in: fixture) == "0")
  }

  @Test func `They are carried out again when what they were made from is taken back`() async throws {
    let full = StorageError(.noSpace, "The disk is full.")
    let fixture = try EngineFixture(Self.data, commits: [.failed(full)])
    let responses = try await fixture.send([
      Self.request(.delete, "/posts/7"), Self.patch("/posts?_all=true", #"{"word": "all"}"#),
      Self.patch("/posts/7", #"{"word": "one"}"#),
    ])
    #expect(responses.first?.status.code == 507)
    // The others may have joined the commit that failed.
    let isChanged = responses[1].status == .ok
    #expect(try await fixture.send(.get, "/posts/7").json["word"] == (isChanged ? "one" : "word 7"))
    #expect(try await fixture.send(.get, "/posts/8").json["word"] == (isChanged ? "all" : "word 8"))
  }

  @Test func `What cannot be saved leaves the records that were saved, and no copies of them`() async throws {
    let full = StorageError(.noSpace, "The disk is full.")
    let fixture = try EngineFixture(Self.data, commits: [.failed(full)])
    let before = await fixture.engine.database
    #expect(try await fixture.send([Self.patch("/posts?_all=true", #"{"word": "all"}"#)]).map(\.status.code) == [507])
    let after = await fixture.engine.database
    #expect(after.text.bytes == before.text.bytes)
    let rows = [before, after].compactMap { $0.entries[0].collection?.rows }
    #expect(rows.count == 2 && rows[0].isIdentical(to: rows[1]))
    #expect(try await fixture.send([Self.patch("/posts?_all=true", #"{"word": "all"}"#)]).map(\.status.code) == [200])
    #expect(await Self.count("all", in: fixture) == "3000")
  }

  @Test func `A failed commit interrupts one that is under way`() async throws {
    let full = StorageError(.noSpace, "The disk is full.")
    let fixture = try EngineFixture(Self.data, commits: [.failed(full)])
    try await fixture.readAll()
    let gate = WorkerGate()
    async let responses = fixture.send([
      Self.request(.delete, "/posts/7"), Self.patch("/posts?_all=true", #"{"word": "all"}"#),
      Self.patch("/posts/7", #"{"word": "one"}"#),
    ])
    try await wait { await fixture.engine.retractions > 0 }
    gate.open()
    #expect(try await responses.map(\.status.code) == [507, 200, 200])
    #expect(try await fixture.send(.get, "/posts/7").json["word"] == "one")
    #expect(await Self.count("all", in: fixture) == "2999")
  }

  @Test func `An edit waits for one that is under way`() async throws {
    let edit = try EngineFixture.source(["posts": [["id": 5]]], generation: 1)
    let fixture = try EngineFixture(Self.data, commits: [.moved(to: edit)])
    let gate = WorkerGate()
    async let responses = fixture.send([Self.patch("/posts?_all=true", #"{"word": "all"}"#)])
    try await wait { await fixture.engine.isChangingMuch }
    try await fixture.edit(["posts": [["id": 5]]], generation: 1)
    #expect(await fixture.send(.get, "/posts/7").status == .ok)
    gate.open()
    #expect(try await responses.map(\.status.code) == [200])
    // Not saved yet when the edit was taken over, the change was made again.
    #expect(await fixture.value == ["posts": [["id": 5, "word": "all"]]])
  }

  @Test func `One that edits overtake again and again is refused in the end`() async throws {
    let edits = try (1...3).map { CommitResult.moved(to: try EngineFixture.source(Self.data, generation: $0)) }
    let fixture = try EngineFixture(Self.data, commits: edits, knowsEdits: true)
    var gate = WorkerGate()
    async let responses = fixture.send([Self.patch("/posts?_all=true", #"{"word": "all"}"#)])
    for generation in 1...3 {
      try await wait { await fixture.engine.isChangingMuch }
      try await fixture.edit(Self.data, generation: generation)
      // The change is carried out between these two, the edit taken over between the second and the next.
      let second = WorkerGate()
      gate.open()
      try await wait { await fixture.engine.isTakingOver }
      if generation < 3 { gate = WorkerGate() }
      second.open()
    }
    #expect(try await responses.map(\.status) == [.serviceUnavailable])
    #expect(await fixture.value == Self.data)
  }

  @Test func `If-Match is compared with the version that they change`() async throws {
    let fixture = try EngineFixture(Self.data)
    var change = Self.patch("/posts?word=word+3", #"{"word": "x"}"#)
    let tag = EntityTag(of: await fixture.send(.get, "/posts?word=word+3").bytes).fieldValue
    change.headerFields[.ifMatch] = "\"other\""
    #expect(try await fixture.send([change]).map(\.status.code) == [412])
    change.headerFields[.ifMatch] = tag
    // The first changes what the second has seen.
    #expect(try await fixture.send([change, change]).map(\.status.code) == [200, 412])
  }

  @Test func `Bodies that are large are parsed aside, and unwrapped`() async throws {
    let fixture = try EngineFixture(["posts": []], isInMemory: true, configure: { $0.wrapName = "data" })
    let text = String(repeating: "x", count: 200_000)
    let written = try await fixture.send([
      Self.request(.post, "/posts", Array(#"{"data": {"text": "\#(text)"}}"#.utf8)), Self.request(.get, "/posts/1"),
      Self.request(.put, "/posts/1", Array(#"{"text": "\#(text)"#.utf8)),
      Self.request(.post, "/none", Array(#"{"text": "\#(text)"}"#.utf8)),
    ])
    #expect(written.map(\.status.code) == [201, 404, 400, 404])
    #expect(try await fixture.send(.get, "/posts/1").json["data"]?["text"] == .string(text))
  }

  @Test func `A merge of many resources is one change`() async throws {
    let fixture = try EngineFixture(Self.data, configure: { $0.hasResetRoutes = true })
    let body = Array(#"{"posts": "#.utf8) + Self.records(1...9_000) + Array("}".utf8)
    #expect(try await fixture.send([Self.request(.post, "/merge", body)]).map(\.status.code) == [200])
    #expect(await Self.count("new", in: fixture) == "9000")
    #expect(try await fixture.send([Self.request(.post, "/reset", body)]).map(\.status.code) == [200])
    #expect(await fixture.send(.get, "/small").status == .notFound)
    #expect(try await fixture.send([Self.request(.post, "/reset", body.dropLast())]).map(\.status.code) == [400])
  }

  @Test func `Deletions of many are put back as a whole`() async throws {
    let fixture = try EngineFixture(Self.data)
    let ids = (1...500).map(String.init).joined(separator: ", ")
    let body = Array(#"{"resource": "posts", "ids": [\#(ids)]}"#.utf8)
    let deleted = try await fixture.send([Self.request(.post, "/__admin/deletions", body)])
    #expect(try deleted[0].json["deleted"] == ["posts": 500])
    #expect(await fixture.send(.get, "/posts/500").status == .notFound)
    let undone = try await fixture.send([Self.request(.post, "/__admin/undo/1")])
    #expect(try undone[0].json["restored"] == ["posts": 500])
    #expect(await fixture.value == Self.data)
  }
}

extension Engine {
  fileprivate var retractions: Int { writes.retractions }
  fileprivate var isTakingOver: Bool { if case .takingOver = writes.scheduler.work { true } else { false } }
}
