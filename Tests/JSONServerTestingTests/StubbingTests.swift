import JSONServerTesting

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false), .timeLimit(.minutes(1)))
struct `What a test prepares` {
  private func send(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) async throws -> Response {
    await (try MockServer.current).respond(to: Request(method, target, json: json))
  }

  private func text(_ target: String) async throws -> String {
    String(decoding: try await send(.get, target).body, as: UTF8.self)
  }

  @Test func `Stubs respond in order, with bytes and text, and for some times`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/job"), inOrder: [.status(.accepted), .json(["state": "done"])])
    await server.stub(.get("/logo.png"), with: .data([1, 2, 3], type: "image/png"), times: 1)
    await server.stub(.get("/page"), inOrder: [.text("<p>", type: "text/html")])
    await server.stub(.get("/once"), with: .text("text"), times: 1)
    #expect(try await send(.get, "/job").status == .accepted)
    #expect(try await text("/job").contains("done"))
    let logo = try await send(.get, "/logo.png")
    #expect(logo.body == Data([1, 2, 3]))
    #expect(logo.headers["Content-Type"] == "image/png")
    #expect(try await send(.get, "/logo.png").status == .notFound)
    #expect(try await text("/page") == "<p>")
    #expect(try await text("/once") == "text")
  }

  @Test func `A stub is filled from the request, and adds header fields to the data`() async throws {
    let server = try MockServer.current
    await server.stub(.post("/orders/:id"), filling: ["order": "$path.id", "sent": "$body", "page": "$query.page"])
    await server.stub(.get("/bookmarks*"), addingHeaders: [.server: "mock"])
    let response = try await send(.post, "/orders/7", json: #"{"a": 1}"#)
    #expect(response.json == ["order": 7, "sent": ["a": 1]])
    #expect(try await send(.get, "/bookmarks/1").headers["Server"] == "mock")
    #expect(try await text("/bookmarks/1").contains("Swift"))
  }

  @Test func `A pattern leaves out requests, and a part of the requests fails, always the same`() async throws {
    let server = try MockServer.current
    await server.fail(.any("/private*").unless(.any(headers: ["Authorization": "Bearer abc"])), with: 401)
    #expect(try await send(.get, "/private").status == .unauthorized)
    var request = Request(.get, "/private")
    request.headers["Authorization"] = "Bearer abc"
    #expect(await server.respond(to: request).status == .notFound)
    await server.fail(.get("/bookmarks"), with: .status(503), probability: 0.5)
    var failures: [Int] = []
    for number in 1...10 {
      if try await send(.get, "/bookmarks").status == .serviceUnavailable { failures.append(number) }
    }
    #expect(failures == [2, 3, 5, 6, 7, 9])
  }

  @Test func `A stub's closure sees the request, and may leave it to the data`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/bookmarks*")) { request in
      request.query["draft"] == "1" ? .json(["draft": .init(request.path)]) : nil
    }
    #expect(try await send(.get, "/bookmarks?draft=1").json == ["draft": "/bookmarks"])
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
    #expect(
      error?.description.contains("Expected 3 of GET /bookmarks* to arrive within 0.0 seconds, but 2 did.") == true)
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
    try await server.expect("bookmarks", equals: [["id": 1, "title": "Swift"]])
  }

  @Test(
    arguments: [
      .reset, .json(["reason": "locked"], status: 423), .stream(AsyncStream<Data> { $0.finish() }, type: "a/b"),
    ] as [Response])
  func `A hold fails its requests with any response that can be repeated`(_ response: Response) async throws {
    let server = try MockServer.current
    let hold = await server.hold(.get("/bookmarks"))
    async let sent = send(.get, "/bookmarks")
    try await hold.arrived(within: .seconds(60))
    let isStream = response.body.isEmpty && response.delivery == .normal
    try await withKnownIssue {
      await hold.fail(with: response)
      try await server.verify()
    } when: {
      isStream
    }
    #expect(try await sent.delivery == response.delivery)
    #expect(try await sent.status == (isStream ? .ok : response.status))
  }

  @Test func `A stub is a status, by its number or its name`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/bookmarks"), with: 404)
    #expect(try await send(.get, "/bookmarks").status == .notFound)
    await server.stub(.get("/bookmarks"), with: .gone)
    #expect(try await send(.get, "/bookmarks").status == .gone)
  }

  @Test func `Recovery releases what is held`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.any())
    async let response = send(.get, "/bookmarks")
    try await hold.arrived(within: .seconds(60))
    await server.recover()
    #expect(try await response.status == .ok)
  }

  @Test func `Broken connections come in order with other responses`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/job"), inOrder: [.reset, .json(["state": "done"])])
    #expect(try await send(.get, "/job").delivery == .reset)
    for _ in 1...2 { #expect(try await send(.get, "/job").json == ["state": "done"]) }
  }

  @Test func `The data responds in the place of a response that is left out`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/bookmarks"), inOrder: [nil, .status(503), nil])
    for status in [200, 503, 200, 200] { #expect(try await send(.get, "/bookmarks").status.code == status) }
  }

  @Test func `A response is a Swift value, a file or a stream`() async throws {
    struct User: Codable, Equatable { var id: Int; var name: String }
    let server = try MockServer.current
    let user = User(id: 1, name: "Ada")
    await server.stub(.get("/me"), with: .encoding(user))
    await server.stub(.get("/shop"), with: .file("Fixtures/shop.json", status: .accepted))
    let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
    continuation.yield(Data([1, 2]))
    continuation.finish()
    await server.stub(.get("/stream")) { _ in .stream(pieces, type: "text/plain") }
    #expect(try JSONDecoder().decode(User.self, from: try await send(.get, "/me").body) == user)
    let shop = try await send(.get, "/shop")
    #expect(shop.headers["content-type"]?.hasPrefix("application/json") == true)
    #expect(shop.status == .accepted && shop.json?["profile"]?["name"]?.string == "Tea House")
    #expect(try await send(.get, "/stream").headers[.contentType] == "text/plain")
  }

  @Test func `A closure's request is taken apart, and a recorded one, too`() async throws {
    struct Purchase: Codable, Equatable { var item: String }
    let server = try MockServer.current
    await server.stub(.post("/purchases")) { request in
      let purchase = try request.decode(Purchase.self)
      guard request.query["coupon"] != nil else { return .encoding(purchase, status: .accepted) }
      return .json([
        "path": .init(request.path), "coupon": .init(request.query["coupon"] ?? ""), "item": .init(purchase.item),
      ])
    }
    let json = #"{"item": "Tea"}"#
    let response = try await send(.post, "/purchases?coupon=a%20b&coupon=c", json: json)
    #expect(response.json == ["path": "/purchases", "coupon": "a b", "item": "Tea"])
    let request = try await server.waitForRequest(.post("/purchases"))
    #expect(request.body == Data(json.utf8))
    #expect(try request.decode(Purchase.self) == Purchase(item: "Tea"))
    #expect(request.json?["item"]?.string == "Tea" && request.headers["HOST"] == "localhost")
    try await server.expect(.post("/purchases", body: .encoding(Purchase(item: "Tea"))), times: 1)
  }

  @Test func `A response that cannot be made is an issue at the stub's line`() async throws {
    let server = try MockServer.current
    let impossible: [Response] = [
      .status(1000), .json(1, headers: ["a b": "1"]), .file("no/such.png"), .encoding(Double.nan),
    ]
    for response in impossible {
      let line = #line + 2
      try await withKnownIssue {
        await server.stub(.get("/me")) { _ in response }
        #expect(try await send(.get, "/me").status == 500)
        try await server.verify()
      } matching: { issue in
        issue.sourceLocation?.line == line
          && issue.comments.contains { $0.rawValue.contains("made no response for GET /me: ") }
      }
    }
  }

  @Test func `Each of several holds has its own request`() async throws {
    let server = try MockServer.current
    let first = await server.hold(.get("/bookmarks*"), times: 1)
    let second = await server.hold(.get("/bookmarks*"), times: 1)
    async let list = send(.get, "/bookmarks")
    #expect(try await first.arrived(within: .seconds(60)).path == "/bookmarks")
    async let record = send(.get, "/bookmarks/1")
    #expect(try await second.arrived(within: .seconds(60)).path == "/bookmarks/1")
    await second.fail(with: 503)
    #expect(try await record.status == .serviceUnavailable)
    await first.release()
    #expect(try await list.status == .ok)
  }

  @Test func `A hold that could not be set up says so at once`() async throws {
    let server = try MockServer.current
    let line = #line + 2
    await withKnownIssue {
      let hold = await server.hold(.get("/a"), times: 0)
      let error = await #expect(throws: MockServerError.self) { try await hold.arrived(within: .seconds(600)) }
      #expect(error?.description.contains("could not be set up") == true)
      await hold.release()
    } matching: {
      $0.sourceLocation?.line == line
    }
  }

  @Test(arguments: 0..<13)
  func `What cannot be set up is an issue at its line, and nothing ends`(_ number: Int) async throws {
    let server = try MockServer.current
    try await withKnownIssue {
      switch number {
      case 0: await server.fail(.get("/a"), with: 1000)
      case 1: await server.fail(.get("/a"), with: -1, times: 1)
      case 2: await server.fail(.get("/a/../b"), with: 500)
      case 3: await server.fail(.get("/a"), with: 500, times: -1)
      case 4: await server.stub(.get("/a"), with: .json(1, status: 99))
      case 5: await server.stub(.get("/a"), with: .json(1, headers: ["a b": "1"]))
      case 6: await server.stub(.get("/a"), inOrder: [])
      case 7: await server.stub(.get("/a"), inOrder: [.status(1000)], times: 1)
      case 8: await server.delay(.get("/a"), by: .seconds(-1))
      case 9: await server.fail(.get("http://a/b"), with: .reset, times: 1)
      case 10: await server.stub(.get("/a"), with: .file("no/such.json"))
      case 11: await server.stub(.get("/bookmarks#top"), with: [:])
      default: try await server.hold(.get("/__admin")).arrived(within: .milliseconds(1))
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      let namesStatus = [0: "not 1000.", 1: "not -1.", 4: "not 99.", 7: "not 1000."][number].map(text.contains) ?? true
      return number == 12 || issue.sourceLocation?.fileName == "StubbingTests.swift" && namesStatus
    }
    #expect(try await send(.get, "/bookmarks").status == .ok)
  }

  @Test func `A request's body is read as a Swift value`() async throws {
    struct Bookmark: Codable, Equatable { var title: String }
    let server = try MockServer.current
    _ = try await send(.post, "/bookmarks", json: #"{"title": "NIO"}"#)
    let request = try await server.waitForRequest(.post("/bookmarks"))
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
          case "stub": await server.stub(.get("/a"), with: [], times: 1)
          default: _ = await server.hold(.get("/a"))
          }
          _ = await server.respond(to: Request(.get, "/b"))
        }
      }
    }.value
    let message = error?.description ?? ""
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
    for name in ["a", "b", "c"] { #expect(error?.description.contains("the fault for GET /\(name).") == true) }
  }

  @Test func `is no failure without times, when it was taken back, or when it was met once`() async throws {
    try await withJSONServer(listens: false) { server in
      await server.fail(.get("/a"), with: 503)
      await server.fail(.get("/b"), with: 503, times: 2)
      await server.stub(.get("/a"), with: [], times: 1)
      await server.removeStubs()
      #expect(await server.respond(to: Request(.get, "/b")).status == .serviceUnavailable)
    }
  }
}
