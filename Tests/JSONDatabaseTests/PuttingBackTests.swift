import TestSupport
import Testing

@testable import JSONDatabase

/// Deletions that are undone when other writes came since.
@Suite(.calculates) struct PuttingBackTests {
  @Test(arguments: 0..<40)
  func `What was removed is there again, whatever was written since`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let records = (1...12).map { #"{"id": \#($0), "aId": \#(Int.random(in: 1...24, using: &random))}"# }
    var database = try Database.fixture(#"{"a": [\#(records.joined(separator: ", "))]}"#)
    var next = 100
    for _ in 0..<12 {
      let living = try database.ids(of: "a", Query())
      let chosen = living.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
      var reference = database.forked()
      let removed = try database.delete(Array(chosen), in: "a")
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        next += 1
        _ = try database.create(#"{"id": \#(next)}"#, in: "a")
        _ = try reference.create(#"{"id": \#(next)}"#, in: "a")
      }
      let (before, text) = (database, database.string)
      try database.undo(removed)
      #expect(try database.ids(of: "a", Query()) == reference.ids(of: "a", Query()))
      for id in try database.ids(of: "a", Query()) { _ = try database.record(id, in: "a") }
      if Bool.random(using: &random) {
        database = before
        #expect(database.string == text)
      }
    }
  }

  @Test func `What was added goes although another change was undone before`() throws {
    var database = try Database.fixture(#"{"a": [{"id": "1"}, {"id": "2"}]}"#)
    let original = database.string
    let removed = try database.delete(["2"], in: "a")
    let base = database
    _ = try database.create(#"{"id": "3"}"#, in: "a")
    let added = Reversal(between: base, and: database)
    try database.undo(removed)
    try database.undo(added)
    #expect(database.string == original)
  }

  @Test(arguments: [Dialect.classic, .v1])
  func `Thousands of records go together, and come back together`(_ dialect: Dialect) throws {
    let comments = (0..<2_200).map { #"{"id": "\#($0)", "aId": "\#($0 % 2)", "few": \#($0 % 3 == 0)}"# }
    var database = try Database.fixture(
      #"{"a": [{"id": "0"}, {"id": "1"}], "b": [\#(comments.joined(separator: ", "))]}"#, dialect)
    let original = database.string
    func expectFresh() throws {
      let fresh = try Database.fixture(database.string, dialect)
      for query in [Query(("few", "true"), ("aId", "1")), Query(("few", "true"), ("aId", "0"))] {
        #expect(try database.ids(of: "b", query) == fresh.ids(of: "b", query))
      }
    }
    try expectFresh()
    let removed = try database.delete(["0"], in: "a")
    try expectFresh()
    try database.undo(removed)
    try expectFresh()
    #expect(database.string == original)
    // One that is named twice is removed once.
    let many = try database.delete((0..<1_500).map(String.init) + ["7"], in: "b")
    #expect(many.count == 1_500)
    try expectFresh()
    try database.undo(many)
    #expect(database.string == original)
  }
}
