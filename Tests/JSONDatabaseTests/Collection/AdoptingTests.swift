import OrderedJSON
import TestSupport
import Testing

@testable import JSONDatabase

/// What is found out about a copy, on another thread, and taken over while the original has changed.
@Suite(.calculates) struct AdoptingTests {
  private static let count = 2_100

  private static let queries: [Query] = {
    var sorted = Query()
    sorted.sort = [SortKey(FieldPath("n"), descending: true), SortKey(FieldPath("id"))]
    sorted.window = .page(2, size: 30)
    var searched = Query()
    searched.search = "word 7"
    var related = Query(("n", "3"))
    related.relations = [RelationRequest(.expand, "b")]
    return [
      sorted, searched, related, Query(("n", "5")), Query(("n_gte", "90"), ("word_like", "d 1")),
      Query(("new", "true")),
      Query(("n_ne", "4")),
    ]
  }()

  private static func database() throws -> Database {
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

  @Test(arguments: 0..<6)
  func `Indexes of a copy are those of the data, whatever was written meanwhile`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var database = try Self.database()
    for query in Self.queries {
      var copy = database.copy(for: query)
      _ = try copy.list("a", query)
      for _ in 0..<Int.random(in: 0..<30, using: &random) { try Self.write(&database, &random) }
      database.adopt(&copy)
    }
    var plain = try Database.fixture(database.string)
    for query in Self.queries {
      let found = try database.list("a", query)
      let expected = try plain.list("a", query)
      #expect(found.selection.total == expected.selection.total)
      #expect(found.selection.records.map(\.string) == expected.selection.records.map(\.string))
    }
    for id in 1...Self.count {
      let (found, expected) = (try? database.record("\(id)", in: "a"), try? plain.record("\(id)", in: "a"))
      #expect(found?.string == expected?.string)
    }
    let (created, expected) = (try database.create("{}", in: "a").id, try plain.create("{}", in: "a").id)
    #expect(created == expected)
  }

  private static func write(_ database: inout Database, _ random: inout SeededGenerator) throws {
    let id = "\(Int.random(in: 1...count, using: &random))"
    switch Int.random(in: 0..<4, using: &random) {
    case 0: _ = try? database.delete(id, in: "a")
    case 1: _ = try database.create(#"{"n": 5, "word": "word 7", "new": true}"#, in: "a")
    case 2: _ = try? database.create(#"{"id": \#(id), "n": 90}"#, in: "a")
    default: _ = try? database.merge(#"{"n": \#(Int.random(in: 0..<100, using: &random))}"#, into: id, in: "a")
    }
  }

  @Test func `A query is quick once its indexes are taken over`() throws {
    var database = try Self.database()
    let before = Self.queries.map { database.isQuick($0, in: "a") }
    #expect(before.allSatisfy { !$0 })
    for query in Self.queries where query.search.isEmpty {
      var copy = database.copy(for: query)
      _ = try copy.list("a", query)
      database.adopt(&copy)
    }
    let quick = [Self.queries[0], Self.queries[2], Self.queries[3], Query()].map { database.isQuick($0, in: "a") }
    #expect(quick == [true, true, true, true])
    let searches = ["a", "b"].map { database.isQuick(Self.queries[1], in: $0) }
    #expect(searches == [false, true])
  }

  @Test func `Names that no record has are remembered up to a number of them`() throws {
    var database = try Self.database()
    for round in 0..<4 {
      var query = Query()
      query.parameters = (0..<100).map { FilterParameter("unknown\(round * 100 + $0)", ["1"]) }
      var copy = database.copy(for: query)
      _ = try copy.list("a", query)
      database.adopt(&copy)
      let known = try #require(database.entries[0].collection).fields.known
      #expect(!known.isEmpty && known.count <= FieldIndexes.maximumKnown)
    }
  }
}
