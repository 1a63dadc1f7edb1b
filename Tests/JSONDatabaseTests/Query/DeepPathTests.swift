import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

@Suite struct `Paths into deep records` {
  private static let objects = String(repeating: #"{"a":"#, count: 500) + "7" + String(repeating: "}", count: 500)
  private static let arrays =
    String(repeating: "[", count: 500) + #"{"a":"seven"}"# + String(repeating: "]", count: 500)
  private static let path = Array(repeating: "a", count: 500).joined(separator: ".")

  static let queries: [(name: String, value: String, ids: [String])] = [
    ("v.\(path)", "7", ["1"]), ("v.\(path)_gte", "7", ["1"]), ("v.\(path)_ne", "8", ["1"]),
    ("v.\(path).a", "7", ["1", "2"]),
    ("v.\(path)_exists", "true", ["1"]), ("v.a", "seven", ["2"]), ("v.a_like", "^seven", ["2"]),
    ("v.a_ne", "x", ["1", "2"]),
    ("v_contains", "object", []), ("v", "7", []),
    ("v.\(Array(repeating: "0", count: 500).joined(separator: ".")).a", "seven", ["2"]),
  ]

  @Test(arguments: queries)
  func `need no stack for each level`(_ name: String, _ value: String, _ ids: [String]) async throws {
    let text = #"{"posts":[{"id":1,"v":\#(Self.objects)},{"id":2,"v":\#(Self.arrays)}]}"#
    let found = try await onSmallStack {
      let database = try Database.fixture(text)
      return try database.ids(of: "posts", Query((name, value)))
    }
    #expect(found == ids)
  }

  @Test func `sort without a stack for each level`() async throws {
    let text = #"{"posts":[{"id":1,"v":\#(Self.objects)},{"id":2,"v":\#(Self.arrays)}]}"#
    let found = try await onSmallStack {
      let database = try Database.fixture(text)
      var query = Query()
      query.sort = [SortKey(FieldPath("v.\(Self.path)"), descending: true), SortKey(FieldPath("v.a"))]
      return try database.ids(of: "posts", query)
    }
    #expect(found == ["2", "1"])
  }
}
