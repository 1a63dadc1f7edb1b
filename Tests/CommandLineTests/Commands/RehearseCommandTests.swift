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
    ("exit 3", "ends with 3 without any change"), ("true", "was asked for no data"),
  ])
  func `Nothing is rehearsed with a client that fails, or asks for nothing`(_ client: String, _ message: String)
    async throws
  {
    let result = try await rehearse(client: client)
    #expect(result.status == 64 && result.error.contains(message))
  }
}
