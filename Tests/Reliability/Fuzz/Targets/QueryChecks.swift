import JSONDatabase
import JSONServerValues

@testable import JSONServer
@testable import JSONServerHTTP
@testable import JSONServerResources

/// What must hold of targets and of what they ask of a collection.
enum QueryChecks {
  private static let text = UTF8Slice(
    """
    {"posts": [
      {"id": 1, "title": "Ada", "views": 10, "tags": ["x", "y"], "author": {"name": "ada", "born": 1815}, "on": true},
      {"id": 2, "title": "ähm", "views": 1e400, "tags": [], "author": null, "userId": "u"},
      {"id": "3", "title": "", "views": -0.5, "a.b": 1, "on": "2024-01-01"},
      {"title": "no id", "views": "10"}, 5, null, "text", [1]],
    "comments": [{"id": 1, "postId": 1}, {"id": 2, "postId": "3"}],
    "users": [{"id": "u"}], "profile": {"name": "p"}}
    """)

  private static let databases = Dialect.allCases.compactMap { dialect in
    var schema = Schema()
    schema.dialect = dialect
    return try? Database(parsing: text, schema: schema, ids: IDGenerator { "id" })
  }

  /// A query selects a part of the records, and no more than its window holds.
  static func checkTarget(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let query = String(validating: bytes, as: UTF8.self) else { return }
    guard let target = try? RequestTarget("/posts?" + query) else { return }
    precondition(target.segments == ["posts"], "the query is in the path")
    let parameters = target.parameters
    let names = parameters.items.map(\.name)
    let changes = zip(names, names.dropFirst()).count { $0 != $1 }
    precondition(changes < QueryParameters.maximumCount, "there are too many parameters")
    precondition(databases.count == Dialect.allCases.count, "a database is not read")
    for database in databases {
      guard let list = try? ListParameters(parameters, database.schema) else { continue }
      check(list.query, database)
    }
    checkSpelling(query)
  }

  /// A target's common spelling is one that stands for itself, and means the same.
  private static func checkSpelling(_ target: String) {
    guard let target = try? RequestTarget(target) else { return }
    for text in [target.text, target.spelling] {
      let again = try? RequestTarget(text)
      precondition(again?.segments == target.segments, "a spelling has another path")
      precondition(again?.text == target.text, "a path has two common spellings")
    }
  }

  /// What `_where` accepts selects a part of the records, the same each time.
  static func checkConditions(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let conditions = try? JSONValue(parsing: Array(bytes), maximumDepth: 64) else { return }
    var query = Query()
    query.criteria.conditions = conditions
    for database in databases { check(query, database) }
  }

  private static func check(_ query: Query, _ database: Database) {
    let before = database.text.bytes
    guard let (selection, related) = try? database.list("posts", query) else { return }
    let records = related.records
    precondition(selection.total <= 8, "more records match than there are")
    precondition(records.count == selection.records.count, "relations change the number of records")
    switch query.window {
    case .all: precondition(records.count == selection.total, "a list is not whole")
    case .slice: precondition(records.count <= selection.total, "a slice is longer than the list")
    case .after(_, let size): precondition(records.count <= size, "a page after a cursor is too long")
    case .page(_, let size): precondition(records.count <= min(size, selection.total), "a page is too long")
    }
    precondition(database.text.bytes == before, "reading changes the database")
    let again = try? database.list("posts", query).selection.records.map(\.slice)
    precondition(
      again == selection.records.map(\.slice), "with its indexes built, the same query selects other records")
  }
}
