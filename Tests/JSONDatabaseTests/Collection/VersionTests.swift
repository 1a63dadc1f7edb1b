import Dispatch
import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

/// Versions of data that share what is found out about them, read in any order and by any thread.
@Suite(.calculates) struct VersionTests {
  private static let count = 2_100

  private static let queries: [Query] = {
    var sorted = Query()
    sorted.sort = [SortKey(FieldPath("n"), descending: true), SortKey(FieldPath("id"))]
    sorted.window = .page(2, size: 30)
    var searched = Query()
    searched.criteria.search = "word 7"
    var related = Query(("n", "3"))
    related.relations = [RelationRequest(.expand, "b")]
    return [
      sorted, searched, related, Query(("n", "5")), Query(("n_gte", "90"), ("word_like", "d 1")),
      Query(("new", "true")), Query(("n_ne", "4")),
    ]
  }()

  private static func database(_ count: Int = count) throws -> Database {
    let records = (1...count).map { id in
      JSONValue.object(
        JSONObject([
          ("id", .number(JSONNumber(id))), ("n", .number(JSONNumber(id * 7 % 100))),
          ("word", .string("word \(id % 13)")),
          ("bId", .number(JSONNumber(id % 5))),
        ]))
    }
    let parents = (0..<5).map { JSONValue.object(JSONObject([("id", .number(JSONNumber($0)))])) }
    return try .fixture(JSONValue.object(JSONObject([("a", .array(records)), ("b", .array(parents))])).text())
  }

  private static func write(_ database: inout Database, _ random: inout SeededGenerator) throws {
    let id = "\(Int.random(in: 1...count, using: &random))"
    switch Int.random(in: 0..<5, using: &random) {
    case 0: _ = try? database.delete(id, in: "a")
    case 1: _ = try database.create(#"{"n": 5, "word": "word 7", "new": true}"#, in: "a")
    case 2: _ = try? database.create(#"{"id": \#(id), "n": 90}"#, in: "a")
    // Records that exchange their ids, and numbers and texts that mix for a while.
    case 3: _ = try? database.merge(#"{"n": "\#(id)"}"#, into: id, in: "a")
    default: _ = try? database.merge(#"{"n": \#(Int.random(in: 0..<100, using: &random))}"#, into: id, in: "a")
    }
  }

  /// Compares what a version says with what a database of the same text, which shares nothing, says.
  private static func expectPlain(_ version: Database, _ query: Query, _ comment: Comment) throws {
    let plain = try Database.fixture(version.string)
    let (found, expected) = (try version.list("a", query), try plain.list("a", query))
    #expect(found.selection.total == expected.selection.total, comment)
    #expect(found.selection.records.map(\.string) == expected.selection.records.map(\.string), comment)
    for id in ["1", "7", "\(count)", "\(count + 1)", "\(count + 2)", "x"] {
      let (found, expected) = (try? version.record(id, in: "a"), try? plain.record(id, in: "a"))
      #expect(found?.string == expected?.string, comment)
    }
    #expect(version.memberNames(of: "a") == plain.memberNames(of: "a"), comment)
    var (mine, others) = (version, plain)
    #expect(try mine.create("{}", in: "a").id == others.create("{}", in: "a").id, comment)
  }

  @Test(arguments: 0..<(TestEffort.isFull ? 8 : 1))
  func `Each version answers as a database of its own would, whichever was asked before`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var versions = [try Self.database()]
    for step in 0..<20 {
      // Also from an older one: what was changed since is taken back.
      var next = versions[Int.random(in: max(0, versions.count - 3)..<versions.count, using: &random)]
      let count = step % 8 == 7 ? 300 : Int.random(in: 1..<30, using: &random)
      for _ in 0..<count { try Self.write(&next, &random) }
      versions.append(next)
      for _ in 0..<2 {
        let index = Int.random(in: 0..<versions.count, using: &random)
        guard let query = Self.queries.randomElement(using: &random) else { continue }
        try Self.expectPlain(versions[index], query, "\(seed), step \(step), version \(index)")
      }
    }
  }

  @Test(arguments: 0..<(TestEffort.isFull ? 8 : 1))
  func `A fork and its origin keep out of each other's way`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let start = try Self.database()
    var versions = [start, start.forked(), start.separated()]
    for step in 0..<20 {
      let index = Int.random(in: 0..<3, using: &random)
      for _ in 0..<Int.random(in: 1..<40, using: &random) { try Self.write(&versions[index], &random) }
      let read = Int.random(in: 0..<3, using: &random)
      if step == 9 { versions[1].forgetIndexes() }
      try Self.expectPlain(versions[read], Self.queries[step % Self.queries.count], "\(seed), step \(step), \(read)")
    }
  }

  @Test func `Eight threads read one version while its owner writes`() async throws {
    let start = try Self.database()
    let expected = try Self.queries.map {
      try Database.fixture(start.string).list("a", $0).selection.records.map(\.string)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for round in 0..<7 {
            let index = (round + thread) % Self.queries.count
            let found = try start.list("a", Self.queries[index]).selection.records.map(\.string)
            #expect(found == expected[index])
            #expect(try start.record("\(thread + 1)", in: "a").string.contains("\"word\""))
          }
        }
      }
      group.addTask {
        var random = SeededGenerator(seed: 1)
        var now = start
        for _ in 0..<150 {
          try Self.write(&now, &random)
          _ = try now.list("a", Self.queries[3])
        }
        try Self.expectPlain(now, Self.queries[0], "the owner's")
      }
      try await group.waitForAll()
    }
  }

  @Test func `Several threads find what one finds`() throws {
    var database = try Self.database(9_000)
    for id in 3_000..<3_100 { _ = try database.delete("\(id)", in: "a") }
    var shared = database
    shared.patience = Patience { count, part in DispatchQueue.concurrentPerform(iterations: count, execute: part) }
    var joined = Query(("b.id", "3"), ("word_like", "7$"))
    joined.relations = [RelationRequest(.expand, "b")]
    for query in Self.queries + [Query(("word_like", "d [17]$")), joined] {
      let (found, expected) = (try shared.list("a", query), try database.list("a", query))
      #expect(found.selection.total == expected.selection.total && expected.selection.total < 9_000)
      #expect(found.selection.records.map(\.string) == expected.selection.records.map(\.string))
    }
  }

  @Test func `What nobody wants any more is found no further, and leaves nothing wrong behind`() throws {
    let database = try Self.database(60)
    var sorted = Query()
    sorted.sort = [SortKey(FieldPath("n")), SortKey(FieldPath("word"))]
    for query in [sorted, Self.queries[1], Self.queries[4], Self.queries[2]] {
      var unwanted = database
      unwanted.patience = Patience()
      unwanted.patience.end()
      let found = try unwanted.list("a", query)
      #expect(unwanted.patience.isOver)
      #expect(found.related.records.count == 0 || query.sort.count == 2)
      let plain = try Database.fixture(database.string).list("a", query).selection.records.map(\.string)
      #expect(try database.list("a", query).selection.records.map(\.string) == plain)
    }
  }

  @Test func `What a version replaces is not kept by indexes that nobody asks for`() throws {
    var database = try Self.database(300)
    _ = try database.list("a", Query(("n", "1")))
    weak var storage: AnyObject?
    do {
      let written = try database.merge(#"{"text": "\#(String(repeating: "x", count: 100))"}"#, into: "1", in: "a")
      _ = try database.list("a", Query(("n", "2")))
      storage = written.text.storage
    }
    #expect(storage != nil)
    for round in 0..<2_100 { _ = try database.merge(#"{"n": \#(round)}"#, into: "\(round % 300 + 1)", in: "a") }
    #expect(storage == nil)
  }
}
