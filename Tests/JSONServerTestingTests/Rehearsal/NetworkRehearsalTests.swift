import HTTPTypes
import JSONServerTesting
import Synchronization
import TestSupport

/// Which weaknesses of a client in a bad network are found, and that no others are.
@Suite(.timeLimit(.minutes(2))) struct NetworkRehearsalTests {
  private static let data: MockData = [
    "orders": [["id": 1, "item": "a"]], "lines": [["id": 1, "orderId": 1]], "profile": ["name": "Ada"],
  ]

  /// A response that did not arrive, or has another status than one of success.
  private struct Failure: Error {}

  /// Sends a request as an app does.
  @discardableResult
  private static func send(
    _ server: MockServer, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
    headers: HTTPFields = [:]
  ) async throws -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    let request = Request(method: method, target: path, headers: headers, body: Data(body?.text().utf8 ?? "".utf8))
    let response = await server.respond(to: request)
    guard response.delivery == .normal, response.status.code < 400 else { throw Failure() }
    return response
  }

  private static func found(_ report: NetworkReport) -> [String] {
    report.findings.map { "\($0.method) \($0.route) \($0.condition.rawValue) \($0.outcome.rawValue)" }
  }

  @Test(.jsonServer(data, listens: false)) func `A client with keys and checks survives everything`() async throws {
    let report = try await MockServer.current.rehearseNetwork { server in
      let key: HTTPFields = [HTTPField.Name("Idempotency-Key") ?? .eTag: "cart-1", .authorization: "Bearer a"]
      let order = try await Self.send(server, .post, "/orders", ["item": "b"], headers: key)
      guard let id = order.json?["id"] else { throw Failure() }
      let line = HTTPField.Name("Idempotency-Key").map { HTTPField(name: $0, value: "line-1") }
      let added = try await Self.send(
        server, .post, "/lines", ["orderId": id], headers: HTTPFields(line.map { [$0] } ?? []))
      guard added.json?["id"] != nil else { throw Failure() }
      guard try await Self.send(server, .patch, "/orders/1", ["item": "c"]).json != nil else { throw Failure() }
      guard try await Self.send(server, .get, "/orders").json != nil else { throw Failure() }
    }
    #expect(report.findings.isEmpty)
    #expect((report.requests, report.conditions, report.runs) == (4, 9, 9 + 8 + 8 + 7))
    #expect(report.recovered > 0 && report.notMet == 0)
  }

  @Test(.jsonServer(data, listens: false)) func `A client without keys orders twice`() async throws {
    let report = try await MockServer.current.rehearseNetwork(recordsIssues: false) { server in
      guard try await Self.send(server, .post, "/orders", ["item": "b"]).json != nil else { throw Failure() }
    }
    #expect(
      Self.found(report) == [
        "POST /orders twice differs", "POST /orders lost-after differs-after-repetition",
        "POST /orders cut differs-after-repetition",
      ])
    #expect(report.findings.first?.found == "3 orders")
    #expect(report.findings.first?.expected == "2")
  }

  @Test(.jsonServer(data, listens: false)) func `A client that trusts every 200 loses what it sends to a hotel`()
    async throws
  {
    let report = try await MockServer.current.rehearseNetwork(recordsIssues: false) { server in
      try await Self.send(server, .put, "/profile", ["name": "Bob"])
    }
    #expect(Self.found(report) == ["PUT /profile html differs"])
    #expect(report.findings.first?.description.hasSuffix(#"profile: {"name":"Ada"}, should be {"name":"Bob"}"#) == true)
  }

  @Test(.jsonServer(data, listens: false)) func `A client that remembers a refusal fails again`() async throws {
    let isSpoilt = Mutex(false)
    let report = try await MockServer.current.rehearseNetwork(conditions: [.unauthorized], recordsIssues: false) {
      server in
      guard !isSpoilt.withLock({ $0 }) else { throw Failure() }
      do {
        try await Self.send(server, .get, "/orders/1", headers: [.cookie: "a=b"])
      } catch {
        isSpoilt.withLock { $0 = true }
        throw error
      }
    }
    #expect(Self.found(report) == ["GET /orders/* 401 fails-again"])
  }

  @Test(.jsonServer(data, listens: false)) func `What the client and the server make by chance does not count`()
    async throws
  {
    let report = try await MockServer.current.rehearseNetwork { server in
      let order = try await Self.send(server, .get, "/orders").json?.array?.first
      guard order != nil else { throw Failure() }
      let chance = JSONValue(Int.random(in: 0..<1_000_000_000))
      guard try await Self.send(server, .put, "/profile", ["name": "Bob", "at": chance]).json != nil else {
        throw Failure()
      }
    }
    #expect(report.findings.isEmpty)
  }

  /// Keeps back the responses to `GET /lines` for longer than a response takes to arrive, unless another one comes first.
  private struct SlowLines: Middleware {
    let others: AsyncStream<Void>

    func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
      let response = try await next(request)
      guard request.target == "/lines" else { return response }
      await withTaskGroup { group in
        group.addTask { for await _ in others { break } }
        group.addTask { try? await Task.sleep(for: .milliseconds(200)) }
        await group.next()
        group.cancelAll()
      }
      return response
    }
  }

  @Test func `A late response comes after that of the next request, however long that takes`() async throws {
    let sent = Mutex<[String]>([])
    let (others, other) = AsyncStream.makeStream(of: Void.self)
    try await withJSONServer(Self.data, listens: false) { configuration in
      configuration.middleware = [SlowLines(others: others)]
      configuration.onEvent = { event in
        guard case .responded(let exchange) = event else { return }
        sent.withLock { $0.append(exchange.request.target) }
        if exchange.request.method == .post { other.yield() }
      }
    } _: { server in
      _ = try await server.rehearseNetwork(only: ["POST /orders"], conditions: [.late]) { server in
        async let order = Self.send(server, .post, "/orders", ["item": "b"])
        // The request was carried out, and so its response is late.
        try await wait { await server.value["orders"]?.array?.count != 1 }
        try await Self.send(server, .get, "/lines")
        _ = try await order
      }
    }
    #expect(sent.withLock { $0.suffix(2) } == ["/lines", "/orders"])
  }

  @Test(.jsonServer(data, listens: false)) func `A request that is not sent again is not met`() async throws {
    let count = Mutex(0)
    let report = try await MockServer.current.rehearseNetwork(only: ["GET /orders"], conditions: [.lostAfter]) {
      server in
      try await Self.send(
        server, .get,
        count.withLock {
          $0 += 1; return $0
        } < 3 ? "/orders" : "/lines")
    }
    #expect((report.runs, report.notMet, report.findings.count) == (1, 1, 0))
  }

  @Test(.jsonServer(data, listens: false)) func `Of more than 40 requests, those beyond are disturbed by kind`()
    async throws
  {
    let report = try await MockServer.current.rehearseNetwork(conditions: [.lostBefore]) { server in
      for _ in 0..<45 { try await Self.send(server, .get, "/orders") }
      for _ in 0..<3 { try await Self.send(server, .get, "/lines") }
    }
    #expect((report.requests, report.disturbed) == (48, 41))
  }

  @Test(.jsonServer(data, listens: false)) func `Nothing is rehearsed of a client that sends nothing`() async throws {
    let server = try MockServer.current
    await #expect(throws: MockServerError.self) { try await server.rehearseNetwork { _ in } }
    await #expect(throws: MockServerError.self) {
      try await server.rehearseNetwork(only: ["POST /orders"]) { try await Self.send($0, .get, "/orders") }
    }
  }
}
