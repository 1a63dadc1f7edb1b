import JSONDatabase
import JSONServerValues
import Testing

@Suite struct `An edit that was made without having seen what was written` {
  private static let start =
    "{\"posts\": [{\"id\": 1, \"t\": \"a\"}, {\"id\": 2, \"t\": \"b\"}], \"comments\": [{\"id\": 1, \"postId\": 1}], \"profile\": {\"n\": 1}}"

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The paths that the text from before undoes.
    let undone: [String]
    let write: @Sendable (inout Database) throws -> Void
  }

  static let cases = [
    Case(testDescription: "a new record", undone: ["/posts/3"]) { _ = try $0.create("{}", in: "posts") },
    Case(testDescription: "a change", undone: ["/posts/1"]) { _ = try $0.merge("{\"t\":1}", into: "1", in: "posts") },
    Case(testDescription: "a deletion with dependents", undone: ["/comments/1", "/posts/1"]) {
      _ = try $0.delete("1", in: "posts")
    },
    Case(testDescription: "several records at once", undone: ["/posts/2", "/posts/9"]) {
      _ = try $0.createOrMerge("[{\"id\":2,\"t\":1},{\"id\":9}]", in: "posts")
    },
    Case(testDescription: "a single object", undone: ["/profile"]) {
      _ = try $0.write("{\"n\":2}", toSingular: "profile")
    },
    Case(
      testDescription: "everything replaced", undone: ["/comments/1", "/posts/1", "/posts/7", "/profile", "/tags/1"]
    ) {
      $0.assign(
        try Database.fixture("{\"posts\": [{\"id\": 2, \"t\": \"b\"}, {\"id\": 7}], \"tags\": [{\"id\": 1}]}"))
    },
    Case(
      testDescription: "a change, and everything replaced", undone: ["/comments/1", "/posts/1", "/posts/2", "/profile"]
    ) {
      _ = try $0.merge("{\"t\":1}", into: "1", in: "posts")
      $0.assign(try Database.fixture("{\"posts\": []}"))
    },
    Case(testDescription: "what was undone over HTTP itself", undone: []) {
      _ = try $0.create("{}", in: "posts")
      _ = try $0.delete("3", in: "posts")
    },
  ]

  @Test(arguments: cases) func `undoes exactly that`(_ test: Case) throws {
    let start = try Database.fixture(Self.start)
    var database = start
    try test.write(&database)
    #expect(database.lostUpdates(by: try Database.fixture(Self.start), since: start) == test.undone)
  }

  @Test(arguments: cases) func `undoes nothing when it keeps that and changes other records`(_ test: Case) throws {
    let start = try Database.fixture(Self.start)
    var database = start
    try test.write(&database)
    var edited = database
    if edited.resource(named: "comments") != nil { _ = try edited.create("{\"id\":77}", in: "comments") }
    #expect(database.lostUpdates(by: edited, since: start).isEmpty)
  }

  @Test func `is found although it changes the same records in another way`() throws {
    let start = try Database.fixture(Self.start)
    var database = start
    _ = try database.create("{\"t\": \"new\"}", in: "posts")
    _ = try database.merge("{\"n\": 1}", into: "1", in: "posts")
    _ = try database.delete("2", in: "posts")
    let edited = try Database.fixture(
      "{\"posts\": [{\"id\": 1, \"t\": \"c\"}, {\"id\": 2, \"t\": \"d\"}, {\"id\": 3, \"t\": \"mine\"}], \"profile\": {\"n\": 1}}"
    )
    #expect(database.lostUpdates(by: edited, since: start) == ["/posts/1", "/posts/2", "/posts/3"])
  }

  @Test func `is found for records without ids`() throws {
    let start = try Database.fixture("{\"posts\": [{\"t\": \"a\"}, {\"t\": \"b\"}, {\"id\": 1}]}")
    var database = start
    _ = try database.edit(
      database.list("posts", Query(("t", "a"))).selection, in: "posts", by: .merge(ValidJSON("{\"t\": \"c\"}")))
    #expect(database.lostUpdates(by: start, since: start) == ["/posts"])
    let edited = try Database.fixture("{\"posts\": [{\"t\": \"b\"}, {\"t\": \"c\"}]}")
    #expect(database.lostUpdates(by: edited, since: start).isEmpty)
  }

  @Test func `is found however much was written before`() throws {
    let start = try Database.fixture("{\"posts\": []}")
    var database = start
    let records = (1...10_000).map { "{\"id\":\($0)}" }.joined(separator: ",")
    _ = try database.createOrMerge("[\(records)]", in: "posts")
    let stale = database
    _ = try database.create("{}", in: "posts")
    #expect(database.lostUpdates(by: stale, since: start) == ["/posts/10001"])
  }

  @Test func `is found although the records were renumbered`() throws {
    let records = (1...300).map { "{\"id\":\($0)}" }.joined(separator: ",")
    let start = try Database.fixture("{\"posts\": [\(records)]}")
    var database = start
    for id in 1...250 { _ = try database.delete("\(id)", in: "posts") }
    let isCompacted = database.compact(since: start, except: [], tolerating: 0)
    #expect(isCompacted)
    #expect(database.lostUpdates(by: start, since: start).count == 250)
    #expect(database.lostUpdates(by: database, since: start).isEmpty)
  }
}
