import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

struct WritingTests {
  /// What is before and after a database in which one operation changed `<…>` of each text.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let before: String
    let after: String
    let change: @Sendable (inout Database) throws -> Void
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "a merge changes one line",
      before:
        "{\n  \"a\": [\n    {\n      \"id\": 1,\n      \"n\": 1.0,\n      \"t\": \"\\u0041\"\n    } ,\n    {\"id\": 2}\n  ]\n}\n",
      after:
        "{\n  \"a\": [\n    {\n      \"id\": 1,\n      \"n\": 2,\n      \"t\": \"\\u0041\"\n    } ,\n    {\"id\": 2}\n  ]\n}\n"
    ) { _ = try $0.merge("{\"n\":2, \"id\": 7}", into: "1", in: "a") },
    Case(
      name: "a merged new member is laid out as its neighbours are",
      before: "{\n\t\"a\": [\n\t\t{\n\t\t\t\"id\": 1\n\t\t}\n\t]\n}",
      after: "{\n\t\"a\": [\n\t\t{\n\t\t\t\"id\": 1,\n\t\t\t\"b\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t]\n}"
    ) { _ = try $0.merge("{\"b\":[1]}", into: "1", in: "a") },
    Case(
      name: "a merged second member on a line with spaces", before: "{\"a\": [{\"id\": 1}]}",
      after: "{\"a\": [{\"id\": 1, \"b\": 2}]}"
    ) { _ = try $0.merge("{\"b\":2}", into: "1", in: "a") },
    Case(
      name: "a merged second member on a line without spaces", before: "{\"a\":[{\"id\":1}]}",
      after: "{\"a\":[{\"id\":1,\"b\":2}]}"
    ) { _ = try $0.merge("{\"b\":2}", into: "1", in: "a") },
    Case(
      name: "a replacement keeps the record's layout, its id and the space after it",
      before: "{ \"a\": [ { \"id\": 1, \"n\": 1 } , { \"id\": 2 } ] }",
      after: "{ \"a\": [ { \"m\": null, \"id\": 1 } , { \"id\": 2 } ] }"
    ) { _ = try $0.replace("1", in: "a", with: "{\"m\":null}") },
    Case(
      name: "a new record is laid out as the last is",
      before: "{\r\n  \"a\": [\r\n    { \"id\": 1 }\r\n  ]\r\n}\r\n",
      after: "{\r\n  \"a\": [\r\n    { \"id\": 1 },\r\n    { \"n\": \"x\", \"id\": 2 }\r\n  ]\r\n}\r\n"
    ) { _ = try $0.create("{\"n\":\"x\"}", in: "a") },
    Case(name: "the first record of a file on one line", before: "{\"a\":[]}", after: "{\"a\":[{\"id\":1}]}") {
      _ = try $0.create("{}", in: "a")
    },
    Case(
      name: "the first record of an indented file",
      before: "{\n    \"a\": []\n}\n",
      after: "{\n    \"a\": [\n        {\n            \"id\": 1\n        }\n    ]\n}\n"
    ) { _ = try $0.create("{}", in: "a") },
    Case(
      name: "a deletion takes the record and its comma",
      before: "{\n  \"a\": [\n    {\"id\": 1},\n    {\"id\": 2},\n    {\"id\": 3}\n  ]\n}\n",
      after: "{\n  \"a\": [\n    {\"id\": 1},\n    {\"id\": 3}\n  ]\n}\n"
    ) { _ = try $0.delete("2", in: "a") },
    Case(
      name: "the only record's deletion", before: "{\n  \"a\": [\n    {\"id\": 1}\n  ]\n}\n",
      after: "{\n  \"a\": []\n}\n"
    ) { _ = try $0.delete("1", in: "a") },
    Case(name: "what came goes again", before: "{\"a\": [\n  ]}", after: "{\"a\": [\n  ]}") {
      _ = try $0.create("{}", in: "a")
      _ = try $0.delete("1", in: "a")
    },
    Case(
      name: "a brace in a bracket's line, with a PUT",
      before: "{\n  \"a\": [{\n      \"id\": 1,\n      \"t\": \"a\"\n    }],\n  \"n\": []\n}\n",
      after: "{\n  \"a\": [{\n      \"id\": 1,\n      \"t\": \"b\"\n    }],\n  \"n\": []\n}\n"
    ) { _ = try $0.replace("1", in: "a", with: #"{"id":1,"t":"b"}"#) },
    Case(
      name: "a brace in a bracket's line, with a POST",
      before: "{\n  \"a\": [{\n      \"id\": 1\n    }, {\n      \"id\": 2\n    }]\n}\n",
      after: "{\n  \"a\": [{\n      \"id\": 1\n    }, {\n      \"id\": 2\n    }, {\n      \"id\": 3\n    }]\n}\n"
    ) { _ = try $0.create("{}", in: "a") },
    Case(
      name: "lists on one line, with a PUT, a PATCH and a POST",
      before: "{\n  \"a\": [\n    {\n      \"id\": 1,\n      \"xy\": [1, 2],\n      \"t\": \"a\"\n    }\n  ]\n}\n",
      after: "{\n  \"a\": [\n    {\n      \"xy\": [1, 2],\n      \"t\": [5, 6],\n      \"id\": 1\n    },\n"
        + "    {\n      \"xy\": [3],\n      \"o\": [\n        {}\n      ],\n      \"id\": 2\n    }\n  ]\n}\n"
    ) {
      _ = try $0.replace("1", in: "a", with: #"{"xy":[1,2],"t":"b"}"#)
      _ = try $0.merge(#"{"t":[5,6]}"#, into: "1", in: "a")
      _ = try $0.create(#"{"xy":[3],"o":[{}]}"#, in: "a")
    },
    Case(
      name: "lists on lines of their own",
      before: "{\n  \"a\": [\n    {\n      \"id\": 1,\n      \"xy\": [\n        1\n      ]\n    }\n  ]\n}\n",
      after: "{\n  \"a\": [\n    {\n      \"id\": 1,\n      \"xy\": [\n        2\n      ]\n    }\n  ]\n}\n"
    ) { _ = try $0.replace("1", in: "a", with: #"{"id":1,"xy":[2]}"#) },
    Case(
      name: "a singular resource's merge", before: "{\n  \"p\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}",
      after: "{\n  \"p\": {\n    \"a\": 3,\n    \"b\": 2\n  }\n}"
    ) { database in
      _ = try database.write("{\"a\":3}", toSingular: "p")
    },
  ]

  @Test(arguments: cases)
  func `A change leaves every other byte, and the version before every byte`(_ test: Case) throws {
    let before = try Database.fixture(test.before)
    var database = before
    try test.change(&database)
    #expect(database.string == test.after)
    #expect(before.string == test.before)
  }

  static let ids: [(records: String, body: String, id: String)] = [
    ("", "{}", "1"), ("{\"id\":1},{\"id\":2}", "{}", "3"), ("{\"id\":7},{\"id\":2}", "{\"id\":null}", "8"),
    ("{\"id\":-5}", "{}", "-4"), ("{\"id\":0}", "{\"id\":0}", "1"), ("{\"id\":1}", "{\"id\":\"\"}", "2"),
    ("{\"id\":1}", "{\"id\":false}", "2"), ("{\"id\":1}", "{\"id\":0.0}", "2"), ("{\"id\":1}", "{\"id\":-0}", "2"),
    ("{\"id\":1}", "{\"id\":5}", "5"), ("{\"id\":1}", "{\"id\":\"x\"}", "\"x\""), ("{\"id\":1e3}", "{}", "1001"),
    ("{\"id\":1.0}", "{}", "2"), ("{\"id\":1.5}", "{}", "2.5"), ("{\"id\":9007199254740993}", "{}", "9007199254740994"),
    ("{\"id\":12345678901234567899},{\"id\":3}", "{}", "12345678901234567900"),
    ("{\"id\":9223372036854775807}", "{}", "9223372036854775808"), ("{\"id\":1e21}", "{}", "1000000000000000000001"),
    ("{\"id\":99999999999999999999},{\"id\":1e400}", "{}", "100000000000000000000"),
    ("{\"id\":-12345678901234567890},{\"id\":2.5}", "{}", "3.5"),
    ("{\"id\":\"a\"}", "{}", "\"generated\""), ("{\"id\":\"x\"},{\"id\":7}", "{}", "8"),
    ("{\"id\":\"1\"},{\"id\":2}", "{}", "3"), ("{\"id\":\"9\"},{\"id\":\"10\"}", "{}", "\"11\""),
    ("{\"id\":\"07\"}", "{}", "\"generated\""), ("{\"id\":\"7\"},{\"id\":\"x\"}", "{}", "\"generated\""),
    ("{\"id\":\"99999999999999999999\"}", "{}", "\"100000000000000000000\""),
    ("{\"n\":1},{\"id\":\"x\"}", "{}", "\"generated\""),
    ("{\"id\":1},{\"id\":\"x\"}", "{}", "2"), ("{\"id\":7},{\"id\":\"8\"}", "{}", "9"), ("{\"n\":1}", "{}", "1"),
    ("{\"n\":1},{\"id\":\"1\"}", "{}", "\"2\""), ("1,null", "{}", "1"),
  ]

  @Test(arguments: ids)
  func `A new record's id follows the existing ones`(_ records: String, _ body: String, _ id: String) throws {
    var database = try Database.fixture("{\"a\":[\(records)]}")
    let written = try database.create(body, in: "a")
    let value = try JSONValue(parsing: written.text.string)["id"]
    #expect(value?.text() == id)
    #expect(try database.record(written.id, in: "a").string == written.text.string)
  }

  @Test func `The largest id is assigned again only after it was deleted`() throws {
    var database = try Database.fixture("{\"a\":[{\"id\":1},{\"id\":4},{\"id\":9}]}")
    _ = try database.create("{}", in: "a")
    _ = try database.delete("10", in: "a")
    _ = try database.delete("9", in: "a")
    #expect(try database.create("{}", in: "a").id == "5")
    _ = try database.delete("1", in: "a")
    #expect(try database.create("{}", in: "a").id == "6")
  }

  @Test func `The next id is the same in a database that has changed and in one that is read anew`() throws {
    var random = SeededGenerator(seed: 3)
    var database = try Database.fixture(#"{"a":[]}"#)
    let forms = ["%", "\"%\"", "%.0", "%.5", "\"x%\"", "9999999999999999999%", "\"9999999999999999999%\""]
    for round in 0..<1_500 {
      // Some stretches without numbers, and more records than a chunk has.
      let usual = forms[round / 300 % 3]
      let form = Int.random(in: 0..<8, using: &random) == 0 ? forms.randomElement(using: &random) ?? usual : usual
      let id = form.replacing("%", with: String(Int.random(in: 0..<2_000, using: &random)))
      if Int.random(in: 0..<3, using: &random) == 0, let record = try database.collection("a").rows.last {
        let last = try #require(record.id(named: "id")?.string)
        _ = try? database.delete(Bool.random(using: &random) ? last : id, in: "a")
      } else {
        _ = try? database.create(#"{"id":\#(id)}"#, in: "a")
      }
      guard round % 10 == 0 else { continue }
      var read = try Database.fixture(database.string)
      var changed = database
      #expect(try changed.create("{}", in: "a").text.string == (try read.create("{}", in: "a")).text.string)
    }
  }

  @Test func `A table of ids with equal ones is right after each change, without being made again`() throws {
    var random = SeededGenerator(seed: 5)
    let records = (0..<60).map { _ in "{\"id\":\(Int.random(in: 0..<25, using: &random))}" }.joined(separator: ",")
    var database = try Database.fixture("{\"a\":[\(records)]}")
    var (rows, table) = try {
      let rows = try database.collection("a").rows
      return (rows, IDHashTable(idName: "id", rows: rows))
    }()
    for _ in 0..<400 {
      let id = Int.random(in: 0..<25, using: &random)
      let slot = Int.random(in: 0..<60, using: &random)
      let record = try ValidJSON("{\"id\":\(id)}")
      let row = Int.random(in: 0..<3, using: &random) > 0 ? Row(record, lead: 0, trail: 0) : nil
      database.set(row, at: slot, of: 0)
      let after = try database.collection("a").rows
      let slots = try #require(after.differences(from: rows, atMost: 2))
      let isValid = table.follow(RowChanges(before: rows, after: after, slots: slots))
      #expect(isValid)
      rows = after
      for id in 0..<25 {
        let first = (0..<rows.slotCount).first { rows[$0]?.id(named: "id")?.string == "\(id)" }
        #expect(table.slot(of: "\(id)", in: rows) == first)
      }
    }
  }

  static let refusedBodies: [(body: String, code: DatabaseError.Code)] = [
    ("{\"id\":1}", .idTaken), ("{\"id\":\"1\"}", .idTaken), ("{\"id\":1.0}", .idTaken), ("{\"id\":{}}", .invalidBody),
    ("{\"id\":\".\"}", .invalidBody), ("{\"id\":\"..\"}", .invalidBody), ("{\"id\":true}", .invalidBody),
    ("{\"id\":[1]}", .invalidBody), ("[]", .invalidBody), ("1", .invalidBody),
  ]

  @Test(arguments: refusedBodies)
  func `A refused body changes nothing`(_ body: String, _ code: DatabaseError.Code) throws {
    let text = "{\"a\":[{\"id\":1}]}"
    var database = try Database.fixture(text)
    let error = #expect(throws: DatabaseError.self) { try database.create(body, in: "a") }
    #expect(error?.code == code)
    #expect(database.string == text)
  }

  static let addresses: [(id: String, address: String)] = [
    ("9007199254740993", "9007199254740993"), ("12345678901234567890", "12345678901234567890"), ("1.0", "1"),
    ("1e3", "1000"), ("-1", "-1"), ("\"a/b\"", "a/b"), ("\"\"", ""), ("\"\\u00e9\"", "\u{E9}"), ("0", "0"),
  ]

  @Test(arguments: addresses)
  func `A record is found by its id's text`(_ id: String, _ address: String) throws {
    let database = try Database.fixture("{\"a\":[{\"id\":\(id)}]}")
    #expect(try database.record(address, in: "a").string == "{\"id\":\(id)}")
  }

  @Test func `Integers that JavaScript would take for one are two ids`() throws {
    var database = try Database.fixture("{\"a\":[{\"id\":9007199254740992},{\"id\":9007199254740993}]}")
    _ = try database.delete("9007199254740993", in: "a")
    #expect(database.string == "{\"a\":[{\"id\":9007199254740992}]}")
  }

  @Test func `A record hidden by one of the same id is found when that is removed, and hidden again after`() throws {
    let start = try Database.fixture("{\"a\":[{\"id\":1,\"n\":1},{\"id\":\"1\",\"n\":2}]}")
    var database = start
    #expect(try database.record("1", in: "a").string.contains("\"n\":1"))
    _ = try database.delete("1", in: "a")
    #expect(try database.record("1", in: "a").string.contains("\"n\":2"))
    #expect(try start.record("1", in: "a").string.contains("\"n\":1"))
    #expect(try database.record("1", in: "a").string.contains("\"n\":2"))
  }

  @Test func `Many records with and without ids are all there, whichever comes first`() throws {
    var database = try Database.fixture("{\"a\":[]}")
    let (records, created) = try database.createOrMerge("[{\"id\":0,\"n\":1},{\"id\":1,\"n\":2},{\"n\":3}]", in: "a")
    #expect(created == 3)
    #expect(records.map(\.string) == ["{\"id\":2,\"n\":1}", "{\"id\":1,\"n\":2}", "{\"n\":3,\"id\":3}"])
    #expect(database.count(of: "a") == 3)
  }

  @Test(arguments: [(Dialect.classic, "0"), (.v1, "\"0\"")])
  func `An import keeps the ids that it has`(dialect: Dialect, zero: String) throws {
    var database = try Database.fixture("{\"a\":[]}", dialect)
    var ids = IDGenerator.constant
    ids.keepsGivenIDs = true
    let imported = try database.createOrMerge(ValidJSON("[{\"id\":0},{\"id\":\"x\"},{\"id\":\"\"}]"), in: "a", ids: ids)
    #expect(
      imported.records.map(\.string) == [
        "{\"id\":\(zero)}", "{\"id\":\"x\"}", dialect == .v1 ? "{\"id\":\"generated\"}" : "{\"id\":1}",
      ])
    #expect(try database.createOrMerge(ValidJSON("[{\"id\":0,\"n\":1}]"), in: "a", ids: ids).created == 0)
    #expect(try database.record("0", in: "a").string == "{\"id\":\(zero),\"n\":1}")
  }

  @Test func `Many bodies are written all or none`() throws {
    let text = "{\"a\":[{\"id\":1,\"n\":1}]}"
    let start = try Database.fixture(text)
    var database = start
    let (records, created) = try database.createOrMerge("[{\"id\":1,\"n\":2},{\"n\":3}, {\"id\":null}]", in: "a")
    #expect(records.map(\.string) == ["{\"id\":1,\"n\":2}", "{\"n\":3,\"id\":2}", "{\"id\":3}"])
    #expect(created == 2)
    database = start
    let error = #expect(throws: DatabaseError.self) { try database.createOrMerge("[{\"id\":1,\"n\":9},{},5]", in: "a") }
    #expect(error?.message.hasPrefix("Element 3 ") == true)
    #expect(database.string == text)
  }

  @Test func `A generator of ids that repeats itself still gives each record one of its own`() throws {
    var database = try Database.fixture("{\"a\": [{\"id\": \"x\"}]}")
    let ids = try (1...3).map { _ in try database.create("{}", in: "a").id }
    #expect(ids == ["generated", "generated-2", "generated-3"])
  }
}
