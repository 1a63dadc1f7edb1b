import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

struct IDListTests {
  private struct Post {
    let id: Int
    var tags: [JSONValue]
  }

  @Test(arguments: Array(UInt64(0)..<40))
  func `A deleted record is in no list any more, and lists lead to what a scan finds`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let dialect = seed.isMultiple(of: 2) ? Dialect.classic : .v1
    let key = seed % 3 == 0 ? "tags" : "tagIds"
    var schema = Schema()
    schema.dialect = dialect
    schema.idLists = [key]
    var tags = Array(1...8)
    var posts = (1...30).map { id in
      let ids = (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 1...9, using: &random) }
      return Post(
        id: id, tags: ids.map { Bool.random(using: &random) ? .string("\($0)") : JSONValue(integerLiteral: $0) })
    }
    let data: JSONValue = [
      "posts": .array(posts.map { [key: .array($0.tags), "id": .string("\($0.id)")] }),
      "tags": .array(tags.map { ["id": .string("\($0)")] }),
    ]
    var database = try Database(parsing: UTF8Slice(data.utf8Text()), schema: schema, ids: IDGenerator { "id" })
    func names(_ value: JSONValue, _ tag: Int) -> Bool {
      value == .string("\(tag)") || value == JSONValue(integerLiteral: tag)
    }
    for _ in 0..<6 {
      let tag = tags.remove(at: Int.random(in: 0..<tags.count, using: &random))
      _ = try database.delete("\(tag)", in: "tags")
      for index in posts.indices { posts[index].tags.removeAll { names($0, tag) } }
      let stored = database.value["posts"]?.array?.map { $0[key]?.array ?? [] }
      #expect(stored == posts.map(\.tags))
      for tag in tags {
        var query = Query()
        query.criteria.parent = Query.Reference(try database.foreignKey(in: "posts", to: "tags"), "\(tag)")
        let found = posts.filter { $0.tags.contains { names($0, tag) } }.map { "\"\($0.id)\"" }
        #expect(try database.ids(of: "posts", query) == found)
        let record = try database.record("\(tag)", in: "tags")
        let embedded = try database.related([RelationRequest(.embed, "posts")], to: record, in: "tags").records.first
        #expect(embedded.map { JSONValue($0.joined)["posts"]?.array?.count } == found.count)
      }
      let query = { () -> Query in
        var query = Query()
        query.relations = [RelationRequest(.expand, "tags")]
        return query
      }()
      let related = try database.list("posts", query).related.records
      for (place, post) in posts.enumerated() {
        let expected = post.tags.compactMap { tag in tags.first { names(tag, $0) } }.map { "\($0)" }
        let joined = related[place].map { JSONValue($0.joined) }
        #expect(joined?["tags"]?.array?.compactMap { $0["id"]?.string } == expected)
      }
    }
  }
}
