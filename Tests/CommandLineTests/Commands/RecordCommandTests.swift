import Foundation
import JSONServerValues
import TestSupport
import Testing

/// Databases made of what another server has.
struct RecordCommandTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A server with these stubs.
  private func server(_ stubs: String, _ data: String = "{}") async throws -> (Command, String) {
    let there = try TemporaryDirectory()
    try there.write(data)
    try there.write(stubs, to: "stubs.json")
    let server = try Command(["database.json", "--port", "0", "--stubs", "stubs.json"], in: there)
    return (server, "\(try await server.url())")
  }

  @Test
  func `All pages of lists and an object are one file, as they came`() async throws {
    let records = (1...25).map { #"{"id": \#($0), "b": 1.50, "a": "\u00e9\/"}"# }.joined(separator: ",")
    let (server, url) = try await server("[]", #"{"posts": [\#(records)], "profile": {"name": "x", "age": 1e2}}"#)
    defer { withExtendedLifetime(server) {} }
    let result = try await Command.run(
      ["record", "\(url)/posts?_page=1", "\(url)/profile", "-o", "new.json"], in: directory)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("new.json has 25 posts, the object profile."))
    let text = try #require(directory.text("new.json"))
    let value = try JSONValue(parsing: text)
    #expect(value["posts"]?.array?.compactMap { $0["id"]?.int } == Array(1...25))
    #expect(text.components(separatedBy: #""b": 1.50,"#).count == 26)
    #expect(text.contains(#""a": "\u00e9\/""#))
    #expect(value["profile"]?.text(pretty: false) == #"{"name":"x","age":1e2}"#)
    #expect(text.hasSuffix("}\n"))
    #expect(directory.names == ["new.json"])

    let again = try await Command.run(["record", "\(url)/profile", "-o", "new.json"], in: directory)
    #expect(again.status == 73)
    #expect(again.error.contains("new.json: the file exists already; --force replaces it."))
    #expect(directory.text("new.json") == text)
    #expect(
      try await Command.run(["record", "\(url)/profile", "-o", "new.json", "--force"], in: directory).status == 0)
    #expect(try JSONValue(parsing: directory.text("new.json") ?? "").object?.names == ["profile"])
  }

  @Test
  func `What cannot be reached afterwards is said`() async throws {
    let (server, url) = try await server(
      """
      [
        {"request": {"path": "/posts"}, "response": {"body": [{"id": 1}, {"id": 1}]}},
        {"request": {"path": "/page"}, "response": {"body": {"data": [{"id": 1}], "total": 1}}}
      ]
      """)
    defer { withExtendedLifetime(server) {} }
    let result = try await Command.run(["record", "\(url)/posts", "\(url)/page", "-o", "new.json"], in: directory)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("warning: "))
    #expect(result.output.contains("'page' is served as one object, and its records in 'data' have no addresses"))
  }

  @Test
  func `What the user has set up for curl does not count`() async throws {
    let (server, url) = try await server("[]", #"{"posts": [{"id": 1}]}"#)
    defer { withExtendedLifetime(server) {} }
    let home = try TemporaryDirectory()
    try home.write("include\nwrite-out = nonsense\n", to: ".curlrc")
    let environment = ["HOME": home.path, "CURL_HOME": home.path]
    let result = try await Command.run(
      ["record", "\(url)/posts", "-o", "new.json"], in: directory, environment: environment)
    #expect(result.status == 0, "\(result.error)")
    #expect(try JSONValue(parsing: directory.text("new.json") ?? "") == ["posts": [["id": 1]]])
    let serving = try Command(["\(url)/db", "--port", "0"], in: directory, environment: environment)
    _ = try await serving.url()
  }

  @Test
  func `Fields go with each request`() async throws {
    let (server, url) = try await server(
      """
      [
        {
          "request": {"path": "/me", "headers": {"Authorization": "Bearer x", "Accept": "a/b"}},
          "response": {"body": [{"id": 1}]}
        },
        {"request": {"path": "/me"}, "response": {"status": 401}}
      ]
      """)
    defer { withExtendedLifetime(server) {} }
    let refused = try await Command.run(["record", "\(url)/me"], in: directory)
    #expect(refused.status == 74)
    #expect(refused.error.contains("\(url)/me: it responded with 401"))
    let result = try await Command.run(
      ["record", "\(url)/me", "-H", "Authorization: Bearer x", "--header", "Accept:a/b"], in: directory)
    #expect(result.status == 0, "\(result.error)")
    #expect(directory.names == ["database.json"])
  }

  @Test(arguments: [
    ("/circle", Int32(65), "/circle: its pages go in circles"), ("/foreign", 65, "leads to another server"),
    ("/text", 65, "/text: its response is not JSON, but text/plain"), ("/number", 65, "it holds a number"),
    ("/mixed", 65, "/object: it holds an object"), ("/moved", 74, "redirects to http://other.example/list"),
    ("/endless", 74, "redirects more than 10 times"), ("/missing", 74, "responded with 404"),
    ("/slash%2Fname", 65, "cannot be served"), ("", 64, "has no path that would name a resource"),
  ])
  func `What is no list is named, and nothing is written`(
    _ path: String, _ status: Int32, _ message: String
  ) async throws {
    let (server, url) = try await server(
      """
      [
        {"request": {"path": "/circle?page=2"}, "response": {"body": [], "headers": {"Link": "</circle>; rel=next"}}},
        {"request": {"path": "/circle"},
          "response": {"body": [], "headers": {"Link": "<?page=1>; rel=\\"prev\\", <?page=2>; rel=\\"last next\\""}}},
        {"request": {"path": "/foreign"},
          "response": {"body": [], "headers": {"Link": "<http://other.example/foreign>; rel=\\"next\\""}}},
        {"request": {"path": "/text"}, "response": {"body": "[", "headers": {"Content-Type": "text/plain"}}},
        {"request": {"path": "/number"}, "response": {"body": 1}},
        {"request": {"path": "/mixed"}, "response": {"body": [], "headers": {"Link": "<object>; rel=next"}}},
        {"request": {"path": "/object"}, "response": {"body": {}}},
        {"request": {"path": "/moved"}, "response": {"status": 302, "headers": {"Location": "http://other.example/list"}}},
        {"request": {"path": "/endless"}, "response": {"status": 302, "headers": {"Location": "/endless"}}},
        {"request": {"path": "/slash/name"}, "response": {"body": []}},
        {"request": {"path": "/slash*"}, "response": {"body": []}}
      ]
      """)
    defer { withExtendedLifetime(server) {} }
    let result = try await Command.run(["record", url + path], in: directory)
    #expect(result.status == status)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(directory.names.isEmpty)
  }

  @Test(arguments: [
    (["ftp://x/posts"], "'ftp://x/posts' is not the address of a resource"), (["posts"], "'posts' is not the address"),
    (["http://a.example/posts", "http://b.example/posts.json"], "would both be 'posts'"),
    (["http://a.example/posts", "-H", "nothing"], "--header: a field needs a name and a colon"),
  ])
  func `Arguments that make no sense are refused`(_ arguments: [String], _ message: String) async throws {
    let result = try await Command.run(["record"] + arguments, in: directory)
    #expect(result.status == 64)
    #expect(result.error.contains(message))
  }

  @Test
  func `A server that is slow is said to be read`() async throws {
    let (server, url) = try await server(#"[{"response": {"body": []}, "delay": 1200}]"#)
    defer { withExtendedLifetime(server) {} }
    let result = try await Command.run(["record", "\(url)/posts"], in: directory)
    #expect(result.status == 0)
    #expect(result.error.contains("Reading \(url)/posts, page 1"))
  }
}
