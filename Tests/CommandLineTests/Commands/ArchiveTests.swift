import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import swift_json_server

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Databases made of what browsers have saved: `traffic.har` as Chrome's network panel writes it, with what it leaves
/// unfinished, and `traffic-chromium.har`, which Chromium recorded of a server with chunked bodies.
struct ArchiveTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["traffic.har", "traffic-chromium.har"] {
      let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../fixtures/\(name)")
      try directory.write(try String(contentsOf: fixture, encoding: .utf8), to: name)
    }
  }

  private func record(_ arguments: String...) async throws -> Command.Result {
    try await Command.run(["record", "-o", "new.json", "--from"] + arguments, in: directory)
  }

  @Test
  func `Lists, records and objects become resources, in the order of their times and without what is secret`()
    async throws
  {
    let result = try await record("traffic.har", "https://api.example.com")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("new.json has 3 articles, the object profile, 1 comments."))
    #expect(result.output.contains("Its addresses begin with /v2: --routes takes a file with {\"/v2/*\": \"/$1\"}."))
    #expect(result.output.contains("Serve it with: swift-json-server --watch new.json --stubs traffic.har"))
    let text = try #require(directory.text("new.json"))
    #expect(
      try JSONValue(parsing: text).text(pretty: false)
        == #"{"articles":[{"id":1,"title":"One","price":10},{"id":2,"title":"Two","price":12.50},"#
        + #"{"id":3,"title":"Three!","price":8,"body":"Text"}],"profile":{"name":"Ada","born":1815},"#
        + #""comments":[{"id":7,"articleId":1}]}"#)
    #expect(!text.contains("SECRET"))
    #expect(try await record("traffic.har").status == 73)
  }

  @Test(arguments: [
    ("https://API.example.com:443/", Int32(0)), ("https://api.example.co", 65), ("https://api.example.com/v", 65),
    ("nonsense", 64),
  ])
  func `Only what is below the given addresses is read`(_ address: String, _ status: Int32) async throws {
    #expect(try await record("traffic.har", address).status == status)
  }

  @Test
  func `A list that was loaded twice is one list, and an empty list in an object hides nothing`() async throws {
    func entry(_ path: String, _ text: String) -> JSONValue {
      [
        "request": ["method": "GET", "url": .string("http://a.b/\(path)"), "headers": []],
        "response": [
          "status": 200, "headers": [], "content": ["mimeType": "application/json", "text": .string(text)],
        ],
      ]
    }
    let entries = [
      entry("logs?page=1", #"[{"m":1},{"m":1}]"#), entry("logs?page=2", #"[{"m":2}]"#),
      entry("logs?page=1", #"[{"m":1},{"m":1}]"#), entry("dash", #"{"results":[],"name":"x"}"#),
    ]
    try directory.write(JSONValue.object(["log": ["entries": .array(entries)]]).text(), to: "own.har")
    #expect(try await record("own.har").status == 0)
    #expect(
      try JSONValue(parsing: try #require(directory.text("new.json"))).text(pretty: false)
        == #"{"logs":[{"m":1},{"m":1},{"m":2}],"dash":{"results":[],"name":"x"}}"#)
  }

  @Test
  func `A private file stays private, and a link a link`() async throws {
    let link = #"cd "$0" && echo {} > real.json && chmod 600 real.json && ln -s real.json new.json"#
    #expect(Program(arguments: ["sh", "-c", link, directory.path(".")]).output()?.status == 0)
    #expect(try await record("traffic.har", "--force").status == 0)
    #expect(directory.text("real.json")?.contains("articles") == true)
    let mode = try FileManager.default.attributesOfItem(atPath: directory.path("real.json"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test
  func `What Chromium has recorded becomes a database, too`() async throws {
    let result = try await record("traffic-chromium.har")
    #expect(result.output.contains("new.json has 3 posts, the object profile."), "\(result.error)")
    #expect(
      try JSONValue(parsing: try #require(directory.text("new.json"))).text(pretty: false)
        == #"{"posts":[{"id":1,"title":"a"},{"id":2,"title":"b","body":"long"},{"id":3,"title":"c"}],"#
        + #""profile":{"name":"Ada"}}"#)
  }

  @Test
  func `The rest is served as it was, bytes too, beside the data`() async throws {
    #expect(try await record("traffic-chromium.har").status == 0)
    try directory.write(#"{"/api/posts*": "/posts$1"}"#, to: "routes.json")
    let server = try Command(
      ["new.json", "--port", "0", "--stubs", "traffic-chromium.har", "--routes", "routes.json"], in: directory)
    defer { withExtendedLifetime(server) {} }
    let url = try await server.url()
    let (logo, _) = try await URLSession.shared.data(from: url.appending(path: "api/logo.png"))
    #expect(Array(logo) == [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 255])
    let (tags, _) = try await URLSession.shared.data(from: url.appending(path: "api/tags"))
    #expect(String(decoding: tags, as: UTF8.self).contains("\"a\""))
    var request = URLRequest(url: url.appending(path: "api/posts"))
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"title": "New"}"#.utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (created, _) = try await URLSession.shared.data(for: request)
    #expect(try JSONValue(parsing: Array(created))["id"]?.int == 4)
  }

  @Test(arguments: [
    (["missing.har"], Int32(66), "missing.har: there is no such file"),
    (["text.har"], 65, "text.har:1:1: expected a value"),
    (["stubs.json"], 65, "stubs.json: this is not an HTTP archive"),
    (["traffic.har", "https://other.example.com"], 65, "no GET of https://other.example.com has a list"),
    (["traffic.har", "-H", "A: b"], 64, "--header is for a server"),
  ])
  func `What is no archive, or has nothing to record, is named`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) async throws {
    try directory.write("no", to: "text.har")
    try directory.write("[]", to: "stubs.json")
    let result = try await Command.run(["record", "-o", "new.json", "--from"] + arguments, in: directory)
    #expect(result.status == status)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(directory.text("new.json") == nil)
  }
}
