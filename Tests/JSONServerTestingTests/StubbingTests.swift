import HTTPTypes
import JSONServer
import JSONServerTesting
import JSONServerValues
import Testing

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false), .timeLimit(.minutes(1)))
struct `What a test prepares` {
  private func send(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) async throws -> Response {
    await (try MockServer.current).respond(to: Request(method, target, json: json))
  }

  private func text(_ target: String) async throws -> String {
    String(decoding: try await send(.get, target).bytes, as: UTF8.self)
  }

  @Test func `Stubs respond in order, with bytes and text, and for some times`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/job"), inOrder: [.status(.accepted), .json(["state": "done"])])
    await server.stub(.get("/logo.png"), data: [1, 2, 3], type: "image/png", times: 1)
    await server.stub(.get("/page"), inOrder: [.text("<p>", type: "text/html")])
    await server.stub(.get("/once"), with: "text", headers: ["Content-Type": "text/plain"], times: 1)
    #expect(try await send(.get, "/job").status == .accepted)
    #expect(try await text("/job").contains("done"))
    let logo = try await send(.get, "/logo.png")
    #expect(logo.bytes == [1, 2, 3])
    #expect(logo.headerFields[.contentType] == "image/png")
    #expect(try await send(.get, "/logo.png").status == .notFound)
    #expect(try await text("/page") == "<p>")
    #expect(try await text("/once") == "text")
  }

  @Test func `A stub's closure sees the request, and may leave it to the data`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/bookmarks*")) { request in
      request.target.contains("draft") ? .json(["target": .init(request.target)]) : nil
    }
    #expect(try await text("/bookmarks?draft=1").contains("draft=1"))
    #expect(try await text("/bookmarks/1").contains("Swift"))
  }

  @Test func `A fault is for the requests with a query, fields and a body`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/bookmarks?q=x"), with: 500)
    await server.fail(.get("bookmarks", query: ["_page": "2"]), with: .serviceUnavailable, times: 1)
    await server.fail(.post("/bookmarks", headers: ["Authorization": nil], body: .including(["title": "A"])), with: 401)
    #expect(try await send(.get, "/bookmarks?q=x").status == .internalServerError)
    #expect(try await send(.get, "/bookmarks?_page=2").status == .serviceUnavailable)
    #expect(try await send(.get, "/bookmarks?_page=2").status == .ok)
    #expect(try await send(.post, "/bookmarks", json: #"{"title": "A", "id": 7}"#).status == .unauthorized)
    #expect(try await send(.post, "/bookmarks", json: #"{"title": "B"}"#).status == .created)
  }

  @Test func `A hold keeps a request until the test says so`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.get("/bookmarks"))
    async let bookmarks = send(.get, "/bookmarks")
    let request = try await hold.arrived(within: .seconds(60))
    #expect(request.state == .received)
    try await server.waitForRequest(.get("/bookmarks"), until: .received, within: .seconds(60))
    await hold.release()
    #expect(try await bookmarks.status == .ok)
    try await server.expectNoOtherRequests()
  }

  @Test func `A hold waits for several requests`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.get("/bookmarks*"))
    async let first = send(.get, "/bookmarks")
    async let second = send(.get, "/bookmarks/1")
    let requests = try await hold.arrived(count: 2, within: .seconds(60))
    #expect(Set(requests.map(\.request.target)) == ["/bookmarks", "/bookmarks/1"])
    let error = await #expect(throws: MockServerError.self) { try await hold.arrived(count: 3, within: .zero) }
    #expect(error?.message.contains("Expected 3 of GET /bookmarks* to arrive within 0.0 seconds, but 2 did.") == true)
    await hold.release()
    let statuses = try await [first, second].map(\.status)
    #expect(statuses == [.ok, .ok])
    try await server.expectNoOtherRequests()
  }

  @Test func `What a stub's closure throws is an issue at the stub's line`() async throws {
    struct Refusal: Error {}
    let server = try MockServer.current
    let line = #line + 2
    try await withKnownIssue {
      await server.stub(.get("/me")) { _ in throw Refusal() }
      #expect(try await send(.get, "/me?x=1").status == .internalServerError)
      try await server.verify()
    } matching: { issue in
      issue.sourceLocation?.line == line
        && issue.comments.contains {
          $0.rawValue == "The closure of the stub for GET /me threw at GET /me?x=1: Refusal()"
        }
    }
  }

  @Test func `A hold fails its requests`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.delete("/bookmarks/1"), times: 1)
    async let deleted = send(.delete, "/bookmarks/1")
    try await hold.arrived(within: .seconds(60))
    await hold.fail(with: .badGateway)
    #expect(try await deleted.status == .badGateway)
    try await server.expect("bookmarks", equals: [["id": 1, "title": "Swift"]] as JSONValue)
  }

  @Test func `Recovery releases what is held`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.any())
    async let response = send(.get, "/bookmarks")
    try await hold.arrived(within: .seconds(60))
    await server.recover()
    #expect(try await response.status == .ok)
  }

  @Test(arguments: 0..<11)
  func `What cannot be set up is an issue at its line, and nothing ends`(_ number: Int) async throws {
    let server = try MockServer.current
    try await withKnownIssue {
      switch number {
      case 0: await server.fail(.get("/a"), with: 1000)
      case 1: await server.fail(.get("/a"), with: -1, times: 1)
      case 2: await server.fail(.get("/a/../b"), with: 500)
      case 3: await server.fail(.get("/a"), with: 500, times: -1)
      case 4: await server.stub(.get("/a"), with: 1, status: 99)
      case 5: await server.stub(.get("/a"), with: 1, headers: ["a b": "1"])
      case 6: await server.stub(.get("/a"), inOrder: [])
      case 7: await server.stub(.get("/a"), inOrder: [.status(1000)], times: 1)
      case 8: await server.delay(.get("/a"), by: .seconds(-1))
      case 9: await server.interrupt(.get("http://a/b"), by: .reset, times: 1)
      default: try await server.hold(.get("/__admin")).arrived(within: .milliseconds(1))
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      let namesStatus = [0: "not 1000.", 1: "not -1.", 4: "not 99.", 7: "not 1000."][number].map(text.contains) ?? true
      return number == 10 || issue.sourceLocation?.fileName == "StubbingTests.swift" && namesStatus
    }
    #expect(try await send(.get, "/bookmarks").status == .ok)
  }

  @Test func `A request's body is read as a Swift value`() async throws {
    struct Bookmark: Codable, Equatable { var title: String }
    let server = try MockServer.current
    _ = try await send(.post, "/bookmarks", json: #"{"title": "NIO"}"#)
    let request = try await server.waitForRequest(.post("/bookmarks")).request
    #expect(try request.decode(Bookmark.self) == Bookmark(title: "NIO"))
    #expect(throws: DecodingError.self) { try request.decode([Bookmark].self) }
  }
}

@Suite struct `What was set up and never met` {
  @Test(arguments: ["fault", "stub", "hold"])
  func `is a failure at the end`(_ kind: String) async throws {
    // Where no test of Swift Testing runs, as in XCTest, it is thrown.
    let error = await Task.detached {
      await #expect(throws: MockServerError.self) {
        try await withJSONServer(listens: false) { server in
          switch kind {
          case "fault": await server.fail(.get("/a"), with: 503, times: 2)
          case "stub": await server.stub(.get("/a"), with: 1, times: 1)
          default: _ = await server.hold(.get("/a"))
          }
          _ = await server.respond(to: Request(.get, "/b"))
        }
      }
    }.value
    #expect(error?.code == .unmetSetup)
    let message = error?.message ?? ""
    #expect(message.contains("StubbingTests.swift:"))
    #expect(message.contains("No request met the \(kind) for GET /a."))
    #expect(message.contains("1. GET /b → 404"))
  }

  @Test func `is a failure of every session that has one`() async throws {
    let error = await Task.detached {
      await #expect(throws: MockServerError.self) {
        try await withJSONServer(listens: false) { server in
          for name in ["a", "b"] { await server.session(name).fail(.get("/\(name)"), with: 503, times: 1) }
          await server.fail(.get("/c"), with: 503, times: 1)
        }
      }
    }.value
    for name in ["a", "b", "c"] { #expect(error?.message.contains("the fault for GET /\(name).") == true) }
  }

  @Test func `is no failure without times, when it was taken back, or when it was met once`() async throws {
    try await withJSONServer(listens: false) { server in
      await server.fail(.get("/a"), with: 503)
      await server.fail(.get("/b"), with: 503, times: 2)
      await server.removeStub(await server.stub(.get("/a"), with: 1, times: 1))
      #expect(await server.respond(to: Request(.get, "/b")).status == .serviceUnavailable)
    }
  }
}
