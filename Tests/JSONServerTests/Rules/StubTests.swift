import Foundation
import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A stub` {
  @Test func `is removed by its id, or with all others`() async throws {
    let server = try await AdminFixture.server {
      $0.stubs = [Stub(.get("/posts"), .json(1)), Stub(.get("/*"), .json(2))]
    }
    let id = try await server.stub(Stub(.get("/posts"), .json(3, status: .accepted)))
    let answer = await server.send(.get, "/posts")
    #expect(answer.status == .accepted)
    #expect(answer.text == "3")
    await server.removeStub(id)
    #expect(await server.send(.get, "/posts").text == "1")
    await server.removeStubs()
    #expect(try await server.get("/posts") == AdminFixture.posts["posts"])
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

  @Test func `of the configuration begins anew in each session, whatever its responses are`() async throws {
    let server = try await AdminFixture.server {
      $0.hasSessions = true
      $0.stubs = [Stub(.get("/posts/1"), inOrder: [.status(401), .reset, nil, .truncated, .status(299)])]
    }
    for server in [server, server.session("a"), server.session("b")] {
      var responses: [Response] = []
      for _ in 1...5 { responses.append(await server.send(.get, "/posts/1")) }
      #expect(responses.map(\.status.code) == [401, 200, 200, 200, 299])
      #expect(responses[1].delivery == .reset)
      #expect(try responses[2].json["id"] == 1)
      #expect(responses[3].delivery == .truncated(after: responses[3].bytes.count / 2))
      let listed = try await server.get("/__admin/stubs")[0]?["responses"]
      #expect(listed?[1] == ["action": "reset"])
      #expect(listed?[2] == .null)
    }
  }

  @Test func `has a status also when its response ends too early`() throws {
    var response = Response.truncated
    response.status = .serviceUnavailable
    #expect(try Rule(Stub(.get("/posts"), response)).response(after: 0)?.status == .serviceUnavailable)
  }

  @Test func `has a closure that may leave the request to those after it and to the data`() async throws {
    struct Failure: Error {}
    let server = try await AdminFixture.server()
    try await server.stub(Stub(.get("/posts/2"), .json("next")))
    try await server.stub(
      Stub(.get("/posts/*")) { request in
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

  @Test func `that is edited replaces its stubs in a running session, beside those of the session`() async throws {
    let directory = try TemporaryDirectory()
    let server = try await load(#"[{"request": {"path": "/a"}, "response": {"body": 1}}]"#, in: directory)
    let session = server.session("s")
    await session.send(.post, "/__admin/stubs", ["request": ["path": "/b"], "response": ["body": 2]])
    try directory.write(#"[{"request": {"path": "/*"}, "response": {"body": 3}}]"#, to: Self.name)
    try await server.reloadStubs()
    #expect(await session.send(.get, "/a").text == "3")
    #expect(await session.send(.get, "/b").text == "2")
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
  var stubForTests: Int? { value["matched"]?["stub"]?.int }
}
