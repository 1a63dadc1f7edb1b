import JSONServerMock
import JSONServerTesting
import TestSupport

@Suite struct `A recording` {
  @Test(.jsonServer(recording: "fixtures/traffic.har", listens: false))
  func `is replayed`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.get, "/v2/articles/3")).json?["title"] == "Three!")
    #expect(await server.respond(to: Request(.get, "/v2/jobs/9")).status == .accepted)
    #expect(await server.respond(to: Request(.get, "/v2/jobs/9")).json == ["state": "done"])
    #expect(await server.respond(to: Request(.get, "/v2/articles?page=2&access_token=other")).status == .ok)
  }

  @Test(
    arguments: [
      ("/v2/articles?page=3", "exactly GET /v2/articles?page=1"), ("/v2/article/3", "exactly GET /v2/articles/3"),
      ("/v2/tag", "exactly GET /v2/tags"),
    ])
  func `makes other requests issues that name the nearest one`(_ target: String, nearest: String) async throws {
    try await withKnownIssue {
      try await withJSONServer(recording: "fixtures/traffic.har", listens: false) { server in
        #expect(await server.respond(to: Request(.get, target)).status == .badRequest)
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("The nearest stub is for \(nearest).") }
    }
  }

  @Test func `stands beside data, and is the better one`() async throws {
    let stubs = try TemporaryDirectory()
    try stubs.write(#"[{"request": {"path": "/posts"}, "response": {"body": ["stub"]}}]"#, to: "stubs.json")
    try await withJSONServer(["posts": [["id": 1]]], recording: stubs.path("stubs.json"), listens: false) { server in
      #expect(await server.respond(to: Request(.get, "/posts")).json == ["stub"])
      #expect(await server.respond(to: Request(.get, "/posts/1")).json == ["id": 1])
    }
  }

  @Test func `that is missing fails the test, and says how to make it`() async throws {
    let error = await #expect(throws: MockServerError.self) {
      try await withJSONServer(recording: "Fixtures/none.json", listens: false) { _ in }
    }
    #expect(error?.description.contains("JSON_SERVER_RECORD=https://api.example.com") == true)
  }

  /// Starts a server with a recording, as in a process with the variable.
  private func start(_ path: String, recording address: String?) async throws -> MockServer {
    var configuration = Server.Configuration(source: .value([:]))
    let environment = address.map { ["JSON_SERVER_RECORD": $0] } ?? [:]
    try Recording.apply(path, from: #filePath, to: &configuration, environment: environment)
    return try await MockServer.start(configuration, listens: false)
  }

  @Test func `is made by the first run against the real server, without secrets`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Recordings/shop.json")
    try await withJSONServer(["shops": [["id": 1, "name": "Zoë"]]]) { real in
      await real.stub(.post("/login"), with: .json(["welcome": "Ada"], headers: ["Set-Cookie": "session=SECRET"]))
      await real.stub(.get("/moved"), with: .status(302, headers: ["Location": "\(real.url)/shops"]))
      // Tests that run at the same time share a recording.
      let recording = try await start(path, recording: real.url.absoluteString)
      let other = try await start(path, recording: real.url.absoluteString)
      #expect(await recording.respond(to: Request(.get, "/shops")).json == [["id": 1, "name": "Zoë"]])
      #expect(await recording.respond(to: Request(.get, "/shops/2")).status == .notFound)
      #expect(await other.respond(to: Request(.get, "/moved")).json == [["id": 1, "name": "Zoë"]])
      let login = Request(.post, "/login", json: #"{"name": "Ada", "password": "SECRET"}"#)
      #expect(await other.respond(to: login).json == ["welcome": "Ada"])
      await recording.stop()
      await other.stop()
    }
    let text = try #require(directory.text("Recordings/shop.json"))
    #expect(!text.contains("SECRET"))
    // As in the next process, in which the variable may still be set.
    let copy = directory.path("copy.json")
    try directory.write(text, to: "copy.json")
    let replay = try await start(copy, recording: "http://localhost:1")
    #expect(await replay.respond(to: Request(.get, "/shops")).json == [["id": 1, "name": "Zoë"]])
    #expect(await replay.respond(to: Request(.get, "/shops/2")).status == .notFound)
    #expect(await replay.respond(to: Request(.get, "/moved")).json == [["id": 1, "name": "Zoë"]])
    #expect(await replay.respond(to: Request(.post, "/login", json: #"{"name": "Ada"}"#)).status == .ok)
    await replay.stop()
  }

  @Test func `cannot be made as an archive, nor of what is no address`() async throws {
    await #expect(throws: MockServerError.self) { try await start("new.har", recording: "http://localhost:1") }
    let error = await #expect(throws: MockServerError.self) { try await start("new.json", recording: "yes") }
    #expect(error?.description.hasPrefix("JSON_SERVER_RECORD: 'yes' is not the address of a server") == true)
  }
}
