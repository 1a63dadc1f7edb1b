import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

struct RelationTests {
  struct Deletion: Sendable, CustomTestStringConvertible {
    let name: String
    let before: String
    let id: String
    var dependents: [String] = []
    var dialect = Dialect.classic
    let after: String
    var testDescription: String { name }
  }

  /// Each deletes from `posts`.
  static let deletions = [
    Deletion(
      name: "all the way down",
      before:
        #"{"posts":[{"id":1},{"id":2}],"comments":[{"id":1,"postId":1},{"id":2,"postId":2}],"likes":[{"id":1,"commentId":"1"},{"id":2,"commentId":2}]}"#,
      id: "1", after: #"{"posts":[{"id":2}],"comments":[{"id":2,"postId":2}],"likes":[{"id":2,"commentId":2}]}"#),
    Deletion(
      name: "a dangling key stays, and null, and a list",
      before:
        #"{"posts":[{"id":1}],"comments":[{"id":1,"postId":9},{"id":2,"postId":null},{"id":3},{"id":4,"postId":[1,2]}]}"#,
      id: "1",
      after: #"{"posts":[],"comments":[{"id":1,"postId":9},{"id":2,"postId":null},{"id":3},{"id":4,"postId":[1,2]}]}"#),
    Deletion(
      name: "a cycle and a reference to itself end",
      before: #"{"posts":[{"id":1,"postId":1,"tagId":1},{"id":2,"tagId":1}],"tags":[{"id":1,"postId":1}]}"#, id: "1",
      after: #"{"posts":[],"tags":[]}"#),
    Deletion(
      name: "the replies to a comment below the post",
      before:
        #"{"posts":[{"id":1}],"comments":[{"id":1,"postId":1},{"id":2,"commentId":1},{"id":3,"commentId":2},{"id":4,"commentId":null}]}"#,
      id: "1", after: #"{"posts":[],"comments":[{"id":4,"commentId":null}]}"#),
    Deletion(
      name: "not what has the id as a number of its own",
      before: #"{"posts":[{"id":1,"postId":101},{"id":101,"postId":5}]}"#, id: "101",
      after: #"{"posts":[{"id":1,"postId":101}]}"#),
    Deletion(
      name: "not records without an id",
      before: #"{"posts":[{"postId":1,"name":"A"},{"postId":2},{"name":"C","id":1}]}"#,
      id: "1", after: #"{"posts":[{"postId":1,"name":"A"},{"postId":2}]}"#),
    Deletion(
      name: "1.0 leaves a number of the record's own",
      before: #"{"posts":[{"id":"1","postId":2},{"id":"2","postId":7}]}"#,
      id: "2", dialect: .v1, after: #"{"posts":[{"id":"1","postId":2}]}"#),
    Deletion(
      name: "keys in another spelling where no record has the configured one",
      before:
        #"{"posts":[{"id":1}],"comments":[{"id":1,"post_id":1}],"likes":[{"id":1,"post_id":1},{"id":2,"postId":9}]}"#,
      id: "1", after: #"{"posts":[],"comments":[],"likes":[{"id":1,"post_id":1},{"id":2,"postId":9}]}"#),
    Deletion(
      name: "1.0 makes keys null", before: #"{"posts":[{"id":"1"}],"comments":[{"id":"1","postId":1},{"id":"2"}]}"#,
      id: "1", dialect: .v1, after: #"{"posts":[],"comments":[{"id":"1","postId":null},{"id":"2"}]}"#),
    Deletion(
      name: "1.0 removes what it is told to",
      before:
        #"{"posts":[{"id":"1"}],"comments":[{"id":"1","postId":"1"},{"id":"2","postId":null}],"likes":[{"id":"1","postId":"1"}]}"#,
      id: "1", dependents: ["comments"], dialect: .v1,
      after: #"{"posts":[],"comments":[{"id":"2","postId":null}],"likes":[{"id":"1","postId":null}]}"#),
  ]

  @Test(arguments: deletions)
  func `A deletion takes what depends on the record, and leaves the version before`(_ test: Deletion) throws {
    let before = try Database.fixture(test.before, test.dialect)
    var database = before
    _ = try database.delete(test.id, in: "posts", dependents: test.dependents)
    #expect(database.string == test.after)
    #expect(before.string == test.before)
    database = before
    _ = try database.delete(test.id, in: "posts", dependents: test.dependents)
    #expect(database.string == test.after)
  }

  static let embeddings:
    [(database: String, resource: String, kind: RelationRequest.Kind, name: String, added: String?)] = [
      (
        #"{"posts":[{"id":1}],"comments":[{"id":5,"postId":"1"}]}"#, "posts", .embed, "comments",
        #"[{"id":5,"postId":"1"}]"#
      ),
      (
        #"{"posts":[{"id":1}],"comments":[{"id":5,"post_id":1}]}"#, "posts", .embed, "comments",
        #"[{"id":5,"post_id":1}]"#
      ),
      (#"{"comments":[{"id":5,"postId":1}],"posts":[{"id":1}]}"#, "comments", .expand, "post", #"{"id":1}"#),
      (#"{"comments":[{"id":5,"postId":1}],"posts":[{"id":1}]}"#, "comments", .embed, "post", #"{"id":1}"#),
      (#"{"comments":[{"id":5,"postId":7}],"posts":[{"id":1}]}"#, "comments", .expand, "post", nil),
      (#"{"comments":[{"id":5,"postId":null}],"posts":[{"id":1}]}"#, "comments", .expand, "post", nil),
      (
        #"{"people":[{"id":1}],"children":[{"id":2,"personId":1}]}"#, "people", .embed, "children",
        #"[{"id":2,"personId":1}]"#
      ),
      (#"{"children":[{"id":2,"personId":1}],"people":[{"id":1}]}"#, "children", .expand, "person", #"{"id":1}"#),
      (
        #"{"rooms":[{"id":1}],"equipment":[{"id":2,"roomId":1}]}"#, "rooms", .embed, "equipment",
        #"[{"id":2,"roomId":1}]"#
      ),
      (#"{"parts":[{"id":1,"equipmentId":2}],"equipment":[{"id":2}]}"#, "parts", .embed, "equipment", #"{"id":2}"#),
      (
        #"{"rooms":[{"id":1,"equipmentId":2}],"equipment":[{"id":2,"roomId":1}]}"#, "rooms", .embed, "equipment",
        #"[{"id":2,"roomId":1}]"#
      ),
      (#"{"arms":[{"id":1,"octopusId":2}],"octopuses":[{"id":2}]}"#, "arms", .expand, "octopus", #"{"id":2}"#),
      (#"{"rows":[{"id":1,"indexId":2}],"indexes":[{"id":2}]}"#, "rows", .embed, "index", #"{"id":2}"#),
      (#"{"posts":[{"id":1}]}"#, "posts", .embed, "nothing", "[]"),
      (#"{"posts":[{"id":1}]}"#, "posts", .expand, "nothing", nil),
      (#"{"posts":[{"id":1,"comments":7}],"comments":[]}"#, "posts", .embed, "comments", "7"),
      (
        #"{"a":[{"id":1}],"b":[{"id":2,"aId":1}],"c":[{"id":3,"bId":2,"a":null}]}"#, "a", .embed, "b.c",
        #"[{"id":2,"aId":1,"c":[{"id":3,"bId":2,"a":null}]}]"#
      ),
      (
        #"{"cs":[{"id":1,"bId":2}],"bs":[{"id":2,"aId":3}],"as":[{"id":3}]}"#, "cs", .expand, "b.a",
        #"{"id":2,"aId":3,"a":{"id":3}}"#
      ),
      (
        #"{"cs":[{"id":1,"bId":2}],"bs":[{"id":2,"a":9}],"as":[{"id":3}]}"#, "cs", .expand, "b.a.nothing",
        #"{"id":2,"a":9}"#
      ),
      (#"{"x.y":[{"id":5,"aId":1}],"as":[{"id":1}]}"#, "as", .embed, "x.y", #"[{"id":5,"aId":1}]"#),
    ]

  @Test(arguments: embeddings)
  func `A related record is found by its key`(
    _ text: String, _ resource: String, _ kind: RelationRequest.Kind, _ name: String, _ added: String?
  ) throws {
    let database = try Database.fixture(text)
    var query = Query()
    query.relations = [RelationRequest(kind, name)]
    let record = try #require(try database.list(resource, query).related.records.first)
    // Nothing but a collection has a dot in its name.
    let top = name == "x.y" ? name : String(name.prefix { $0 != "." })
    var output: [UInt8] = []
    JSONFormatter(.compact).append(record.joined, to: &output)
    #expect(try JSONValue(parsing: output)[top]?.text(pretty: false) == added)
    #expect(database.string == text)
  }

  static let keys: [(comments: String, key: String)] = [
    ("", #""postId":1"#), (#"{"id":1,"post_id":1}"#, #""post_id":1"#), (#"{"id":1,"postId":1}"#, #""postId":1"#),
  ]

  @Test(arguments: keys)
  func `A record made below another is found below it`(_ comments: String, _ key: String) throws {
    var database = try Database.fixture(#"{"posts":[{"id":1}],"comments":[\#(comments)]}"#)
    let written = try database.create(#"{"n":1}"#, in: "comments", below: ("posts", "1"))
    #expect(written.text.string.contains(key))
    var query = Query()
    query.criteria.parent = Query.Reference(try database.foreignKey(in: "comments", to: "posts"), "1")
    #expect(try database.list("comments", query).selection.total == (comments.isEmpty ? 1 : 2))
  }

  @Test func `Relations are what records of a collection refer by`() throws {
    let text = """
      {
        "posts": [{"id": 1, "postId": 2}, {"id": 2, "userId": 1}],
        "comments": [{"id": 1, "post_id": 1}, {"id": 2, "postId": 1}, {"id": 3, "userId": 1}],
        "users": [{"id": 1}], "notes": [{"id": 1, "user_id": 1}], "profile": {"userId": 1}
      }
      """
    var database = try Database.fixture(text)
    #expect(
      database.relations().map { "\($0.parent) \($0.child) \($0.key)" } == [
        "posts posts postId", "posts comments postId", "users posts userId", "users comments userId",
        "users notes user_id",
      ])
    _ = try database.delete("1", in: "notes")
    #expect(!database.relations().contains { $0.child == "notes" })
  }

  @Test func `A request for relations over more than four levels is refused`() throws {
    let database = try Database.fixture(#"{"as":[{"id":1,"aId":1}]}"#)
    var query = Query()
    query.relations = [RelationRequest(.expand, "a.a.a.a")]
    #expect(try database.list("as", query).related.records.count == 1)
    query.relations = [RelationRequest(.expand, "a.a.a.a.a")]
    #expect(throws: DatabaseError.self) { try database.list("as", query) }
  }

  @Test func `The levels of a request do not multiply records without end`() throws {
    let records = (1...400).map { #"{"id":\#($0),"aId":1}"# }.joined(separator: ",")
    let database = try Database.fixture(#"{"as":[{"id":1}],"bs":[\#(records)]}"#)
    var query = Query()
    query.relations = [RelationRequest(.embed, "bs.a.bs")]
    let error = #expect(throws: DatabaseError.self) { try database.list("as", query) }
    #expect(error?.code == .invalidQuery)
  }

  static let joined: [(parameter: (String, String), ids: [String])] = [
    (("author.name", "Ada"), ["1", "4"]), (("author.name_ne", "Ada"), ["2"]), (("author.tags.n_gte", "2"), ["2"]),
    (("author.age:lt", "40"), ["1", "4"]), (("author.name_exists", "false"), ["3", "5"]),
    (("author[name]", "Bob"), ["2"]), (("author[age][gte]", "40"), ["2"]),
    (("author.nothing", "1"), ["1", "2", "3", "4", "5"]),
    (("author.x", "own"), ["5"]), (("author.team.name", "Core"), ["1", "2", "3", "4", "5"]),
  ]

  private static let books = """
    {"books": [{"id": 1, "authorId": 1}, {"id": 2, "authorId": "2"}, {"id": 3, "authorId": 9}, {"id": 4, "authorId": 1},
      {"id": 5, "authorId": 1, "author": {"x": "own"}}],
     "authors": [{"id": 1, "name": "Ada", "age": 36, "teamId": 1}, {"id": 2, "name": "Bob", "age": 41, "tags": [{"n": 1}, {"n": 2}]}],
     "teams": [{"id": 1, "name": "Core"}]}
    """

  @Test(arguments: joined, [RelationRequest(.expand, "author"), RelationRequest(.embed, "author")])
  func `Filters lead into a parent that is embedded`(
    _ test: (parameter: (String, String), ids: [String]), _ request: RelationRequest
  ) throws {
    let database = try Database.fixture(Self.books)
    var query = Query(test.parameter)
    query.relations = [request]
    #expect(try database.ids(of: "books", query) == test.ids)
  }

  @Test func `Trees, sort keys and further levels lead into parents, too`() throws {
    let database = try Database.fixture(Self.books)
    var query = Query(where: try JSONValue(parsing: #"{"or":[{"author":{"age":{"gt":40}}},{"id":{"eq":5}}]}"#))
    query.relations = [RelationRequest(.expand, "author")]
    #expect(try database.ids(of: "books", query) == ["2", "5"])
    query.criteria.conditions = nil
    query.sort = [SortKey(FieldPath("author.name"), descending: true)]
    #expect(try database.ids(of: "books", query) == ["3", "5", "2", "1", "4"])
    query = Query(("author.team.name", "Core"))
    query.relations = [RelationRequest(.expand, "author.team")]
    #expect(try database.ids(of: "books", query) == ["1", "4"])
  }

  @Test func `Members that are in the way of relations are named`() throws {
    let database = try Database.fixture(Self.books)
    var query = Query()
    query.relations = [RelationRequest(.expand, "author")]
    #expect(try database.list("books", query).related.hiddenNames == ["author"])
    query.window = .slice(start: 0, end: 4)
    #expect(try database.list("books", query).related.hiddenNames == [])
  }

  @Test
  func `An own key is judged alike by a database that has changed and by one that is read anew`() throws {
    var random = SeededGenerator(seed: 7)
    var database = try Database.fixture(#"{"posts":[{"id":1}]}"#)
    for _ in 0..<300 {
      let id = Int.random(in: 1...12, using: &random)
      let key = [Int.random(in: 1...14, using: &random), nil, id].randomElement(using: &random) ?? nil
      let body = key.map { #"{"id":\#(id),"postId":\#($0)}"# } ?? #"{"id":\#(id)}"#
      if Bool.random(using: &random) {
        _ = try? database.delete("\(id)", in: "posts")
      } else if (try? database.replace("\(id)", in: "posts", with: body)) == nil {
        _ = try database.create(body, in: "posts")
      }
      #expect(database.relations().map(\.key) == (try Database.fixture(database.string)).relations().map(\.key))
    }
  }
}
