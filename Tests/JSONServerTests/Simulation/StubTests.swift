import Foundation
import HTTPTypes
import OrderedJSON
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A stub` {
  @Test func `comes before resources and after faults, as exactly JSON`() async throws {
    let server = try await AdminFixture.server { configuration in
      configuration.stubs = [
        Stub(.post, "/api/v2/purchase", body: ["balance": 200]),
        Stub(nil, "/posts/*", status: .noContent, headerFields: [.server: "x"]),
      ]
    }
    let purchase = await server.send(.post, "/api/v2/purchase", ["x": 1])
    #expect(purchase.headerFields[.contentType] == "application/json")
    #expect(try purchase.json == ["balance": 200])
    #expect(await server.send(.get, "/api/v2/purchase").status == .notFound)
    let post = await server.send(.delete, "/posts/1")
    #expect(post.status == .noContent)
    #expect(post.headerFields[.server] == "x")
    #expect(await server.value == AdminFixture.posts)
    try await server.addFault(Fault(status: .badGateway))
    #expect(await server.send(.post, "/api/v2/purchase").status == .badGateway)
  }

  @Test func `added later comes first`() async throws {
    let server = try await AdminFixture.server { $0.stubs = [Stub(.get, "/posts", body: 1)] }
    try await server.stub(Stub(.get, "/posts", status: .accepted, body: 2))
    let answer = await server.send(.get, "/posts")
    #expect(answer.status == .accepted)
    #expect(answer.text == "2")
  }

  @Test func `is removed by its id, or with all others`() async throws {
    let server = try await AdminFixture.server {
      $0.stubs = [Stub(.get, "/posts", body: 1), Stub(.get, "/*", body: 2)]
    }
    let id = try await server.stub(Stub(.get, "/posts", body: 3))
    #expect(await server.send(.get, "/posts").text == "3")
    await server.removeStub(id)
    #expect(await server.send(.get, "/posts").text == "1")
    await server.removeStubs()
    #expect(try await server.get("/posts") == AdminFixture.posts["posts"])
  }

  @Test func `is exact by its path, query and body on demand`() async throws {
    let server = try await AdminFixture.server()
    let pattern: JSONValue = ["path": "/a*?b=1", "exact": true]
    let added = await server.send(.post, "/__admin/stubs", ["request": pattern, "response": ["status": 202]])
    #expect(added.status == .created)
    let shown = try await server.get("/__admin/stubs")
    #expect(shown[0]?["request"] == ["path": "/a*", "query": ["b": "1"], "exact": true])
    #expect(await server.send(.get, "/a*?b=1").status == .accepted)
    #expect(await server.send(.get, "/a*?b=1&token=x").status == .accepted)
    for target in ["/ab?b=1", "/A*?b=1", "/a*", "/a*?b=1&c=2"] {
      #expect(await server.send(.get, target).status == .notFound, "\(target)")
    }
    #expect(await server.send(.post, "/a*?b=1", ["x": 1]).status == .notFound)
    let pathless = await server.send(.post, "/__admin/stubs", ["request": ["exact": true], "response": [:]])
    #expect(pathless.status == .badRequest)
    #expect(pathless.text.contains("give 'path', too"))
  }

  @Test func `responds in order, and with the last response again and again`() async throws {
    let server = try await AdminFixture.server()
    let stub: JSONValue = [
      "request": ["path": "/jobs/7"],
      "responses": [
        ["status": 202, "headers": ["Retry-After": "1"]], ["body": ["state": "half"]], ["body": ["state": "done"]],
      ],
    ]
    let added = await server.send(.post, "/__admin/stubs", stub)
    #expect(added.status == .created)
    #expect(try added.json["id"] == 1)
    let first = await server.send(.get, "/jobs/7")
    #expect(first.status == .accepted)
    #expect(first.headerFields[.retryAfter] == "1")
    #expect(first.bytes.isEmpty)
    #expect(try await server.get("/jobs/7") == ["state": "half"])
    for _ in 0..<2 { #expect(try await server.get("/jobs/7") == ["state": "done"]) }
  }

  @Test(
    arguments: [
      (["body": "<h1>Hi</h1>", "headers": ["Content-Type": "text/html"]], "<h1>Hi</h1>", "text/html"),
      (["body": "text"], "\"text\"", "application/json"),
      (
        ["body": "text", "headers": ["content-type": "application/problem+json"]], "\"text\"",
        "application/problem+json"
      ),
      (["body": [1, 2], "headers": ["Content-Type": "text/html"]], "[\n  1,\n  2\n]", "text/html"),
      (["body": nil], "null", "application/json"), (["status": 204], "", nil),
    ] as [(JSONValue, String, String?)])
  func `sends a text under another type than JSON as it is`(
    _ response: JSONValue, _ body: String, _ type: String?
  ) async throws {
    let server = try await AdminFixture.server()
    await server.send(.post, "/__admin/stubs", ["request": ["path": "/x"], "response": response])
    let answer = await server.send(.get, "/x")
    #expect(answer.text == body)
    #expect(answer.headerFields[.contentType] == type)
    #expect(answer.headerFields[.cacheControl] == "no-cache")
  }

  @Test func `is gone when its times are over, and waits as long as it says`() async throws {
    let server = try await AdminFixture.server()
    let stub: JSONValue = ["request": ["path": "/posts"], "response": ["body": 1], "times": 2, "delay": [5, 6]]
    await server.send(.post, "/__admin/stubs", stub)
    let start = ContinuousClock.now
    #expect(await server.send(.get, "/posts").text == "1")
    #expect(.now - start >= .milliseconds(5))
    #expect(try await server.get("/__admin/stubs")[0]?["times"] == 1)
    #expect(await server.send(.get, "/posts").text == "1")
    #expect(try await server.get("/posts") == AdminFixture.posts["posts"])
    #expect(try await server.get("/__admin/stubs") == [])
  }

  @Test func `is listed, shown and removed over HTTP, the newest first`() async throws {
    let server = try await AdminFixture.server()
    for number in 1...3 {
      let stub: JSONValue = ["request": ["path": "posts?a=\(number)"], "response": ["body": .init(number)]]
      await server.send(.post, "/__admin/stubs", stub)
    }
    let second: JSONValue = ["id": 2, "request": ["path": "/posts", "query": ["a": "2"]], "response": ["body": 2]]
    #expect(try await server.get("/__admin/stubs").array?.map { $0["id"] } == [3, 2, 1])
    #expect(try await server.get("/__admin/stubs/2") == second)
    #expect(await server.send(.delete, "/__admin/stubs/2").text == "{}")
    #expect(await server.send(.delete, "/__admin/stubs/2").status == .notFound)
    #expect(await server.send(.get, "/__admin/stubs/2").status == .notFound)
    #expect(await server.send(.get, "/posts?a=1").text == "1")
    #expect(await server.send(.delete, "/__admin/stubs").text == "{}")
    #expect(try await server.get("/posts?a=1") == AdminFixture.posts["posts"])
  }

  @Test func `has a closure that may leave the request to those after it and to the data`() async throws {
    struct Failure: Error {}
    let server = try await AdminFixture.server()
    try await server.stub(Stub(.get, "/posts/2", body: "next"))
    try await server.stub(
      Stub(RequestPattern(.get, "/posts/*")) { request in
        switch request.target {
        case "/posts/1": Response(status: .accepted, body: .bytes(Array("closure".utf8)))
        case "/posts/3": throw Failure()
        case "/posts/4": Response(status: .init(code: 99))
        default: nil
        }
      })
    #expect(await server.send(.get, "/posts/1").text == "closure")
    #expect(await server.send(.get, "/posts/2").text == "\"next\"")
    let failed = await server.send(.get, "/posts/3")
    #expect(failed.status == .internalServerError)
    #expect(failed.text.contains("Failure()"))
    #expect(await server.send(.get, "/posts/4").status == .internalServerError)
    #expect(await server.send(.get, "/posts/9").status == .notFound)
    #expect(await server.journal.map { $0.stubForTests } == [2, 1, 2, 2, nil])
  }

  @Test(arguments: [
    (#"[]"#, "object"), ("{}", "'response'"), (#"{"response": {}, "responses": [{}]}"#, "'responses'"),
    (#"{"responses": []}"#, "'responses'"), (#"{"responses": [1]}"#, "'responses'"),
    (#"{"response": {"status": 1000}}"#, "'status'"), (#"{"response": {"status": 100}}"#, "'status'"),
    (#"{"response": {"staus": 200}}"#, "'staus'"), (#"{"respons": {}}"#, "'respons'"),
    (#"{"request": {"pth": "/"}, "response": {}}"#, "'pth'"), (#"{"response": {}, "times": 0}"#, "'times'"),
    (#"{"response": {}, "delay": [2, 1]}"#, "'delay'"), (#"{"response": {"headers": {"a b": "1"}}}"#, "'headers'"),
    (#"{"response": {"bodyFile": "a.json"}}"#, "--stubs"),
    (#"{"request": {"path": "/a/../b"}, "response": {}}"#, "'..'"),
    (#"{"request": {"path": "http://a/b"}, "response": {}}"#, "whole address"),
    (#"{"request": {"path": "/a#b"}, "response": {}}"#, "%23"),
    (#"{"request": {"path": "/__admin/x"}, "response": {}}"#, "/__admin"),
    (#"{"request": {"path": "/a?b=1", "query": {"b": null}}, "response": {}}"#, "'b' cannot be absent"),
    (#"{"request": {"query": {"b": {}}}, "response": {}}"#, "'query'"),
    (#"{"request": {"headers": {"a b": "1"}}, "response": {}}"#, "'a b'"),
  ])
  func `that cannot be used is refused with the reason`(_ body: String, _ reason: String) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(.post, "/__admin/stubs", bytes: Array(body.utf8))
    #expect(answer.status == .badRequest)
    #expect(try answer.json["message"]?.string?.contains(reason) == true, "\(answer.text)")
    #expect(try await server.get("/__admin/stubs") == [])
  }
}

@Suite struct `A file of stubs` {
  private static let name = "stubs.json"

  private func load(_ text: String, in directory: TemporaryDirectory) async throws -> Server {
    try directory.write(text, to: Self.name)
    return try await AdminFixture.server { $0.stubsFile = directory.path(Self.name) }
  }

  @Test func `is in the file's order, after those added later, with files as bodies`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello", to: "hello.txt")
    let server = try await load(
      """
      [
        { "request": { "path": "/a" }, "response": { "body": 1 } },
        { "request": { "path": "/*" }, "response": { "bodyFile": "hello.txt" } }
      ]
      """, in: directory)
    #expect(await server.send(.get, "/a").text == "1")
    let hello = await server.send(.get, "/b")
    #expect(hello.text == "hello")
    #expect(hello.headerFields[.contentType] == "text/plain; charset=UTF-8")
    await server.send(
      .post, "/__admin/stubs", ["request": ["path": "/a"], "response": ["bodyFile": "hello.txt"]])
    #expect(await server.send(.get, "/a").text == "hello")
    try directory.write(#"[{"request": {"path": "/b"}, "response": {"body": 2}}]"#, to: Self.name)
    #expect(try await server.reloadStubs() == 1)
    #expect(await server.send(.get, "/a").text == "hello")
    #expect(await server.send(.get, "/b").text == "2")
    #expect(await server.send(.get, "/c").status == .notFound)
  }

  @Test(arguments: [
    ("[\n  {\"response\": {\"status\": 1000}}\n]", ":2:27: 'status' must be"),
    ("[\n  {\"response\": {}},\n  {\"respons\": {}}\n]", ":3:15: 'respons' is not known"),
    ("[\n  {\"responses\": [{}, {\"bodyFile\": \"none.json\"}]}\n]", ":2:35: 'bodyFile' 'none.json' leads to no file"),
    ("[{\"response\": {\"bodyFile\": \"../secret\"}}]", ":1:28: 'bodyFile'"),
    ("[{\"response\": {\"bodyFile\": \"/etc/passwd\"}}]", ":1:28: 'bodyFile'"),
    ("[{\"response\": {\"bodyFile\": \"link\"}}]", ":1:28: 'bodyFile'"),
    ("[{\"responses\": []}]", ":1:16: 'responses'"), ("[{\"request\": {\"path\": \"/..\"}}]", ":1:2: The stub has no"),
    ("[{\"request\": {\"path\": \"/..\"}, \"response\": {}}]", ":1:23: The path '/..'"),
    ("[1]", ":1:2: A stub must be"), ("{}", ":1:1: The file must hold an array"), ("[\n {,\n]", ":2:3: "),
  ])
  func `that cannot be used is refused with the place`(_ text: String, _ message: String) async throws {
    let outside = try TemporaryDirectory()
    try outside.write("secret", to: "secret")
    let directory = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link"), withDestinationPath: outside.path("secret"))
    let error = try #require(await #expect(throws: ServerError.self) { try await load(text, in: directory) })
    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains(Self.name + message), "\(error.message)")
    #expect(error.excerpt?.contains("^") == true)
  }

  @Test func `that becomes invalid leaves the stubs before in force`() async throws {
    let directory = try TemporaryDirectory()
    let server = try await load(#"[{"request": {"path": "/a"}, "response": {"body": 1}}]"#, in: directory)
    try directory.write("[", to: Self.name)
    await #expect(throws: ServerError.self) { try await server.reloadStubs() }
    #expect(await server.send(.get, "/a").text == "1")
  }
}

extension Exchange {
  var stubForTests: Int? { value["matched"]?["stub"]?.integer }
}
