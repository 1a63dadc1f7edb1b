import JSONDatabase
import OrderedJSON
import Testing

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
      name: "keys in another spelling than the configured one are guesses, which no deletion follows",
      before: #"{"posts":[{"id":1}],"comments":[{"id":1,"post_id":1}]}"#, id: "1",
      after: #"{"posts":[],"comments":[{"id":1,"post_id":1}]}"#),
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
  func `A deletion takes what depends on the record, and can be undone`(_ test: Deletion) throws {
    var database = try Database.fixture(test.before, test.dialect)
    _ = try database.delete(test.id, in: "posts", dependents: test.dependents)
    #expect(database.string == test.after)
    database.undo(database.takeChanges())
    #expect(database.string == test.before)
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
      (#"{"posts":[{"id":1,"comments":7}],"comments":[]}"#, "posts", .embed, "comments", "[]"),
    ]

  @Test(arguments: embeddings)
  func `A related record is found by its key`(
    _ text: String, _ resource: String, _ kind: RelationRequest.Kind, _ name: String, _ added: String?
  ) throws {
    var database = try Database.fixture(text)
    var query = Query()
    query.relations = [RelationRequest(kind, name)]
    let record = try #require(try database.list(resource, query).records.first)
    var output: [UInt8] = []
    record.append(to: &output, JSONFormatter(.compact), level: 0)
    #expect(try JSONValue(parsing: output)[name]?.text(pretty: false) == added)
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
    query.parent = (try database.foreignKey(in: "comments", to: "posts"), "1")
    #expect(try database.list("comments", query).selection.total == (comments.isEmpty ? 1 : 2))
  }

  @Test(arguments: [(1, ["posts comments post_id"]), (2, ["posts comments postId", "users posts userId"])])
  func `Relations are inferred from the first records of each collection`(_ count: Int, _ expected: [String]) throws {
    let text = """
      {
        "posts": [{"id": 1, "postId": 1}, {"id": 2, "userId": 1}],
        "comments": [{"id": 1, "post_id": 1}, {"id": 2, "postId": 1}, {"id": 3, "userId": 1}],
        "users": [{"id": 1}], "profile": {"userId": 1}
      }
      """
    let relations = try Database.fixture(text).relations(inFirst: count)
    #expect(relations.map { "\($0.parent) \($0.child) \($0.key)" } == expected)
  }
}
