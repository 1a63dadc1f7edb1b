import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `The journal` {
  @Test func `keeps requests with their responses, oldest first, without those to the admin routes`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts/1")
    await server.send(.get, "/__admin/health")
    await server.send(.post, "/posts", ["title": "c"])
    await server.send(.get, "/nothing")
    let journal = await server.journal
    #expect(journal.map(\.request.target) == ["/posts/1", "/posts", "/nothing"])
    #expect(journal.map(\.response?.status.code) == [200, 201, 404])
    #expect(journal.map(\.id) == journal.map(\.id).sorted())
    #expect(try JSONValue(parsing: journal[1].request.bytes)["title"] == "c")
  }

  @Test func `has requests in the order of their arrival, whichever response comes first`() async throws {
    let server = try await AdminFixture.server { $0.hasSessions = true }
    for server in [server, server.session("a")] {
      let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
      let (releases, release) = AsyncStream.makeStream(of: Void.self)
      try await server.stub(
        Stub(.get("/slow")) { _ in
          arrival.yield()
          for await _ in releases { break }
          return .status(200)
        })
      async let slow = server.send(.get, "/slow")
      for await _ in arrivals { break }
      await server.send(.get, "/posts")
      release.yield()
      #expect(await slow.status == .ok)
      #expect(await server.journal.map(\.request.target) == ["/slow", "/posts"])
      #expect(await server.journal.map(\.id) == [1, 2])
    }
    #expect(await server.allExchanges.count == 4)
    #expect(await server.session("a").allExchanges.count == 2)
  }

  @Test func `has requests whose bodies are too large, as over a socket`() async throws {
    let server = try await AdminFixture.server { $0.limits.maximumBodyBytes = 10 }
    for count in [10, 11] { await server.send(.put, "/posts/1", bytes: [UInt8](repeating: 0x20, count: count)) }
    #expect(await server.journal.map { $0.response?.status.code == 413 } == [false, true])
  }

  @Test func `shows a single request with its whole bodies`() async throws {
    let server = try await AdminFixture.server()
    let long = String(repeating: "x", count: 100_000)
    await server.send(.patch, "/posts/1", ["title": .string(long)])
    let listed = try #require(try await server.get("/__admin/requests").array?.first)
    let id = try #require(listed["id"]?.int)
    #expect(listed["requestBody"]?.string?.count == 64 * 1024)
    let whole = try await server.get("/__admin/requests/\(id)")
    #expect(whole["requestBody"]?.string?.count == long.count + 17)
    #expect(whole["path"] == "/posts/1")
  }

  @Test func `forgets the oldest beyond its capacity`() async throws {
    let server = try await AdminFixture.server { $0.journalCapacity = 2 }
    for id in 1...4 { await server.send(.get, "/posts/\(id)") }
    #expect(await server.journal.map(\.request.target) == ["/posts/3", "/posts/4"])
  }

  @Test func `forgets the oldest when the bodies become large`() async throws {
    let server = try await AdminFixture.server { $0.journalByteCapacity = 32_000 }
    let body = [UInt8](repeating: UInt8(ascii: " "), count: 12_000)
    for _ in 1...4 { await server.send(.get, "/posts", bytes: body) }
    #expect(await server.journal.count == 2)
  }

  @Test func `forgets the oldest when bodies turn out larger than they seemed`() throws {
    let journal = Journal(capacity: 10, byteCapacity: 1_000)
    let exchanges = try Self.exchanges(3)
    for exchange in exchanges { journal.append(exchange) }
    #expect(journal.exchanges.map(\.id) == [1, 2, 3])
    for exchange in exchanges { journal.replace(with: exchange.with([UInt8](repeating: 0, count: 600))) }
    #expect(journal.exchanges.map(\.id) == [3])
  }

  @Test func `lists exchanges by their arrival, and forgets those whose responses are the oldest`() throws {
    let journal = Journal(capacity: 2, byteCapacity: 1_000)
    let exchanges = try Self.exchanges(4)
    for id in [2, 3, 1] { journal.append(exchanges[id - 1]) }
    #expect(journal.exchanges.map(\.id) == [1, 3])
    journal.append(exchanges[3])
    #expect(journal.exchanges.map(\.id) == [1, 4])
  }

  private static func exchanges(_ count: Int) throws -> [Exchange] {
    try (1...count).map { id in
      let request = Request(method: .get, target: "/\(id)")
      let context = RequestContext(
        request, target: try RequestTarget(request.target), ignoresCase: false, reply: { _ in })
      return Exchange(
        id: id, request: request, route: context.route, response: PreparedResponse(), respondedAt: 0, duration: .zero)
    }
  }

  @Test(arguments: ["/__admin/requests", "/__admin/requests/1"])
  func `is shown by another thread when it is large, while requests go on`(_ target: String) async throws {
    let fixture = try EngineFixture(AdminFixture.posts, isInMemory: true)
    let body = JSONValue.string(String(repeating: "some words ", count: 20_000)).utf8Text()
    _ = await fixture.send(Request(method: .post, target: "/nothing", headerFields: [.host: "localhost"], body: body))
    let gate = WorkerGate(.calculations)
    let (answers, answer) = AsyncStream.makeStream(of: String.self)
    fixture.engine.loop.execute {
      for target in [target, "/posts/1"] {
        fixture.engine.respond(to: EngineFixture.request((.get, target)), progress: { _ in }) { response in
          if target == "/posts/1" { gate.open() }
          answer.yield(target)
        }
      }
    }
    #expect(await answers.prefix(2).reduce(into: []) { $0.append($1) } == ["/posts/1", target])
  }

  @Test func `keeps the bytes of large bodies in the end, and not the data that they show`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 1_200_000))
    let server = try await AdminFixture.server(["posts": [["id": 1, "text": text]]])
    for _ in 1...3 { await server.send(.get, "/posts") }
    try await wait { await server.engine.run({ $0.journal.newestInSlices == nil }) }
    #expect(await server.journal.map(\.sent.bytes.count).allSatisfy { $0 > 1_200_000 })
    #expect(await server.journal.count == 3)
  }

  @Test func `has no exchange after the last of all numbers`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.exchange(after: .max, timeout: .nanoseconds(1)) { _ in true } == nil)
  }

  @Test func `forgets everything when asked`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts")
    await server.clearJournal()
    #expect(await server.journal.isEmpty)
    await server.send(.get, "/posts")
    #expect(await server.send(.delete, "/__admin/requests").status == .ok)
    #expect(try await server.get("/__admin/requests") == [])
  }

  @Test func `shows its newest exchanges as JSON`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts")
    await server.send(.post, "/posts", ["title": "c"], fields: [.accept: "*/*"])
    let shown = try await server.get("/__admin/requests?limit=1")
    #expect(shown.array?.count == 1)
    #expect(
      shown[0]?.object?.names == [
        "id", "time", "method", "path", "status", "milliseconds", "state", "delivery", "matched", "requestHeaders",
        "requestBody", "responseHeaders", "responseBody",
      ])
    #expect(shown[0]?["method"] == "POST")
    #expect(shown[0]?["requestHeaders"]?["Accept"] == "*/*")
    #expect(shown[0]?["responseBody"]?.string?.contains("\"title\": \"c\"") == true)
  }

  private static let leftOut = "(left out: secrets can be hidden only in JSON and URL-encoded forms)"
  private static let login = #"{"user":"ada","password":"s3cret"}"#

  @Test(
    arguments: [
      ("application/json", login, #"{"user":"ada","password":"***"}"#),
      ("application/json", #"{"pass\u0077ord" : "s3\"cret", "a":1}"#, #"{"pass\u0077ord" : "***", "a":1}"#),
      (
        "application/json", #"[{"tokens":["s3cret"],"a":[{"pin":1}],"apiKey":{"x":"s3cret}"}},"\"secret\":1"]"#,
        #"[{"tokens":["s3cret"],"a":[{"pin":"***"}],"apiKey":"***"},"\"secret\":1"]"#
      ),
      (
        "application/json-patch+json", #"[{"op":"add","path":"/password","value":"s3cret"}]"#,
        #"[{"op":"add","path":"/password","value":"***"}]"#
      ),
      (
        "application/json-patch+json", #"[{"op":"add","path":"/title","value":"a"}]"#,
        #"[{"op":"add","path":"/title","value":"a"}]"#
      ),
      ("application/x-www-form-urlencoded", "grant_type=x&client_secret=s3cret", "grant_type=x&client_secret=***"),
      // What curl sends without a type of its own.
      ("application/x-www-form-urlencoded", login, #"{"user":"ada","password":"***"}"#),
      ("application/json", "{password: 's3cret'}", leftOut), ("text/csv", "email,password\na,s3cret", leftOut),
      ("text/plain", "s3cret", leftOut), ("text/plain", "7", "7"),
      ("application/json", #"[{"a":{"pin":{"b":[1,{}]},"c":2}}, 3]"#, #"[{"a":{"pin":"***","c":2}}, 3]"#),
      (
        "application/json", "[" + String(repeating: " ", count: 70_000) + login + "]",
        "[" + String(repeating: " ", count: 65_535)
      ),
      (
        "application/json", "[" + String(repeating: " ", count: 65_515) + login + "]",
        "[" + String(repeating: " ", count: 65_515) + #"{"user":"ada","passw"#
      ),
      (
        "application/json", "[" + String(repeating: " ", count: 65_505) + login + "]",
        "[" + String(repeating: " ", count: 65_505) + #"{"user":"ada","password":"***""#
      ),
    ])
  func `shows a body without its secrets`(_ type: String, _ body: String, _ shown: String) async throws {
    for showsSecrets in [false, true] {
      let server = try await AdminFixture.server { $0.showsSecrets = showsSecrets }
      _ = await server.respond(
        to: Request(
          method: .post, target: "/nothing", headerFields: [.host: "localhost", .contentType: type],
          body: Array(body.utf8)))
      let value = try await server.get("/__admin/requests")[0]?["requestBody"]?.string
      #expect(value == (showsSecrets ? String(body.prefix(65_536)) : shown))
      // Swift code gets what was sent.
      #expect(await server.journal.first?.body == Data(body.utf8))
    }
  }

  @Test(arguments: [
    ("Authorization", "Bearer s3cret", "Bearer ***"), ("Authorization", "s3cret", "***"),
    ("Proxy-Authorization", "Basic s3cret", "Basic ***"), ("Cookie", "sid=s3cret", "***"),
    ("X-Api-Key", "s3cret", "***"),
    ("X-Auth-Token", "s3cret", "***"), ("Accept", "text/html", "text/html"),
    ("Access-Control-Allow-Credentials", "true", "true"),
  ])
  func `shows a field without its secret`(_ name: String, _ value: String, _ shown: String) async throws {
    let field = try #require(HTTPField.Name(name))
    for showsSecrets in [false, true] {
      let server = try await AdminFixture.server { $0.showsSecrets = showsSecrets }
      await server.send(.get, "/posts", fields: [field: value])
      let entry = try await server.get("/__admin/requests")[0]
      #expect(entry?["requestHeaders"]?[name]?.string == (showsSecrets ? value : shown))
      #expect(await server.journal.first?.request.headerFields[field] == value)
    }
  }

  @Test(arguments: [
    ("/posts?access_token=s3cret&_page=1", "/posts?access_token=***&_page=1"), ("/posts?q=key", "/posts?q=key"),
    ("/posts?pass%77ord=s3cret", "/posts?pass%77ord=***"), ("/posts?_sort=token", "/posts?_sort=token"),
    ("/posts?_where=%7B%22token%22:%22s3cret%22%7D", "/posts?_where=***"), ("/posts?a=1&a=2", "/posts?a=1&a=2"),
    ("/posts?{\"password\":1", "/posts?***"),
  ])
  func `shows a target without its secrets`(_ target: String, _ shown: String) async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, target)
    #expect(try await server.get("/__admin/requests")[0]?["path"]?.string == shown)
    #expect(await server.journal.first?.shownTarget == shown)
    #expect(await server.journal.first?.request.target == target)
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE], nil),
      ([0x61, 0x00], nil),
      ([], nil),
      (Array("é".utf8), "é"),
      ([0x61] + Array(String(repeating: "é", count: 40_000).utf8), "a" + String(repeating: "é", count: 32_767)),
    ] as [([UInt8], String?)])
  func `shows bodies that are text, up to 64 KiB`(_ body: [UInt8], _ shown: String?) async throws {
    let server = try await AdminFixture.server { $0.showsSecrets = true }
    await server.send(.get, "/posts", bytes: body)
    let value = try await server.get("/__admin/requests")[0]?["requestBody"]
    #expect(value == (shown.map { .string($0) } ?? .null))
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_795_255_200.1234, "2026-11-21T10:00:00.123Z"),
    (951_827_696.9996, "2000-02-29T12:34:56.999Z"), (1_706_745_599.0425, "2024-01-31T23:59:59.042Z"),
  ])
  func `writes times to the millisecond`(_ time: Double, _ text: String) {
    #expect(Timestamp(secondsSince1970: time).rfc3339 == text)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-21T10:00:00.125Z", 1_795_255_200.125),
      ("2026-11-21T08:30:00-01:30", 1_795_255_200), ("2026-11-21 10:00Z", 1_795_255_200),
      ("2026-02-29T10:00:00Z", nil), ("2026-11-21T10:00:00", nil), ("tomorrow", nil),
    ] as [(String, Double?)])
  func `reads times with a zone`(_ text: String, _ time: Double?) {
    #expect(Date(rfc3339: text)?.timeIntervalSince1970 == time)
  }
}

@Suite(.timeLimit(.minutes(1))) struct `Waiting for an exchange` {
  @Test func `ends with the exchange that comes`() async throws {
    let server = try await AdminFixture.server()
    async let waited = server.exchange(timeout: .seconds(60)) { $0.request.method == .post }
    try await server.untilSomeoneWaits()
    await server.send(.get, "/posts")
    await server.send(.post, "/posts", ["title": "c"])
    let exchange = await waited
    #expect(exchange?.response?.status == .created)
  }

  @Test func `ends immediately with one that came before, and passes over those that are known`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts/1")
    await server.send(.get, "/posts/2")
    let first = await server.exchange(timeout: .seconds(60)) { _ in true }
    #expect(first?.request.target == "/posts/1")
    let second = await server.exchange(after: first?.id ?? 0, timeout: .seconds(60)) { _ in true }
    #expect(second?.request.target == "/posts/2")
  }

  @Test func `passes over those that are yet to come but are known`() async throws {
    let server = try await AdminFixture.server()
    async let waited = server.exchange(after: 1, timeout: .seconds(60)) { _ in true }
    try await server.untilSomeoneWaits()
    for id in 1...3 { await server.send(.get, "/posts/\(id)") }
    let exchange = await waited
    #expect(exchange?.request.target == "/posts/2")
  }

  @Test(arguments: [Duration.zero, .milliseconds(1)])
  func `ends with nothing when the time is over`(_ timeout: Duration) async throws {
    let server = try await AdminFixture.server()
    let exchange = await server.exchange(timeout: timeout) { _ in true }
    #expect(exchange == nil)
  }

  @Test func `ends with nothing when the server stops`() async throws {
    let server = try await AdminFixture.server()
    async let waited = server.exchange(timeout: .seconds(60)) { _ in true }
    try await server.untilSomeoneWaits()
    await server.stop()
    let exchange = await waited
    #expect(exchange == nil)
    let later = await server.exchange(timeout: .seconds(60)) { _ in true }
    #expect(later == nil)
  }

  @Test func `ends with nothing when the task is cancelled`() async throws {
    let server = try await AdminFixture.server()
    let waiting = Task { await server.exchange(timeout: .seconds(60)) { _ in true } }
    try await server.untilSomeoneWaits()
    waiting.cancel()
    let exchange = await waiting.value
    #expect(exchange == nil)
  }
}

extension Server {
  /// Lets other tasks run until someone waits for an exchange.
  fileprivate func untilSomeoneWaits() async throws {
    try await wait { await engine.run({ !$0.journal.waiters.isEmpty }) }
  }
}
