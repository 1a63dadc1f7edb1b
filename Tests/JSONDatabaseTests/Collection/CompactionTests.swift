import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

/// What removed records leave behind.
@Suite(.calculates) struct CompactionTests {
  private static func collection(_ database: Database) throws -> RecordCollection {
    guard case .collection(let collection)? = database.resource(named: "a") else {
      throw DatabaseError(.unknownResource, "The collection is gone.")
    }
    return collection
  }

  private static func compact(_ database: inout Database, since base: Database, tolerating tolerated: Int? = nil) {
    database.compact(since: base, except: [], tolerating: tolerated ?? RecordCollection.toleratedCount)
  }

  @Test func `Thousands of records that come and go between two that stay take no slots, and nobody sees it`() throws {
    let rounds = TestEffort.isFull ? 40 : 12
    var database = try Database.fixture(#"{"a": [{"id": 1, "n": 3}]}"#)
    var reference = database.forked()
    var living: [String] = []
    var largest = 0
    for round in 0..<rounds {
      let base = database
      var created: [String] = []
      for number in 0..<500 {
        let body = #"{"n": \#(number % 7), "round": \#(round)}"#
        created.append(try database.create(body, in: "a").id)
        #expect(try reference.create(body, in: "a").id == created[number])
      }
      for id in living {
        _ = try database.delete(id, in: "a")
        _ = try reference.delete(id, in: "a")
      }
      living = created
      Self.compact(&database, since: base)
      largest = max(largest, try Self.collection(database).rows.slotCount)
      // Indexes make each write dearer: they are asked for in the last rounds.
      guard round >= rounds - 4 else { continue }
      for query in [Query(("n", "3")), Query(("n_gte", "5")), Query(("round", "\(round)"))] {
        #expect(try database.ids(of: "a", query) == reference.ids(of: "a", query))
      }
      var sorted = Query()
      sorted.sort = [SortKey(FieldPath("n"), descending: true)]
      sorted.window = .page(2, size: 20)
      #expect(try database.ids(of: "a", sorted) == reference.ids(of: "a", sorted))
      #expect(database.string == reference.string)
    }
    #expect(largest <= 3_100)
    #expect(try Self.collection(reference).rows.slotCount > rounds * 500)
    #expect(try Self.collection(database).count == 501)
  }

  @Test func `A version that was copied before stays as it was`() throws {
    let start = try Database.fixture(#"{"a": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
    var database = start
    _ = try database.delete("1", in: "a")
    let copy = database
    _ = try database.delete("2", in: "a")
    Self.compact(&database, since: start, tolerating: 0)
    #expect(try Self.collection(database).rows.slotCount == 1)
    for (version, ids) in [(start, ["1", "2", "3"]), (copy, ["2", "3"]), (database, ["3"])] {
      #expect(try version.ids(of: "a", Query()) == ids)
      for id in ids { _ = try version.record(id, in: "a") }
    }
  }

  @Test func `A collection keeps its slots where it is asked to`() throws {
    let start = try Database.fixture(#"{"a": [{"id": 1}, {"id": 2}]}"#)
    var database = start
    _ = try database.delete("1", in: "a")
    let isCompacted = database.compact(since: start, except: [0], tolerating: 0)
    #expect(!isCompacted)
    #expect(try Self.collection(database).rows.slotCount == 2)
  }
}
