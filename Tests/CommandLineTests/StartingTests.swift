import TestSupport
import Testing

/// What json-server starts with, starts here, too: each thing without an effect is a line that says what to write instead.
struct StartingTests {
  struct Case: CustomTestStringConvertible {
    /// The texts of files by name.
    let files: [String: String]
    let arguments: [String]
    /// Parts of the lines on standard error.
    let lines: [String]
    /// A path, and a part of its response.
    var path = "/posts"
    var body = "\"id\": 1"

    var testDescription: String { (arguments + lines).joined(separator: " ") }
  }

  private static let posts = #"{"posts": [{"id": 1}]}"#

  static let cases = [
    Case(
      files: ["db.json": posts, "m.js": "module.exports = (req, res, next) => setTimeout(next, 2000)"],
      arguments: ["db.json", "-m", "m.js"],
      lines: [
        "--middlewares: m.js has no effect, since JavaScript is not run. By its words, it may delay responses (--delay 500)."
      ]),
    Case(
      files: ["db.json": posts, "a.js": "res.header('X-A', '1')", "b.js": "Math.random()"],
      arguments: ["db.json", "-m", "a.js", "b.js"],
      lines: [
        "a.js has no effect, since JavaScript is not run. By its words, it may add header fields (--stubs FILE with addHeaders).",
        "it may fail on purpose (--stubs FILE with probability).",
      ]),
    Case(
      files: ["db.json": posts, "json-server.json": #"{"middlewares": ["m.js"]}"#], arguments: ["db.json"],
      lines: ["json-server.json: 'middlewares': m.js has no effect"]),
    Case(
      files: ["db.json": posts, "json-server.json": #"{"cors": {"origin": "*"}}"#], arguments: ["db.json"],
      lines: ["json-server.json: 'cors' has no effect in this form; write the origins"]),
    Case(
      files: ["db.json": posts, "json-server.json": #"{"routes": "./db.json"}"#], arguments: ["db.json"],
      lines: ["json-server.json: 'routes': ./db.json has no effect, since it holds no rewrite rules"]),
    Case(
      files: ["db.json": posts, "routes.json": #"{"/ok": "/posts", "/users/id:/posts": "/posts?user_id=:id"}"#],
      arguments: ["db.json", "--routes", "routes.json"],
      lines: ["routes.json: The rewrite rule '/users/id:/posts' cannot be used: its target uses :id"], path: "/ok"),
    Case(
      files: ["db.json": posts, "routes.json": #"{"posts": 640, "users": 600}"#],
      arguments: ["db.json", "--routes", "routes.json"],
      lines: [
        "routes.json: The guards of 'posts', 'users' have no effect, and everyone may read and write: they need --auth"
      ]),
    Case(
      files: ["db.json": posts, "routes.json": #"{"/posts*": "/640/posts$1"}"#],
      arguments: ["db.json", "--routes", "routes.json"],
      lines: ["routes.json: The guards of '/posts*' have no effect"]),
    Case(
      files: ["posts.json": #"[{"id": 1}]"#], arguments: ["posts.json"],
      lines: ["posts.json holds an array, which is served as /posts."]),
    Case(
      files: ["db.json": #"[{"id": 1}]"#], arguments: ["db.json"],
      lines: ["db.json holds an array, which is served as /items."], path: "/items"),
    Case(
      files: ["db.json": #"{"posts": [{"_id": "a", "id2": 1}]}"#], arguments: ["db.json"],
      lines: ["No record of 'posts' has an 'id'; all have '_id': start the server with --id _id, or, for this"],
      path: "/posts/a", body: "no record has an 'id', but all have '_id': start the server with --id _id"),
  ]

  @Test(arguments: cases)
  func `A thing without an effect is said, and the rest works`(_ test: Case) async throws {
    let directory = try TemporaryDirectory()
    for (name, text) in test.files { try directory.write(text, to: name) }
    let result = try await Command.run(
      ["--port", "0", "--exec", "curl -sS \"$JSON_SERVER_URL\(test.path)\""] + test.arguments, in: directory)
    #expect(result.status == 0)
    #expect(result.output.contains(test.body))
    for line in test.lines { #expect(result.error.contains(line), "\(result.error)") }
  }

  @Test func `An array stays an array when it is written`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("[\n  { \"id\": 1 }\n]\n", to: "posts.json")
    let command =
      "curl -sS -X POST $JSON_SERVER_URL/posts -d '{\"id\": 2}' && curl -sS -X DELETE $JSON_SERVER_URL/posts/1"
    let result = try await Command.run(["posts.json", "--port", "0", "--exec", command], in: directory)
    #expect(result.status == 0)
    #expect(directory.text("posts.json") == "[\n  { \"id\": 2 }\n]\n")
  }

  @Test(arguments: [
    (#"{"auth": "people"}"#, "json-server.json: 'auth': no collection is named 'people'"),
    (#"{"wrap": "total"}"#, "json-server.json: 'wrap': 'total' cannot hold the records"),
    (#"{"maxDepth": 2}"#, "json-server.json: 'maxDepth': 2 is out of range"),
    (#"{"routes": "none.json"}"#, "json-server.json: 'routes': none.json: the file cannot be read"),
    (#"{"guard": "posts=640"}"#, "json-server.json: 'guard': it needs --auth"),
    (#"{"auth": "posts", "routes": "routes.json"}"#, "json-server.json: 'routes': routes.json: "),
  ])
  func `A refused setting is named with its file`(_ settings: String, _ message: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.posts, to: "db.json")
    try directory.write(settings, to: "json-server.json")
    try directory.write(#"{"/posts/(": "/640/posts"}"#, to: "routes.json")
    let result = try await Command.run(["db.json", "--port", "0", "--exec", "true"], in: directory)
    #expect(result.status == 64)
    #expect(result.error.contains(message), "\(result.error)")
  }
}
