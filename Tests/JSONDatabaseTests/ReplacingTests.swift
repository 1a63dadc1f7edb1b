import JSONServerValues
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
    let before = try database(#"{"a": [{"id": 1}], "b": {}, "c": []}"#)
    var changed = before
    changed.assign(try database(#"{"d":[]}"#))
    #expect(text(changed) == #"{"d":[]}"#)
    let positions = changed.changedPositions(since: before)
    #expect(positions == [0, 1, 2])
    #expect(changed.resourceNames(at: positions) == ["d"])
  }

  @Test func `leaves resources alone whose records stay`() throws {
    let start = try database(#"{"a": [{"id": 1}], "b": [{"id": 1}], "c": [], "d": {}}"#)
    var changed = start
    _ = try changed.delete("1", in: "b")
    let deleted = changed
    changed.assign(start)
    #expect(changed.changedPositions(since: deleted) == [1])
    #expect(changed.isIdentical(to: start))
    var renamed = start
    renamed.assign(try database(#"{"c": [], "b": [{"id": 1}], "a": [], "d": {}}"#))
    #expect(renamed.changedPositions(since: start) == [0, 1, 2, 3])
  }

  @Test(arguments: [1, 63, 64, 4_095, 4_096, 4_500])
  func `a resource among many is the only one that differs`(_ position: Int) throws {
    let members = (0..<4_501).map { "\"r\($0)\":[{\"id\":1}]" }
    let before = try database("{\(members.joined(separator: ","))}")
    var changed = before
    _ = try changed.create("{}", in: "r\(position)")
    #expect(changed.changedPositions(since: before) == [position])
    #expect(before.count(of: "r\(position)") == 1)
    #expect(changed.isIdentical(to: changed.forked()))
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
    let start = try database(text)
    var changed = start
    changed.add(try database(other))
    #expect(self.text(changed) == joined)
    #expect(self.text(start) == text)
  }
}
