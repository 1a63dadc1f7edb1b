import Foundation
import JSONServerValues
import TestSupport
import Testing

/// Files that are compared with an API, which is another server.
struct ComparisonTests {
  private static let file = """
    {
      "posts": [
        {
          "id": 1,
          "price": 10,
          "subtitle": "x",
          "author": {"name": "Ada"}
        }
      ],
      "profile": {"name": "Ada"},
      "local": []
    }
    """

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(Self.file)
  }

  /// A server that asks for a key, and has the posts at another path, in an object.
  private func api() async throws -> (Command, URL) {
    let there = try TemporaryDirectory()
    try there.write(#"{"profile": {"name": "Grace"}}"#)
    try there.write(
      """
      [
        {"request": {"headers": {"Authorization": null}}, "response": {"status": 401}},
        {"request": {"path": "/v2/articles"}, "response": {"body": {"data": [
          {"id": 3, "price": "free", "slug": "s", "author": {"name": null}},
          {"id": 4, "price": "free", "slug": "t", "author": {"name": "Bob"}}], "total": 2}}},
        {"request": {"path": "/v2/articles/3"}, "response": {"body": {"data":
          {"id": 3, "price": "free", "slug": "s", "author": {"name": "Eve"}, "secretPart": "VALUE"}}}}
      ]
      """, to: "stubs.json")
    let server = try Command(["database.json", "--port", "0", "--stubs", "stubs.json"], in: there)
    return (server, try await server.url())
  }

  private func validate(_ url: URL, _ arguments: String..., token: String? = "key-1") async throws -> Command.Result {
    try await Command.run(
      [
        "validate", "database.json", "--against", "\(url)", "--path", "posts=/v2/articles", "--path", "local=",
        "-H", "Authorization: Bearer ${API_TOKEN}",
      ] + arguments, in: directory, environment: token.map { ["API_TOKEN": $0] } ?? [:])
  }

  @Test
  func `Each difference of shape is named with its place, and no value`() async throws {
    let (server, url) = try await api()
    defer { withExtendedLifetime(server) {} }
    let result = try await validate(url)
    #expect(result.status == 1, "\(result.error)")
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("database.json") }
    #expect(
      lines == [
        #"database.json:3:5: error: "secretPart" is at /v2/articles/3, and not here"#,
        #"database.json:3:5: error: "slug" is in each of 3 samples from /v2/articles, and not here"#,
        #"database.json:5:7: error: "price" is a number here, and a text at /v2/articles/3"#,
        #"database.json:6:7: error: "subtitle" is here, and in none of 3 samples from /v2/articles"#,
        #"database.json:7:18: error: "author.name" is a text here, and null at /v2/articles/3"#,
      ])
    #expect(result.output.contains("        \"price\": 10,\n        ^"))
    #expect(!(result.output + result.error).contains("VALUE") && !(result.output + result.error).contains("key-1"))
  }

  @Test
  func `Findings are annotations for a workflow, or JSON`() async throws {
    let (server, url) = try await api()
    defer { withExtendedLifetime(server) {} }
    let annotations = try await validate(url, "--format", "github")
    #expect(annotations.status == 1)
    #expect(
      annotations.output.contains(
        "::error file=database.json,line=5,col=7::\"price\" is a number here, and a text at /v2/articles/3\n"))
    let result = try await validate(url, "--format", "json")
    let findings = try #require(try JSONValue(parsing: result.output).array)
    #expect(findings.count == 5)
    #expect(
      findings[2] == [
        "file": "database.json", "line": 5, "column": 7, "severity": "error",
        "message": "\"price\" is a number here, and a text at /v2/articles/3",
      ])
    try directory.write(#"{"a,b": [{"n": 1}]}"#, to: "a,b.json")
    let warning = try await Command.run(["validate", "a,b.json", "--format", "github"], in: directory)
    #expect(warning.output.hasPrefix("::warning file=a%2Cb.json,line=1,col=10::record 1 of 'a,b' has no 'id'"))
  }

  @Test
  func `A file like the API has nothing to report, and a resource that is not there is named`() async throws {
    let (server, url) = try await api()
    defer { withExtendedLifetime(server) {} }
    try directory.write(#"{"profile": {"name": "Ada"}}"#)
    let like = try await Command.run(
      ["validate", "database.json", "--against", "\(url)/", "-H", "Authorization: x"], in: directory)
    #expect(like.status == 0, "\(like.output)\(like.error)")
    #expect(like.output == "database.json: nothing to report\n")
    try directory.write("{\n  \"posts\": []\n}")
    let missing = try await Command.run(
      ["validate", "database.json", "--against", "\(url)", "-H", "Authorization: x"], in: directory)
    #expect(missing.status == 1)
    #expect(missing.output.contains(#"database.json:2:3: error: "posts" is not at /posts; say where the API has it"#))
  }

  @Test
  func `An API that cannot be asked is no difference, and no message has a secret`() async throws {
    let (server, url) = try await api()
    defer { withExtendedLifetime(server) {} }
    let unset = try await validate(url, token: nil)
    #expect(unset.status == 64)
    #expect(unset.error.contains("--header: Authorization needs the variable API_TOKEN, which is not set"))
    let refused = try await Command.run(
      ["validate", "database.json", "--against", "\(url)", "--path", "posts=/v2/articles?api_key=key-2"],
      in: directory)
    #expect(refused.status == 74)
    #expect(refused.error.contains("/v2/articles?api_key=***: it responded with 401"))
    for (argument, message) in [("pots=/x", "the file has no resource 'pots'"), ("posts", "'posts' names no path")] {
      let wrong = try await validate(url, "--path", argument)
      #expect(wrong.status == 64)
      #expect(wrong.error.contains("--path: \(message)"))
    }
    let user = try await Command.run(
      ["validate", "database.json", "--against", "https://ada:key-3@api.example.com"], in: directory)
    #expect(user.status == 64)
    #expect(!(refused.error + user.error + unset.error).contains("key-"))
  }

  @Test
  func `A header has the dollars that are written twice`() async throws {
    let there = try TemporaryDirectory()
    try there.write("{}")
    try there.write(
      #"[{"request": {"path": "/me", "headers": {"X-Price": "$5 and $HOME 1"}}, "response": {"body": [{"id": 1}]}}]"#,
      to: "stubs.json")
    let server = try Command(["database.json", "--port", "0", "--stubs", "stubs.json"], in: there)
    let url = try await server.url()
    defer { withExtendedLifetime(server) {} }
    let result = try await Command.run(
      ["record", "\(url)/me", "-o", "new.json", "-H", "X-Price: $$5 and $$HOME $NUMBER"], in: directory,
      environment: ["NUMBER": "1"])
    #expect(result.status == 0, "\(result.error)")
  }
}
