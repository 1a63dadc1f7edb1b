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
      var reference = database
      var removed = [try database.delete(Array(chosen), in: "a")]
      var saved = database.takeChanges()
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        next += 1
        _ = try database.create(#"{"id": \#(next)}"#, in: "a")
        _ = try reference.create(#"{"id": \#(next)}"#, in: "a")
        saved.append(database.takeChanges())
      }
      if Bool.random(using: &random) {
        var unsaved = UndoLog()
        database.compact(after: saved, adjusting: &unsaved, &removed, tolerating: 0)
      }
      let before = database.string
      try database.putBack(removed[0])
      #expect(try database.ids(of: "a", Query()) == reference.ids(of: "a", Query()))
      for id in try database.ids(of: "a", Query()) { _ = try database.record(id, in: "a") }
      if Bool.random(using: &random) {
        database.undo(database.takeChanges())
        #expect(database.string == before)
      }
    }
  }
}
