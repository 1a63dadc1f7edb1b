import JSONDatabase
import JSONServerValues
import Testing

/// Where json-server 1.0 and 0.17 respond differently.
struct DialectTests {
  private static let text = """
    {"a": [
      {"id": "1", "n": 5, "s": "état", "b": true, "o": {"x": "1"}},
      {"id": "2", "n": null, "s": "Zebra", "b": false, "l": ["p", "q"]},
      {"id": "3", "n": "7", "s": "bob"},
      {"id": "4", "s": "Bob"}
    ]}
    """

  static let filters: [(name: String, value: String, classic: [String], v1: [String])] = [
    ("n", "5", ["1"], ["1"]), ("n:ne", "5", ["3"], ["2", "3"]),
    ("n:ne", "null", ["1", "3"], ["1", "3"]), ("n:lt", "6", ["1"], ["1", "2"]), ("n:gt", "6", ["3"], ["3"]),
    ("none", "1", ["1", "2", "3", "4"], []), ("id", "1", ["1"], ["1"]), ("id:in", "1, 3", ["1", "3"], ["1", "3"]),
    ("s:contains", "OB", ["3", "4"], ["3", "4"]), ("n:contains", "5", ["1"], []), ("l:contains", "Q", ["2"], []),
    ("s:startsWith", "ÉT", ["1"], ["1"]), ("s:contains", "", ["1", "2", "3", "4"], ["1", "2", "3", "4"]),
    ("o.x", "1", ["1"], ["1"]), ("s_like", "^b", ["3", "4"], []),
    ("s:foo", "x", ["1", "2", "3", "4"], ["1", "2", "3", "4"]),
    ("n", "null", ["2"], ["2"]), ("n_in", "5,null", ["1", "2"], ["1", "2"]), ("n_exists", "false", ["4"], ["4"]),
    ("n:exists", "true", ["1", "2", "3"], ["1", "2", "3"]), ("n[gt]", "6", ["3"], ["3"]), ("l[]", "q", ["2"], []),
    ("id[0]", "2", ["2"], ["2"]), ("o[x]", "1", ["1"], ["1"]), ("none[gte]", "1", [], []),
    ("l_exists", "true", ["2"], ["2"]),
    ("b", "true", ["1"], ["1"]), ("signed_in", "x", [], []), ("o", "[object Object]", ["1"], []),
    ("l", "q", ["2"], []), ("l:ne", "q", [], ["2"]), ("n:lte", "null", ["3"], ["2"]), ("b:gt", "false", ["1"], ["1"]),
    ("s:gte", "", ["1", "2", "3", "4"], ["1", "2", "3", "4"]), ("n:gte", "", ["1", "3"], ["1", "2", "3"]),
  ]

  @Test func `a collection without records does not show which members it will have`() throws {
    let database = try Database.fixture(#"{"a": []}"#)
    #expect(try database.list("a", Query(("userId", "1"), ("_pgae", "1"))).selection.unknownParameters == ["_pgae"])
  }

  @Test(arguments: filters, Dialect.allCases)
  func `A filter selects what its json-server selects`(
    _ filter: (name: String, value: String, classic: [String], v1: [String]), _ dialect: Dialect
  ) throws {
    let database = try Database.fixture(Self.text, dialect)
    let ids = try database.ids(of: "a", Query((filter.name, filter.value)))
    #expect(ids == (dialect == .v1 ? filter.v1 : filter.classic).map { "\"\($0)\"" }, "\(filter.name)=\(filter.value)")
  }

  static let orders: [(path: String, descending: Bool, classic: String, v1: String)] = [
    ("s", false, "4 2 3 1", "3 4 1 2"), ("s", true, "1 3 2 4", "2 1 4 3"), ("n", false, "1 3 2 4", "1 3 2 4"),
    ("n", true, "4 2 3 1", "4 2 3 1"), ("none", true, "1 2 3 4", "1 2 3 4"), ("o.x", false, "1 2 3 4", "1 2 3 4"),
    ("b", false, "2 1 3 4", "1 2 3 4"),
    ("b", true, "3 4 1 2", "3 4 2 1"),
  ]

  @Test(arguments: orders, Dialect.allCases)
  func `Records are sorted as their json-server sorts them`(
    _ order: (path: String, descending: Bool, classic: String, v1: String), _ dialect: Dialect
  ) throws {
    let database = try Database.fixture(Self.text, dialect)
    var query = Query()
    query.sort = [SortKey(FieldPath(order.path), descending: order.descending)]
    let ids = try database.ids(of: "a", query).map { $0.filter { $0 != "\"" } }.joined(separator: " ")
    #expect(ids == (dialect == .v1 ? order.v1 : order.classic))
  }

  /// Numbers and words, and the places in which json-server 0.17 sends them.
  static let mixtures: [(values: String, ascending: String, descending: String)] = [
    (#""nan" 3 "x" "20" 1 "inf""#, "1 5 2 4 6 3", "1 2 3 4 5 6"),
    (#""b" 2 10 "a" "9" 1"#, "1 6 2 5 3 4", "1 3 5 2 4 6"),
    (#"1 2 3 "mine""#, "1 2 3 4", "3 2 1 4"), (#""10" 9 "9" 10 11 "8""#, "2 1 6 3 4 5", "5 1 4 2 3 6"),
  ]

  @Test(arguments: mixtures, [false, true])
  func `Numbers and words in one member come as json-server sends them`(
    _ mixture: (values: String, ascending: String, descending: String), _ isDescending: Bool
  ) throws {
    let records = mixture.values.split(separator: " ").enumerated().map { #"{"id":\#($0 + 1),"m":\#($1)}"# }
    let database = try Database.fixture(#"{"a":[\#(records.joined(separator: ","))]}"#)
    var query = Query()
    query.sort = [SortKey(FieldPath("m"), descending: isDescending)]
    let ids = try database.ids(of: "a", query).joined(separator: " ")
    #expect(ids == (isDescending ? mixture.descending : mixture.ascending))
  }

  @Test func `Of many records the numbers come before the words`() throws {
    let records = (1...70).map { #"{"id":\#($0),"m":\#($0 % 2 == 0 ? "\"w\($0)\"" : "\($0)")}"# }
    let database = try Database.fixture(#"{"a":[\#(records.joined(separator: ","))]}"#)
    var query = Query()
    query.sort = [SortKey(FieldPath("m"))]
    #expect(try database.ids(of: "a", query).prefix(35) == stride(from: 1, to: 70, by: 2).map(String.init)[...])
  }

  static let trees: [(tree: String, classic: [String], v1: [String])] = [
    (#"{"n":{"gt":4}}"#, ["1"], ["1", "3"]), (#"{"s":{"eq":"bob"}}"#, [], ["3"]),
    (#"{"id":{"lt":"20"}}"#, ["1"], ["1", "2"]), (#"{"s":{"in":["Bob","bob"]}}"#, [], ["3", "4"]),
    (#"{"s":{"in":"Bob,bob"}}"#, [], ["3", "4"]), (#"{"s":{"ne":"null"}}"#, ["1"], ["1", "2", "3", "4"]),
  ]

  @Test(arguments: trees, Dialect.allCases)
  func `A tree of conditions joins the other filters, and replaces them in 1.0`(
    _ tree: (tree: String, classic: [String], v1: [String]), _ dialect: Dialect
  ) throws {
    let database = try Database.fixture(Self.text, dialect)
    var query = Query(("id", "1"))
    query.criteria.conditions = try JSONValue(parsing: tree.tree)
    let ids = try database.ids(of: "a", query)
    #expect(ids == (dialect == .v1 ? tree.v1 : tree.classic).map { "\"\($0)\"" })
  }

  static let names: [(name: String, meant: String?)] = [
    ("Title", "title"), ("titel", "title"), ("tilte", "title"), ("title_", "title"), ("userId", "user_id"),
    ("viewz", "views"), ("v", nil), ("xyzzy", nil), ("title", nil),
  ]

  @Test(arguments: names)
  func `A near miss of a name finds it`(_ name: String, _ meant: String?) {
    #expect(Spelling.nearest(to: name, among: ["title", "views", "user_id"]) == meant)
  }

  @Test func `Numbers become text ids within one text`() throws {
    let text =
      #"{ "x": [ {"n":1, "id": 7 }, {"id":1.0,"n":2},{"id":"a"} ], "n": {"id": 3}, "y": [{"id":-0},{"id":"8"}] }"#
    let expected =
      #"{ "x": [ {"n":1, "id": "7" }, {"id":"1","n":2},{"id":"a"} ], "n": {"id": 3}, "y": [{"id":"0"},{"id":"8"}] }"#
    let database = try Database.fixture(text, .v1)
    #expect(database.string == expected)
    let records = try ["x", "y"].flatMap { Array(try database.list($0, Query()).selection.records) }
    #expect(Set(records.map { ObjectIdentifier($0.storage) }).count == 1)
    var schema = Schema()
    schema.dialect = .v1
    let part = try DatabasePart(name: "x", parsing: UTF8Slice(#" [{"id":12}] "#), schema: schema)
    #expect(String(decoding: part.text.bytes, as: UTF8.self) == #" [{"id":"12"}] "#)
  }
}
