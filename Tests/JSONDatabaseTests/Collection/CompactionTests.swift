import OrderedJSON
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

  /// Takes what was changed as saved.
  private static func save(_ database: inout Database, tolerating tolerated: Int? = nil) {
    let saved = database.takeChanges()
    var unsaved = UndoLog()
    var removed: [RemovedRecords] = []
    database.compact(
      after: saved, adjusting: &unsaved, &removed, tolerating: tolerated ?? RecordCollection.toleratedCount)
  }

  @Test func `20,000 records that come and go between two that stay take no slots, and nobody sees it`() throws {
    var database = try Database.fixture(#"{"a": [{"id": 1, "n": 3}]}"#)
    var reference = database
    var living: [String] = []
    var largest = 0
    for round in 0..<40 {
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
      Self.save(&database)
      largest = max(largest, try Self.collection(database).rows.slotCount)
      // Indexes make each write dearer: they are asked for in the last rounds.
      guard round >= 36 else { continue }
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
    #expect(try Self.collection(reference).rows.slotCount > 20_000)
    #expect(try Self.collection(database).count == 501)
  }

  @Test(arguments: 0..<30)
  func `What is not saved can be taken back after slots were given up`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var database = try Database.fixture(#"{"a": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
    var living = ["1", "2", "3"]
    func write(_ count: Int) throws {
      for _ in 0..<count {
        switch (Int.random(in: 0..<5, using: &random), living.indices.randomElement(using: &random)) {
        case (0...1, let index?): _ = try database.delete(living.remove(at: index), in: "a")
        case (2, let index?): _ = try database.merge(#"{"n": \#(index)}"#, into: living[index], in: "a")
        default: living.append(try database.create("{}", in: "a").id)
        }
      }
    }
    for _ in 0..<60 {
      try write(Int.random(in: 0..<12, using: &random))
      let saved = database.takeChanges()
      let (text, ids) = (database.string, living)
      try write(Int.random(in: 0..<12, using: &random))
      var unsaved = database.takeChanges()
      let latest = database.string
      var removed: [RemovedRecords] = []
      database.compact(after: saved, adjusting: &unsaved, &removed, tolerating: 0)
      #expect(database.string == latest)
      if Bool.random(using: &random) {
        database.undo(unsaved)
        #expect(database.string == text)
        living = ids
      }
      for id in living { #expect(throws: Never.self) { try database.record(id, in: "a") } }
    }
  }

  @Test func `A version that was copied before stays as it was`() throws {
    var database = try Database.fixture(#"{"a": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
    _ = try database.delete("1", in: "a")
    _ = try database.delete("2", in: "a")
    var copy = database
    Self.save(&database, tolerating: 0)
    #expect(try Self.collection(database).rows.slotCount == 1)
    copy.undo(copy.takeChanges())
    #expect(copy.string == #"{"a": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
  }

  @Test func `Numbers of removed records are not kept for ever below a larger one`() throws {
    var database = try Database.fixture(#"{"a": [{"id": 1000000}]}"#)
    _ = try database.delete(try database.create("{}", in: "a").id, in: "a")
    for number in 1...5_000 {
      _ = try database.create(#"{"id": \#(number)}"#, in: "a")
      _ = try database.delete(String(number), in: "a")
    }
    #expect((try Self.collection(database).numericIDs?.count ?? 0) < 1_100)
    #expect(try database.create("{}", in: "a").id == "1000001")
  }
}
