import JSONDatabase
import OrderedJSON
import Testing

/// What json-server 1.0 and 0.17 answer differently.
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
    ("n", "5", ["1"], ["1"]), ("n", "null", [], ["2"]), ("n:ne", "5", ["3"], ["2", "3"]),
    ("n:ne", "null", ["1", "3"], ["1", "3"]), ("n:lt", "6", ["1"], ["1", "2"]), ("n:gt", "6", ["3"], ["3"]),
    ("none", "1", ["1", "2", "3", "4"], []), ("id", "1", ["1"], ["1"]), ("id:in", "1, 3", ["1", "3"], ["1", "3"]),
    ("s:contains", "OB", ["3", "4"], ["3", "4"]), ("n:contains", "5", ["1"], []), ("l:contains", "Q", ["2"], []),
    ("s:startsWith", "ÉT", ["1"], ["1"]), ("s:contains", "", ["1", "2", "3", "4"], ["1", "2", "3", "4"]),
    ("o.x", "1", ["1"], ["1"]), ("s_like", "^b", ["3", "4"], []),
    ("s:foo", "x", ["1", "2", "3", "4"], ["1", "2", "3", "4"]),
    ("b", "true", ["1"], ["1"]), ("signed_in", "x", ["1", "2", "3", "4"], []), ("o", "[object Object]", ["1"], ["1"]),
  ]

  @Test(arguments: filters, Dialect.allCases)
  func `A filter is answered as its json-server answers it`(
    _ filter: (name: String, value: String, classic: [String], v1: [String]), _ dialect: Dialect
  ) throws {
    var database = try Database.fixture(Self.text, dialect)
    let ids = try database.ids(of: "a", Query((filter.name, filter.value)))
    #expect(ids == (dialect == .v1 ? filter.v1 : filter.classic).map { "\"\($0)\"" }, "\(filter.name)=\(filter.value)")
  }

  static let orders: [(path: String, descending: Bool, classic: String, v1: String)] = [
    ("s", false, "4 2 3 1", "3 4 1 2"), ("s", true, "1 3 2 4", "2 1 4 3"), ("n", false, "1 3 2 4", "1 3 2 4"),
    ("n", true, "4 2 3 1", "4 2 3 1"), ("none", true, "1 2 3 4", "1 2 3 4"), ("o.x", false, "1 2 3 4", "1 2 3 4"),
  ]

  @Test(arguments: orders, Dialect.allCases)
  func `Records are sorted as their json-server sorts them`(
    _ order: (path: String, descending: Bool, classic: String, v1: String), _ dialect: Dialect
  ) throws {
    var database = try Database.fixture(Self.text, dialect)
    var query = Query()
    query.sort = [SortKey(FieldPath(order.path), descending: order.descending)]
    let ids = try database.ids(of: "a", query).map { $0.filter { $0 != "\"" } }.joined(separator: " ")
    #expect(ids == (dialect == .v1 ? order.v1 : order.classic))
  }

  @Test func `Numbers and words in one member sort the same way wherever they stand`() throws {
    var database = try Database.fixture(
      #"{"a":[{"id":1,"m":"nan"},{"id":2,"m":3},{"id":3,"m":"x"},{"id":4,"m":"20"},{"id":5,"m":1},{"id":6,"m":"inf"}]}"#
    )
    var query = Query()
    query.sort = [SortKey(FieldPath("m"))]
    let ids = try database.ids(of: "a", query)
    #expect(Array(ids.prefix(3)) == ["5", "2", "4"])
    #expect(Array(ids.suffix(2)) == ["1", "3"])
  }

  static let names: [(name: String, meant: String?)] = [
    ("Title", "title"), ("titel", "title"), ("tilte", "title"), ("title_", "title"), ("userId", "user_id"),
    ("viewz", "views"), ("v", nil), ("xyzzy", nil), ("title", nil),
  ]

  @Test(arguments: names)
  func `A near miss of a name finds it`(_ name: String, _ meant: String?) {
    #expect(Spelling.nearest(to: name, among: ["title", "views", "user_id"]) == meant)
  }
}
