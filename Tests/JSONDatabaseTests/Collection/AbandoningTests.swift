import OrderedJSON
import Synchronization
import Testing

@testable import JSONDatabase

/// Reads whose result nobody wants any more.
@Suite struct AbandoningTests {
  private static let text = """
    {"posts": [{"id": 1, "title": "c"}, {"id": 2, "title": "b"}, {"id": 3, "title": "a"}], "comments": [{"id": 1, "postId": 3}]}
    """

  /// A query that is abandoned after it has been asked for that a number of times.
  private static func query(after count: Int, _ change: (inout Query) -> Void) -> Query {
    let asked = Counter()
    var query = Query()
    query.isAbandoned = { asked.next() > count }
    change(&query)
    return query
  }

  @Test func `A search looks at no further record`() throws {
    var database = try Database.fixture(Self.text)
    let filter = [FilterParameter("title_like", ["."])]
    #expect(try database.ids(of: "posts", Self.query(after: 9) { $0.parameters = filter }) == ["1", "2", "3"])
    #expect(try database.ids(of: "posts", Self.query(after: 2) { $0.parameters = filter }) == ["1", "2"])
    #expect(try database.ids(of: "posts", Self.query(after: 0) { $0.search = "a" }).isEmpty)
  }

  @Test func `A sort reads no further value`() throws {
    let sort = [SortKey(FieldPath("title"))]
    for (count, order) in [(9, ["3", "2", "1"]), (0, ["1", "2", "3"])] {
      var database = try Database.fixture(Self.text)
      #expect(try database.ids(of: "posts", Self.query(after: count) { $0.sort = sort }) == order)
    }
  }

  @Test func `Relations of no further record are followed`() throws {
    var database = try Database.fixture(Self.text)
    for (count, total) in [(9, 3), (1, 1)] {
      let query = Self.query(after: count) { $0.relations = [RelationRequest(.embed, "comments")] }
      #expect(try database.list("posts", query).related.records.count == total)
    }
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
