import JSONDatabase
import JSONServerValues
import Testing

struct PatchingTests {
  static let before = """
    {
      "a": [
        {
          "id": 1,
          "n": 1.0,
          "t": "\\u0041\\ud800",
          "o": { "x": [ 1e2 ],  "y": null }
        } ,
        {"id": 2, "n": 1, "n": 2, "t": "x"}
      ],
      "p": { "id": 5,  "name": "\\u0041", "o": {"x": 1} }
    }
    """

  /// A patch of /a/1, and the record's text afterwards.
  static let records: [(patch: String, after: String)] = [
    (
      #"{"n":2}"#,
      "\"id\": 1,\n      \"n\": 2,\n      \"t\": \"\\u0041\\ud800\",\n      \"o\": { \"x\": [ 1e2 ],  \"y\": null }"
    ),
    (#"{"t":null,"id":null}"#, "\"id\": 1,\n      \"n\": 1.0,\n      \"o\": { \"x\": [ 1e2 ],  \"y\": null }"),
    (#"{"id":7,"t":null,"n":null,"o":null}"#, "\"id\": 1"),
    (
      #"{"n":null,"t":null,"o":{"y":{"z":1}}}"#,
      "\"id\": 1,\n      \"o\": {\n        \"x\": [\n          1e2\n        ],\n        \"y\": {\n          \"z\": 1\n        }\n      }"
    ),
    (#"{"o":null,"t":null,"n":null,"new":[]}"#, "\"id\": 1,\n      \"new\": []"),
    (
      #"[{"op":"remove","path":"/t"},{"op":"copy","from":"/n","path":"/m"},{"op":"remove","path":"/o"}]"#,
      "\"id\": 1,\n      \"n\": 1.0,\n      \"m\": 1.0"
    ),
    (
      #"[{"op":"remove","path":"/id"},{"op":"remove","path":"/o"},{"op":"remove","path":"/t"}]"#,
      "\"id\": 1,\n      \"n\": 1.0"
    ),
    (#"[{"op":"replace","path":"","value":{"id":9,"b":true}}]"#, "\"id\": 1,\n      \"b\": true"),
    (
      #"[{"op":"test","path":"/id","value":1},{"op":"replace","path":"/id","value":2},{"op":"replace","path":"","value":{}}]"#,
      "\"id\": 1"
    ),
  ]

  @Test(arguments: records)
  func `A patch of a record changes only what it names, and never the id`(_ patch: String, _ after: String) throws {
    var database = try Database.fixture(Self.before)
    let written = try database.edit("1", in: "a", by: .patch(Self.patch(patch)))
    let record = "{\n      \(after)\n    }"
    #expect(written.text.string == record)
    let start = Self.before.prefix(upTo: try #require(Self.before.firstRange(of: "{\n      \"id\"")).lowerBound)
    let end = Self.before.suffix(from: try #require(Self.before.firstRange(of: " ,\n    {\"id\": 2")).lowerBound)
    #expect(database.string == start + record + end)
  }

  @Test(arguments: [
    (#"{"n":3}"#, #"{"id": 2, "n": 3, "t": "x"}"#), (#"{"n":null}"#, #"{"id": 2, "t": "x"}"#),
    (#"[{"op":"replace","path":"/n","value":3}]"#, #"{"id": 2, "n": 3, "t": "x"}"#),
    (#"[{"op":"remove","path":"/n"}]"#, #"{"id": 2, "t": "x"}"#), ("{}", #"{"id": 2, "n": 1, "n": 2, "t": "x"}"#),
    (#"{"t":null,"n":null}"#, #"{"id": 2}"#),
  ])
  func `A patch of a member that a record gives twice leaves one`(_ patch: String, _ after: String) throws {
    var database = try Database.fixture(Self.before)
    #expect(try database.edit("2", in: "a", by: .patch(Self.patch(patch))).text.string == after)
  }

  @Test(arguments: [
    (#"{"o":{"y":2},"name":null}"#, #"{ "id": 5,  "o": {"x": 1, "y": 2} }"#),
    (#"{"id":null}"#, #"{ "name": "\u0041", "o": {"x": 1} }"#),
    (#"[{"op":"remove","path":"/o"}]"#, #"{ "id": 5,  "name": "\u0041" }"#),
  ])
  func `A patch of a singular resource may change every member`(_ patch: String, _ after: String) throws {
    var database = try Database.fixture(Self.before)
    let text = try database.edit(singular: "p", by: .patch(Self.patch(patch))).string
    #expect(try JSONValue(parsing: text) == JSONValue(parsing: after))
    #expect(database.string.contains(text))
  }

  @Test(arguments: [
    (#"[{"op":"add","path":"/n","value":2},{"op":"test","path":"/n","value":1}]"#, DatabaseError.Code.conflict),
    (#"[{"op":"replace","path":"","value":[1]}]"#, .invalidBody),
    (#"[{"op":"replace","path":"","value":null}]"#, .invalidBody),
  ])
  func `A patch that fails changes nothing`(_ patch: String, _ code: DatabaseError.Code) throws {
    var database = try Database.fixture(Self.before)
    let error = #expect(throws: DatabaseError.self) { try database.edit("1", in: "a", by: .patch(Self.patch(patch))) }
    #expect(error?.code == code)
    #expect(throws: DatabaseError.self) { try database.edit(singular: "p", by: .patch(Self.patch(patch))) }
    #expect(database.string == Self.before)
  }

  private static func patch(_ text: String) throws -> Patch {
    let json = try ValidJSON(text)
    return json.withToken { $0.kind } == .array ? .operations(try PatchOperation.all(in: json)) : .merge(json)
  }
}
