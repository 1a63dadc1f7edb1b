import JSONDatabase
import OrderedJSON
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
      $0.restore(
        from: try Database.fixture("{\"posts\": [{\"id\": 2, \"t\": \"b\"}, {\"id\": 7}], \"tags\": [{\"id\": 1}]}"))
    },
    Case(
      testDescription: "a change, and everything replaced", undone: ["/comments/1", "/posts/1", "/posts/2", "/profile"]
    ) {
      _ = try $0.merge("{\"t\":1}", into: "1", in: "posts")
      $0.restore(from: try Database.fixture("{\"posts\": []}"))
    },
    Case(testDescription: "what was undone over HTTP itself", undone: []) {
      _ = try $0.create("{}", in: "posts")
      _ = try $0.delete("3", in: "posts")
    },
  ]

  @Test(arguments: cases) func `undoes exactly that`(_ test: Case) throws {
    var database = try Database.fixture(Self.start)
    var writes = LostUpdateDetector()
    try test.write(&database)
    writes.record(database.takeChanges(), in: database)
    #expect(writes.undone(by: try Database.fixture(Self.start), replacing: database) == test.undone)
  }

  @Test(arguments: cases) func `undoes nothing when it keeps that and changes other records`(_ test: Case) throws {
    var database = try Database.fixture(Self.start)
    var writes = LostUpdateDetector()
    try test.write(&database)
    writes.record(database.takeChanges(), in: database)
    var edited = database
    if edited.resource(named: "comments") != nil { _ = try edited.create("{\"id\":77}", in: "comments") }
    #expect(writes.undone(by: edited, replacing: database).isEmpty)
  }

  @Test func `is not compared with what was written before the last edit`() throws {
    var database = try Database.fixture(Self.start)
    var writes = LostUpdateDetector()
    _ = try database.create("{}", in: "posts")
    _ = try database.create("{}", in: "comments")
    writes.record(database.takeChanges(), in: database)
    writes.forget("posts")
    #expect(writes.undone(by: try Database.fixture(Self.start), replacing: database) == ["/comments/2"])
    writes.forget("")
    #expect(writes.undone(by: try Database.fixture(Self.start), replacing: database).isEmpty)
  }

  @Test func `is distinguished from it although all was replaced before the write was acknowledged`() throws {
    var database = try Database.fixture(Self.start)
    var writes = LostUpdateDetector()
    _ = try database.create("{}", in: "posts")
    let changes = database.takeChanges()
    database.restore(from: try Database.fixture(Self.start))
    writes.record(changes, in: database)
    writes.record(database.takeChanges(), in: database)
    #expect(writes.undone(by: try Database.fixture(Self.start), replacing: database).isEmpty)
    let edited = try Database.fixture("{\"posts\": [{\"id\": 2, \"t\": \"b\"}]}")
    #expect(writes.undone(by: edited, replacing: database) == ["/comments/1", "/posts/1", "/profile"])
  }
}
