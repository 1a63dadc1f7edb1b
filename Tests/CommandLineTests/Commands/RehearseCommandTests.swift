import Foundation
import JSONServerValues
import TestSupport
import Testing

struct RehearseCommandTests {
  private static let data = #"{"bookmarks": [{"id": 1, "status": "active"}, {"id": 2, "status": "archived"}]}"#
  /// A client that knows the states of today.
  private static let client = #"curl -sf "$JSON_SERVER_URL/bookmarks/1" | grep -q '"status": "active"'"#

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(Self.data)
  }

  private func rehearse(_ arguments: String..., client: String = client) async throws -> Command.Result {
    try await Command.run(["rehearse", "database.json", "--exec", client] + arguments, in: directory)
  }

  @Test func `A change that is not survived is named, with exit code 1`() async throws {
    let result = try await rehearse("--jobs", "2")
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("4 changes that your backend may make without telling you. The tests survive 3."))
    #expect(result.output.contains(#"✗ bookmarks.status = "archived-2": a value not seen before"#))
    #expect(result.output.contains("fails after GET /bookmarks/1: The command ends with 1."))
    #expect(directory.text() == Self.data)
  }

  @Test func `What the settings file ignores is not changed`() async throws {
    try directory.write(#"{"ignore": "bookmarks.status"}"#, to: "json-server.json")
    let result = try await rehearse()
    #expect(result.status == 0)
    #expect(result.output == "3 changes that your backend may make without telling you. The tests survive 3.\n")
  }

  @Test func `The outcome is JSON, or annotations`() async throws {
    let json = try JSONValue(parsing: try await rehearse("--only", "new-value", "--format", "json").output)
    #expect(json[0]?["place"] == "bookmarks.status" && json[0]?["verdict"] == "failed" && json.array?.count == 1)
    let github = try await rehearse("--limit", "1", "--format", "github").output
    #expect(github.hasPrefix(#"::error file=database.json::bookmarks.status = "archived-2" (a value not seen before)"#))
  }

  @Test(arguments: [
    ("exit 3", "ends with 3 without any change"), ("true", "read no data"),
  ])
  func `Nothing is rehearsed with a client that fails, or asks for nothing`(_ client: String, _ message: String)
    async throws
  {
    let result = try await rehearse(client: client)
    #expect(result.status == 64 && result.error.contains(message))
  }
}

/// `rehearse --network`, whose runs NetworkRehearsalTests judges.
struct RehearseNetworkCommandTests {
  private let directory: TemporaryDirectory
  private static let blind = #"post() { curl -sf "$JSON_SERVER_URL/orders" -d n=1 | grep -q '"id"'; }; post || post"#
  private static let careful = """
    key=$JSON_SERVER_REHEARSAL_DIRECTORY/key; test -f "$key" || echo $$ > "$key"
    curl -sf "$JSON_SERVER_URL/orders" -H "Idempotency-Key: $(cat "$key")" -d n=1 | grep -q '"id"'
    """

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(#"{"orders": []}"#)
  }

  private func rehearse(_ client: String, _ arguments: String...) async throws -> Command.Result {
    try await Command.run(["rehearse", "--network", "database.json", "--exec", client] + arguments, in: directory)
  }

  @Test func `A blind retry is named at its request and condition, with exit code 1`() async throws {
    let result = try await rehearse(Self.blind, "--jobs", "2")
    #expect(result.status == 1)
    #expect(
      result.output == """
        1 request, 9 conditions: 8 runs
          ✗ POST /orders   the response is lost after the request is carried out   2 orders, should be 1
          ✗ POST /orders   the request is carried out twice   2 orders, should be 1
          ✗ POST /orders   the connection ends in the middle of the response   2 orders, should be 1
        5 of 8 runs leave the right data, 1 of them after a repetition.

        """)
  }

  @Test func `A client with a key, which it keeps in its folder, survives`() async throws {
    let result = try await rehearse(Self.careful)
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func `The report is JSON, or annotations`() async throws {
    let json = try JSONValue(parsing: try await rehearse(Self.blind, "--condition", "twice", "--format", "json").output)
    #expect(json["findings"]?[0]?["condition"] == "twice" && json["findings"]?[0]?["outcome"] == "differs")
    #expect(json["findings"]?[0]?["found"] == "2 orders" && json["runs"] == 1)
    let github = try await rehearse(Self.blind, "--condition", "twice", "--only", "POST *", "--format", "github").output
    #expect(github.hasPrefix("::error file=database.json::POST /orders   the request is carried out twice"))
  }

  @Test(
    arguments: [
      ("exit 3", [], "undisturbed, the command ended with 3"), ("true", [], "sent no request to this server"),
      (blind, ["--only", "GET /"], "there are POST /orders"), (blind, ["--condition", "rain"], "rain"),
    ] as [(String, [String], String)])
  func `Nothing is rehearsed that fails or is not there`(_ client: String, _ arguments: [String], _ message: String)
    async throws
  {
    let result = try await Command.run(
      ["rehearse", "--network", "database.json", "--exec", client] + arguments, in: directory)
    #expect(result.status == 64 && result.error.contains(message), "\(result.error)")
  }
}
