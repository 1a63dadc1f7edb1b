import JSONServerValues
import TestSupport
import Testing
import TextMatching

@testable import JSONDatabase

/// Which queries of a large collection are carried out at once, because what they need is indexed.
@Suite(.calculates) struct QuickQueryTests {
  private static let count = 2_100

  /// Records of which half have the user `1`, and a few each have one of the others.
  private static func database(_ dialect: Dialect) throws -> Database {
    let records = (0..<count).map { id in
      """
      {"id":\(id),"n":\(id * 7 % 100),"word":"word \(id % 13)","half":"\(id % 2)","none":\(id % 3 == 0 ? "1" : "null"),\
      "userId":"\(id % 2 == 0 ? 1 : id % 140)","mixed":\(id % 4 == 0 ? "\"t\"" : "\(id)"),\
      "items":[{"price":\(id % 50)},{"price":\(id % 70)}],"in":{"n":\(id % 30)}}
      """
    }
    return try .fixture("{\"a\":[\(records.joined(separator: ",\n"))]}", dialect)
  }

  /// Whether there is time for something in a version where all others wait for it.
  private static func isQuick(_ database: Database, _ read: (inout Database) throws -> Void) rethrows -> Bool {
    var version = database
    version.patience = Patience(isShort: true)
    try read(&version)
    return !version.patience.isOver
  }

  private static func isQuick(_ query: Query, in database: Database) throws -> Bool {
    try isQuick(database) { _ = try $0.list("a", query) }
  }

  private static func owned(by user: String, _ query: Query = Query()) -> Query {
    var query = query
    query.criteria.owner = Query.Reference(FieldPath("userId"), user)
    return query
  }

  private static func isQuick(_ query: Query, _ dialect: Dialect) throws -> Bool {
    let database = try database(dialect)
    #expect(try !isQuick(query, in: database))
    _ = try database.list("a", query)
    return try isQuick(query, in: database)
  }

  @Test(arguments: [
    // Of a list one value decides its place in the order.
    (query: Query(("items.price:gte", "10")), classic: false, v1: false),
    // No number compares with a text.
    (Query(("n:gte", "word")), false, false),
    // 1.0 sorts texts in another order than that in which it compares them.
    (Query(("word:gte", "word 3")), true, false),
    (Query(("n:gte", "90")), true, true),
    (Query(("half", "1")), true, true),
    (Query(("half:ne", "1")), true, true),
    (Query(("none", "null")), true, true),
    // In 1.0 a list equals nothing, but the index has its text.
    (Query(("items", "[object Object]")), true, false),
    (Query(("userId", "33")), true, true),
    (Query(("half", "1"), ("n:gte", "90")), true, true),
    (owned(by: "1"), false, false),
    (owned(by: "33"), true, true),
    (owned(by: "33", Query(("n:gte", "90"))), true, true),
  ])
  func `A query is quick when its indexes settle it, or leave little to read`(
    _ query: Query, classic: Bool, v1: Bool
  ) throws {
    #expect(try Self.isQuick(query, .classic) == classic)
    #expect(try Self.isQuick(query, .v1) == v1)
  }

  @Test(arguments: [
    Query(("userId", "33"), ("n:gte", "5")), Query(("userId", "33"), ("n:ne", "5")),
  ])
  func `A query is not quick when an index of all records would be made for the few that are left`(
    _ query: Query
  ) throws {
    let database = try Self.database(.classic)
    // Nobody is user 0: it is found out that there is such a member, and nothing else about it.
    _ = try database.list("a", Query(("userId", "0"), ("n:gte", "5")))
    let collection = try #require(database.entries[0].collection)
    #expect(collection.indexes.order[[SortKey(FieldPath("n"))]].readIfCurrent(collection.rows) { _ in true } == nil)
    #expect(try !Self.isQuick(query, in: database))
  }

  @Test func `A query is not quick when an order of all records would be made for what is left`() throws {
    let database = try Self.database(.classic)
    _ = try database.list("a", Query(("userId", "33")))
    var sorted = Query(("half", "1"), ("userId", "33"))
    sorted.sort = [SortKey(FieldPath("n"))]
    _ = try database.list("a", Query(("half", "1"), ("n", "7")))
    let few = try Self.isQuick(sorted, in: database)
    sorted.criteria.parameters = [FilterParameter("n", ["7", "14", "21"])]
    let more = try Self.isQuick(sorted, in: database)
    #expect([few, more] == [true, false])
  }

  @Test func `Many records are found at once, and not changed at once`() throws {
    let database = try Self.database(.classic)
    let query = Query(("none", "null"))
    _ = try database.list("a", query)
    #expect(try Self.isQuick(query, in: database))
    let isDeletedAtOnce = try Self.isQuick(database) { version in
      _ = try version.delete(try version.list("a", query).selection, in: "a")
    }
    #expect(!isDeletedAtOnce)
  }

  @Test func `Records are large by all of them, not by the first`() throws {
    let text = String(repeating: "x", count: 5_000)
    let records = (1...1_000).map { #"{"id":\#($0),"text":"\#($0 == 1 ? "" : text)"}"# }
    let database = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}")
    #expect(!database.isSmall)
    #expect(try !Self.isQuick(Query(("text:contains", "y")), in: database))
  }

  @Test(arguments: [(id: "1", isQuick: false), ("2", true)])
  func `A record is not quick with thousands of others in it`(_ id: String, isQuick: Bool) throws {
    let comments = (0..<2_100).map { #"{"id":\#($0),"postId":\#($0 < 600 ? 1 : $0)}"# }
    let database = try Database.fixture(
      #"{"posts":[{"id":1},{"id":2}],"comments":[\#(comments.joined(separator: ","))]}"#)
    let relations = [RelationRequest(.embed, "comments")]
    func read(_ version: Database) throws {
      _ = try version.related(relations, to: try version.record(id, in: "posts"), in: "posts")
    }
    let before = try Self.isQuick(database) { try read($0) }
    try read(database)
    let after = try Self.isQuick(database) { try read($0) }
    #expect([before, after] == [false, isQuick])
  }

  @Test(arguments: [Dialect.classic, .v1], [#"{"id":%}"#, #"{"id":"t%"}"#])
  func `A new record reads no ids once they were read ahead`(_ dialect: Dialect, _ record: String) throws {
    let records = (0..<Self.count).map { record.replacing("%", with: "\($0)") }
    var database = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}", dialect)
    func create(_ version: inout Database) throws { _ = try version.create("{}", in: "a") }
    #expect(try !Self.isQuick(database, create))
    database.readLargeCollections()
    #expect(try Self.isQuick(database, create))
    _ = try database.create("{}", in: "a")
    #expect(try Self.isQuick(database, create))
  }

  @Test(arguments: [Dialect.classic, .v1], 0..<(TestEffort.isFull ? 2 : 1))
  func `What there is time for is right`(_ dialect: Dialect, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var database = try Self.database(dialect)
    var reference = database.separated()
    var quickCount = 0
    for _ in 0..<60 {
      let query = Self.query(&random)
      let expected = try reference.list("a", query).selection
      var version = database
      version.patience = Patience(isShort: true)
      let found = try version.list("a", query).selection
      if version.patience.isOver {
        #expect(version.patience.refusedWork != nil)
        _ = try database.list("a", query)
      } else {
        quickCount += 1
        #expect(
          found.total == expected.total && found.records.map(\.string) == expected.records.map(\.string), "\(query)")
      }
      if Bool.random(using: &random) { continue }
      let body = #"{"n":\#(Int.random(in: 0..<100, using: &random))}"#
      _ = try database.merge(body, into: "7", in: "a")
      _ = try reference.merge(body, into: "7", in: "a")
    }
    #expect(quickCount > 2)
  }

  @Test func `An order that cannot follow to a version is not used for the one before`() throws {
    let start = try Self.database(.classic)
    var query = Query()
    query.sort = [SortKey(FieldPath("n"))]
    let expected = try start.list("a", query).selection.records.map(\.string)
    var mixed = start
    for id in ["7", "8"] { _ = try mixed.merge(#"{"n":"text"}"#, into: id, in: "a") }
    #expect(try !Self.isQuick(query, in: mixed))
    var again = start
    again.patience = Patience(isShort: true)
    let found = try again.list("a", query).selection.records.map(\.string)
    #expect(again.patience.isOver || found == expected)
  }

  private static func query(_ random: inout SeededGenerator) -> Query {
    let parameters = [
      ("userId", ["1", "33", "35", "37"]), ("half", ["0", "1"]), ("n", ["7", "14", "500"]),
      ("n:gte", ["5", "99", "x"]), ("n:lt", ["3", "60"]), ("n:ne", ["7"]), ("word:gte", ["word 3"]),
      ("mixed:gte", ["5", "t"]),
      ("none", ["null"]),
      ("items.price:gte", ["60"]), ("in.n:lte", ["4"]), ("in.n", ["4"]), ("word:contains", ["2"]),
    ]
    var query = Query()
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      guard let (name, values) = parameters.randomElement(using: &random) else { continue }
      query.criteria.parameters.append(
        FilterParameter(name, Array(values.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))))
    }
    let user = ["1", "33", "", "", "", ""].randomElement(using: &random) ?? ""
    if !user.isEmpty { query = owned(by: user, query) }
    let keys = [[], [], ["n"], ["mixed"], ["word", "n"], ["in.n"]].randomElement(using: &random) ?? []
    query.sort = keys.map { SortKey(FieldPath($0), descending: Bool.random(using: &random)) }
    query.window = .page(1, size: 10)
    return query
  }

  @Test(arguments: [
    nil, { @Sendable (count: Int, part: @Sendable (Int) -> Void) in for number in 0..<count { part(number) } },
  ])
  func `A pattern that takes too many steps is refused`(_ sharing: Patience.Sharing?) throws {
    var random = SeededGenerator(seed: 1)
    let records = (0..<Self.count).map { id in
      let text = String((0..<12).map { _ in Bool.random(using: &random) ? "a" : "b" })
      return "{\"id\":\(id),\"t\":\"\(text)\"}"
    }
    let collection = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}").collection("a")
    func find(_ pattern: String) throws -> Int {
      try collection.select(
        Query(("t_like", pattern)), dialect: .classic, Patience(sharing: sharing), steps: StepBudget(maximum: 40_000)
      ).total
    }
    #expect(try find("^(a|b){12}$") == Self.count)
    let error = #expect(throws: DatabaseError.self) { try find("(a|b)*a(a|b){30}c") }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("too many steps") == true)
  }
}
