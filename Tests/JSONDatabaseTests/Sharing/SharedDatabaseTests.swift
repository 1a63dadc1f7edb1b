import JSONServerValues
import Testing

@testable import JSONDatabase

/// Databases that several servers hold, and tell each other of in rows.
@Suite struct `Shared databases` {
  private static let texts = [
    "{}", "{\n}\n", #"{"posts":[]}"#, #"{"posts": [{"id": 1}, {"id": 2}], "profile": {"name": "a"}}"#,
    "{\n  \"$schema\": \"s.json\",\n  \"a\": [\n    { \"id\": 1 },\n    {\"id\":\t2}\n  ],\n  \"b\": [ ],\n  \"c\": {}\n}\n",
    #"{ "a\u0062": [ {"x": 1.50e+10, "y": "\ud83d\ude00"} , null, 7 ] }"#,
  ]

  /// What another server reads of a database.
  private func read(_ database: Database) throws -> Database {
    var assembler = DatabaseAssembler(database.frame, size: 0)
    for row in database.placedRows {
      guard let text = row.text else { continue }
      assembler.append(resource: row.resource, slot: row.slot, text.withBytes { Array($0) }[...])
    }
    return try assembler.database(schema: database.schema)
  }

  private func slots(_ database: Database) -> [[Int]] {
    database.placedRows.map { [$0.resource, $0.slot] }
  }

  @Test(arguments: texts) func `Rows make the same text again`(_ text: String) throws {
    #expect(try read(try Database.fixture(text)).string == text)
  }

  @Test func `Records keep their slots, whatever was removed before them`() throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}, {"id": 2}, {"id": 3}], "users": [{"id": 1}]}"#)
    _ = try database.delete("2", in: "posts")
    var other = try read(database)
    #expect(slots(other) == [[0, 0], [0, 2], [1, 0]])
    let id = try other.create("{}", in: "posts").id
    #expect(id == "4")
    _ = try database.create("{}", in: "posts")
    #expect(slots(other) == slots(database))
    #expect(other.string == database.string)
  }

  @Test func `What one changes makes the other the same, with its indexes`() throws {
    var one = try Database.fixture(
      #"{"posts": [{"id": 1, "n": 1}, {"id": 2}], "comments": [{"id": 1, "postId": 2}], "me": {}}"#)
    let base = one
    var other = try read(one)
    let hadRecord = other.hasRecord("2", in: "posts")
    #expect(hadRecord)
    _ = try one.delete("2", in: "posts")
    _ = try one.create(#"{"n": 2}"#, in: "posts")
    _ = try one.create(#"{"n": 3}"#, in: "posts")
    _ = try one.merge(#"{"n": 4}"#, into: "1", in: "posts")
    _ = try one.write(#"{"name": "b"}"#, toSingular: "me")
    let rows = try #require(one.placedRows(since: base))
    let before = other
    for row in rows { #expect(other.apply(row) == nil) }
    #expect(other.string == one.string)
    #expect(slots(other) == slots(one))
    let isGone = !other.hasRecord("1", in: "comments")
    let isThere = other.hasRecord("3", in: "posts")
    #expect(isGone && isThere)
    // All but the object.
    #expect(other.changes(since: before).count == rows.count - 1)
    let after = other
    for row in rows { #expect(other.apply(row) == nil) }
    #expect(other.isIdentical(to: after))
  }

  @Test func `Places that were changed several times are told once, and those that are gone as gone`() throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}, {"id": 2}]}"#)
    let base = database
    let id = try database.create("{}", in: "posts").id
    _ = try database.merge(#"{"n": 1}"#, into: "1", in: "posts")
    _ = try database.merge(#"{"n": 2}"#, into: "1", in: "posts")
    _ = try database.delete("2", in: "posts")
    _ = try database.delete(id, in: "posts")
    let rows = try #require(database.placedRows(since: base))
    #expect(rows.map(\.slot) == [0, 1])
    #expect(rows.map { $0.text == nil } == [false, true])
  }

  @Test func `A replacement of everything is told as that`() throws {
    let base = try Database.fixture(#"{"posts": []}"#)
    var database = base
    database.assign(try Database.fixture("{}"))
    #expect(database.placedRows(since: base) == nil)
  }

  @Test(arguments: [(7, "{}"), (0, "{"), (0, "{} {}")]) func `What cannot be served changes nothing`(
    resource: Int, text: String
  ) throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}]}"#)
    let before = database.string
    #expect(database.apply(PlacedRow(resource: resource, slot: 1, text: UTF8Slice(text))) != nil)
    #expect(database.string == before)
  }

  @Test func `No record is added where another's cannot be read, until something else is there`() throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}]}"#)
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    for slot in [1, 2, 2_000_000_000] {
      let row = PlacedRow(resource: 0, slot: slot, text: UTF8Slice(deep))
      #expect(database.apply(row) != nil)
    }
    for id in ["2", "3"] { #expect(try database.create("{}", in: "posts").id == id) }
    #expect(slots(database) == [[0, 0], [0, 3], [0, 4]])
    for id in ["2", "3"] { _ = try database.delete(id, in: "posts") }
    #expect(database.apply(PlacedRow(resource: 0, slot: 1, text: nil)) == nil)
    for id in ["2", "3"] { #expect(try database.create("{}", in: "posts").id == id) }
    #expect(slots(database) == [[0, 0], [0, 1], [0, 3]])
  }

  @Test func `An object is what its first row says, and empty without it`() throws {
    var database = try Database.fixture(#"{"$schema": "s.json", "me": {"name": "a"}}"#)
    let before = database
    for row in [
      PlacedRow(resource: 0, slot: 0, text: nil), PlacedRow(resource: 1, slot: 0, text: nil),
      PlacedRow(resource: 1, slot: 1, text: UTF8Slice(#"{"name": "b"}"#)),
    ] {
      #expect(database.apply(row) == nil)
    }
    #expect(database.resourceNames(at: database.changedPositions(since: before)) == ["$schema", "me"])
    #expect(database.value == ["$schema": [:], "me": [:]])
    var assembler = DatabaseAssembler(database.frame, size: 0)
    assembler.append(resource: 1, slot: 1, Array(#"{"name": "b"}"#.utf8)[...])
    // What a server reads that is started now.
    #expect(try assembler.database(schema: database.schema).string == database.string)
    for text in ["5", "[]", "null"] {
      #expect(database.apply(PlacedRow(resource: 1, slot: 0, text: UTF8Slice(text))) != nil)
    }
  }

  @Test func `New ids follow those that others gave to records which were there`() throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}, {"id": 2}]}"#)
    #expect(try database.create("{}", in: "posts").id == "3")
    #expect(database.apply(PlacedRow(resource: 0, slot: 0, text: UTF8Slice(#"{"id": 500}"#))) == nil)
    #expect(try database.create("{}", in: "posts").id == "501")
  }

  @Test func `Under 1.0's dialect every server finds the same ids`() throws {
    var database = try Database.fixture(#"{"posts": [{"id": 1}]}"#, .v1)
    #expect(database.apply(PlacedRow(resource: 0, slot: 4, text: UTF8Slice(#"{"n": 1}"#))) == nil)
    let hasApplied = database.hasRecord("row-4", in: "posts")
    var assembler = DatabaseAssembler(database.frame, size: 0)
    assembler.append(resource: 0, slot: 4, Array(#"{"n": 1}"#.utf8)[...])
    let read = try assembler.database(schema: database.schema)
    let hasRead = read.hasRecord("row-4", in: "posts")
    #expect(hasApplied && hasRead)
  }
}
