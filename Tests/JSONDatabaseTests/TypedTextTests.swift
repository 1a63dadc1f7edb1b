import JSONServerValues
import Testing

@testable import JSONDatabase

struct TypedTextTests {
  private static let products = """
    {"products": [
      {"id": 1, "price": 9.5, "sold": true, "tags": ["a"], "sizes": [1, 2], "name": "x", "mixed": 1, "note": null, "empty": []},
      {"id": 2, "price": null, "sold": false, "tags": [], "sizes": [], "name": "7", "mixed": "1", "only2": 3}],
     "none": [], "settings": {"volume": 5, "dark": false, "modes": ["x"], "label": "l"}}
    """

  static let bodies: [(body: String, id: String?, typed: String)] = [
    (#"{"price":"10.50"}"#, nil, #"{"price":10.50}"#), (#"{"price":"cheap"}"#, nil, #"{"price":"cheap"}"#),
    (#"{"price":" 9"}"#, nil, #"{"price":" 9"}"#), (#"{"price":""}"#, nil, #"{"price":""}"#),
    (#"{"price":"1e400"}"#, nil, #"{"price":1e400}"#), (#"{"price":"01"}"#, nil, #"{"price":"01"}"#),
    (#"{"sold":"false"}"#, nil, #"{"sold":false}"#), (#"{"sold":"no"}"#, nil, #"{"sold":"no"}"#),
    (#"{"tags":"b"}"#, nil, #"{"tags":["b"]}"#), (#"{"tags":["b","c"]}"#, nil, #"{"tags":["b","c"]}"#),
    (#"{"tags":"7"}"#, nil, #"{"tags":["7"]}"#), (#"{"sizes":"3"}"#, nil, #"{"sizes":[3]}"#),
    (#"{"sizes":["3","x"]}"#, nil, #"{"sizes":[3,"x"]}"#), (#"{"empty":"3"}"#, nil, #"{"empty":["3"]}"#),
    (#"{"name":"9"}"#, nil, #"{"name":"9"}"#), (#"{"name":9.0,"x":9}"#, nil, #"{"name":"9.0","x":9}"#),
    (#"{"mixed":"5"}"#, nil, #"{"mixed":"5"}"#), (#"{"note":"5"}"#, nil, #"{"note":"5"}"#),
    (#"{"new":"5"}"#, nil, #"{"new":"5"}"#), (#"{"price":null}"#, nil, #"{"price":null}"#),
    (#"{"id":"7"}"#, nil, #"{"id":7}"#), (#"{"price":{"data":"x"}}"#, nil, #"{"price":{"data":"x"}}"#),
    (#"{"tags":{"data":"x"}}"#, nil, #"{"tags":[{"data":"x"}]}"#), (#"{"price":["1","2"]}"#, nil, #"{"price":[1,2]}"#),
    (#"{"pr\u0069ce":"4"}"#, nil, #"{"pr\u0069ce":4}"#), ("{}", nil, "{}"),
    // What the record itself has counts where no other has it.
    (#"{"mixed":"5"}"#, "1", #"{"mixed":"5"}"#), (#"{"mixed":"5"}"#, "2", #"{"mixed":5}"#),
    (#"{"only2":"5"}"#, "2", #"{"only2":5}"#), (#"{"only2":"5"}"#, "1", #"{"only2":5}"#),
    (#"{"price":"5"}"#, "1", #"{"price":5}"#), (#"{"price":"5"}"#, "99", #"{"price":5}"#),
    (#"[{"price":"1"},{"id":"2","only2":"4"}]"#, nil, #"[{"price":1},{"id":2,"only2":4}]"#),
  ]

  @Test(arguments: bodies)
  func `Texts become what the member is in the other records`(_ test: (body: String, id: String?, typed: String)) throws
  {
    let database = try Database.fixture(Self.products)
    #expect(database.typed(try ValidJSON(test.body), for: "products", id: test.id).string == test.typed)
  }

  @Test func `Texts stay what they are where there is no example`() throws {
    let database = try Database.fixture(Self.products)
    let body = try ValidJSON(#"[{"price":"1","sold":true,"n":2}]"#)
    #expect(database.typed(body, for: "none").string == body.string)
    #expect(database.typed(body, for: "nothing").string == body.string)
  }

  @Test func `A singular resource is its own example`() throws {
    let database = try Database.fixture(Self.products)
    let body = try ValidJSON(#"{"volume":"7","dark":"true","modes":"y","label":"1","new":"2"}"#)
    #expect(
      database.typed(body, for: "settings").string
        == #"{"volume":7,"dark":true,"modes":["y"],"label":"1","new":"2"}"#)
  }

  @Test func `What was written since is an example, and what was removed is none`() throws {
    let start = try Database.fixture(#"{"a": [{"id": 1, "n": 1}]}"#)
    var database = start
    let body = try ValidJSON(#"{"n":"5","m":"5"}"#)
    #expect(database.typed(body, for: "a").string == #"{"n":5,"m":"5"}"#)
    _ = try database.create(#"{"n":"text","m":5}"#, in: "a")
    #expect(database.typed(body, for: "a").string == #"{"n":"5","m":5}"#)
    _ = try database.delete("2", in: "a")
    #expect(database.typed(body, for: "a").string == #"{"n":5,"m":"5"}"#)
    _ = try database.replace("1", in: "a", with: #"{"m":[1]}"#)
    #expect(database.typed(body, for: "a").string == #"{"n":"5","m":[5]}"#)
    database = start
    #expect(database.typed(body, for: "a").string == #"{"n":5,"m":"5"}"#)
  }

  static let parents: [(comments: String, posts: String, key: String)] = [
    (#"{"id":1,"postId":1}"#, #"{"id":"x"}"#, "7"), (#"{"id":1,"postId":"1"}"#, #"{"id":1}"#, "\"7\""),
    ("", #"{"id":1}"#, "7"), ("", #"{"id":"x"}"#, "\"7\""), ("", "", "\"7\""),
  ]

  @Test(arguments: parents)
  func `A key to a parent that is not there has the type of the others`(
    _ comments: String, _ posts: String, _ key: String
  )
    throws
  {
    var database = try Database.fixture(#"{"comments":[\#(comments)],"posts":[\#(posts)]}"#)
    let written = try database.create("{}", in: "comments", below: ("posts", "7"))
    #expect(written.text.string.contains("\"postId\":\(key)"))
  }

  static let uuids: [(ids: [String], expected: String)] = [
    (["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"], "^[0-9a-f-]{36}$"),
    (["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF7"], "^[0-9A-F-]{36}$"),
    (["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "x"], "^.{7}$"), (["x", "y"], "^.{7}$"),
  ]

  @Test(arguments: uuids, Dialect.allCases)
  func `Among UUIDs a new id is one`(_ test: (ids: [String], expected: String), _ dialect: Dialect) throws {
    let records = test.ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
    var database = try Database.fixture("{\"a\":[\(records)]}", dialect)
    let ids = IDGenerator.urlSafe(length: 7) { .random(in: 0...UInt64.max) }
    let first = try database.create(try ValidJSON("{}"), in: "a", ids: ids).id
    let second = try database.create(try ValidJSON("{}"), in: "a", ids: ids).id
    for id in [first, second] { #expect(try Regex(test.expected).firstMatch(in: id) != nil, "\(id)") }
    #expect(first != second)
    if test.expected.contains("36") { #expect(Array(first)[14] == "4" && "89abAB".contains(Array(first)[19])) }
  }
}
