import OrderedJSON
import Testing

@testable import JSONDatabase

@Suite struct `Replacing a database` {
  private static let ids = IDGenerator { "id" }

  private func database(_ text: String) throws -> Database {
    try Database(parsing: UTF8Slice(text), ids: Self.ids)
  }

  private func text(_ database: Database) -> String {
    String(decoding: database.text.bytes, as: UTF8.self)
  }

  @Test func `takes over the other's text, and counts as a change of all resources`() throws {
    var changed = try database(#"{"a": [{"id": 1}], "b": {}, "c": []}"#)
    let before = text(changed)
    changed.restore(from: try database(#"{"d":[]}"#))
    #expect(text(changed) == #"{"d":[]}"#)
    #expect(changed.changedResourceNames == ["d"])
    let changes = changed.takeChanges()
    #expect(changes.resources == [0, 1, 2])
    changed.undo(changes)
    #expect(text(changed) == before)
  }

  @Test func `leaves resources alone whose records stay`() throws {
    let start = try database(#"{"a": [{"id": 1}], "b": [{"id": 1}], "c": []}"#)
    var changed = start
    _ = try changed.delete("1", in: "b")
    _ = changed.takeChanges()
    changed.restore(from: start)
    #expect(changed.changedResourceNames == ["b"])
    var renamed = start
    renamed.restore(from: try database(#"{"c": [], "b": [{"id": 1}], "a": []}"#))
    #expect(renamed.changedResourceNames == ["c", "b", "a"])
  }

  @Test func `is undone together with what came before and after`() throws {
    var changed = try database(#"{"a": [{"id": 1}]}"#)
    let start = changed
    func append() throws {
      _ = try changed.create(ValidJSON(#"{"id": 2}"#), in: "a", ids: Self.ids)
    }
    try append()
    changed.restore(from: start)
    try append()
    #expect(text(changed) == #"{"a": [{"id": 1}, {"id": 2}]}"#)
    changed.undo(changed.takeChanges())
    #expect(text(changed) == text(start))
    #expect(throws: DatabaseError.self) { try changed.record("2", in: "a") }
  }

  @Test(arguments: [
    (
      #"{"a":[{"id":1}],"o":{"x":1}}"#, #"{"a":[{"id":1,"n":2},{"n":3}],"o":{"y":2},"new":[]}"#,
      #"{"a":[{"id":1,"n":2},{"n":3,"id":2}],"o":{"x":1,"y":2},"new":[]}"#
    ),
    (#"{"a":[{"id":1}]}"#, #"{"b":{},"a":{"id":1}}"#, nil),
    (#"{"a":{}}"#, #"{"b":{},"a":[{"id":1}]}"#, nil),
    (#"{"a":[]}"#, #"{"b":{},"a":[{"id":1},2]}"#, nil),
  ])
  func `merges what another holds, all or nothing`(_ text: String, _ other: String, _ merged: String?) throws {
    var changed = try database(text)
    let other = try database(other)
    if let merged {
      try changed.merge(other, ids: Self.ids)
      #expect(try JSONValue(parsing: self.text(changed)) == JSONValue(parsing: merged))
    } else {
      #expect(throws: DatabaseError.self) { try changed.merge(other, ids: Self.ids) }
      #expect(self.text(changed) == text)
    }
  }

  @Test(arguments: [
    ("{\n  \"a\": []\n}\n", "{\n  \"b\": [],\n  \"a\": {}\n}", "{\n  \"a\": [],\n  \"b\": []\n}\n"),
    (#"{"a":[]}"#, #"{"b":{},"c":[]}"#, #"{"a":[],"b":{},"c":[]}"#),
    ("{}", #"{"b":{}}"#, #"{"b":{}}"#),
    (#"{"$schema":"x"}"#, #"{"$schema":"y","b":{}}"#, #"{"$schema":"x","b":{}}"#),
    (#"{"a":[]}"#, #"{"a":{}}"#, #"{"a":[]}"#),
  ])
  func `adds resources that do not exist yet`(_ text: String, _ other: String, _ joined: String) throws {
    var changed = try database(text)
    changed.add(try database(other))
    #expect(self.text(changed) == joined)
    changed.undo(changed.takeChanges())
    #expect(self.text(changed) == text)
  }
}
