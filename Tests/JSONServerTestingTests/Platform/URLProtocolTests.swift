import JSONServerTesting
import NIOConcurrencyHelpers

@testable import JSONServerMock

@Suite(.jsonServer(["notes": [["id": 1, "text": "one"]]], listens: false))
struct `A session without a socket` {
  private func request(_ path: String, method: String = "GET") throws -> URLRequest {
    let url = try #require(URL(string: "https://api.example.com" + path))
    var request = URLRequest(url: url, timeoutInterval: 30)
    request.httpMethod = method
    return request
  }

  private func session() throws -> URLSession {
    URLSession(configuration: .jsonServer(try MockServer.current))
  }

  @Test func `Whatever host a request is for, the server responds to it`() async throws {
    let (data, response) = try await session().send(request("/notes?q=one"))
    #expect(response.statusCode == 200)
    #expect(response.mimeType == "application/json")
    #expect(response.value(forHTTPHeaderField: "X-Total-Count") == "1")
    #expect(String(decoding: data, as: UTF8.self).contains(#""text": "one""#))
    try await MockServer.current.expect(.get("/notes", headers: ["Host": "api.example.com"]), times: 1)
  }

  @Test func `A body is sent from data`() async throws {
    var request = try request("/notes", method: "POST")
    request.httpBody = Data(#"{"text": "two"}"#.utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    #expect(try await session().send(request).response.statusCode == 201)
    try await MockServer.current.expect(.post("/notes", body: ["text": "two"]), times: 1)
  }

  @Test func `A body is sent from a stream`() async throws {
    var request = try request("/notes", method: "POST")
    request.httpBodyStream = InputStream(data: Data(#"{"text": "three"}"#.utf8))
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    #expect(try await session().send(request).response.statusCode == 201)
    try await MockServer.current.expect(.post("/notes", body: ["text": "three"]), times: 1)
  }

  @Test func `An upload is not treated as if it had no body`() async throws {
    let server = try MockServer.current
    let request = try request("/notes", method: "POST")
    do {
      _ = try await session().upload(for: request, from: Data(#"{"text": "four"}"#.utf8))
      try await server.expect(.post("/notes", body: ["text": "four"]), times: 1)
    } catch let error as URLError {
      #expect(error.localizedDescription.contains("httpBody"))
      #expect(await server.requests.isEmpty)
    }
  }

  @Test func `A download task is loaded, or told what to use instead`() async throws {
    do {
      let file = try await session().download(for: request("/notes")).0
      #expect(try String(contentsOf: file, encoding: .utf8).contains("one"))
    } catch let error as URLError {
      #expect(error.localizedDescription.contains("data task"))
    }
  }

  @Test func `A GET has no body, as over a socket`() async throws {
    var request = try request("/notes")
    request.httpBody = Data("{}".utf8)
    let error = await #expect(throws: URLError.self) { try await session().send(request) }
    #expect(error?.code == .dataLengthExceedsMaximum)
  }

  @Test(arguments: [(204, "GET"), (304, "GET"), (200, "HEAD")])
  func `What has no body has no length of one`(_ status: Int, _ method: String) async throws {
    try await MockServer.current.stub(.any("/none"), with: status)
    let response = try await session().send(request("/none", method: method)).response
    #expect(response.statusCode == status)
    #expect(response.value(forHTTPHeaderField: "Content-Length") == nil)
  }

  @Test func `A HEAD has the length of the GET`() async throws {
    let length = try await session().send(request("/notes")).data.count
    let response = try await session().send(request("/notes", method: "HEAD")).response
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(length)")
  }

  @Test func `Fields of one name are joined, in whatever case they are spelled`() async throws {
    let headers: KeyValuePairs = ["X-Part": "a", "x-part": "b"]
    try await MockServer.current.stub(.get("/parts"), with: .status(200, headers: headers))
    let response = try await session().send(request("/parts")).response
    #expect(response.value(forHTTPHeaderField: "X-Part") == "a, b")
  }

  @Test func `A redirect is followed within the server`() async throws {
    let server = try MockServer.current
    await server.stub(.get("/old"), with: .status(301, headers: ["Location": "/notes/1"]))
    let (data, response) = try await session().send(request("/old"))
    #expect(response.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self).contains("one"))
    #expect(await server.requests.map(\.request.target) == ["/old", "/notes/1"])
  }

  @Test(arguments: [307, 308])
  func `A redirect that keeps the method sends a stream's body again`(_ status: Int) async throws {
    let server = try MockServer.current
    await server.stub(.post("/old"), with: .status(status, headers: ["Location": "/notes"]))
    var request = try request("/old", method: "POST")
    request.httpBodyStream = InputStream(data: Data(#"{"text": "five"}"#.utf8))
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    #expect(try await session().send(request).response.statusCode == 201)
    try await server.expect(.post("/old", body: ["text": "five"]), times: 1)
    try await server.expect(.post("/notes", body: ["text": "five"]), times: 1)
  }

  @Test(arguments: [true, false])
  func `A stream that ends before its length is a lost connection, as over a socket`(_ listens: Bool) async throws {
    let error = await #expect(throws: URLError.self) { try await load(PiecewiseAnswer(length: 4), listens: listens) }
    // Over a socket, Foundation on Linux does not know this error.
    if !listens { #expect(error?.code == .networkConnectionLost) }
  }

  @Test(arguments: [true, false], [0, 2, 3])
  func `A stream is cut off at its length, as over a socket`(_ listens: Bool, _ length: Int) async throws {
    let (data, response) = try await load(PiecewiseAnswer(length: length), listens: listens)
    #expect(data == Data(1...3).prefix(length))
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(length)")
  }

  /// Loads an answer, over a socket or without one.
  private func load(_ answer: PiecewiseAnswer, listens: Bool) async throws -> (data: Data, response: HTTPURLResponse) {
    try await withJSONServer(listens: listens) {
      $0.middleware = [answer]
    } _: { server in
      let request = try request("/notes")
      return listens
        ? try await URLSession.forTests.get("/notes", at: server.url)
        : try await URLSession(configuration: .jsonServer(server)).send(request)
    }
  }

  @Test(arguments: [(Response.hang, URLError.timedOut), (.reset, .networkConnectionLost)])
  func `A broken connection is the error that a socket would give`(
    _ response: Response, _ code: URLError.Code
  ) async throws {
    try await MockServer.current.fail(.get("/notes"), with: response)
    var request = try request("/notes")
    request.timeoutInterval = 0.2
    let error = await #expect(throws: URLError.self) { try await session().send(request) }
    #expect(error?.code == code)
  }

  @Test(.timeLimit(.minutes(1)))
  func `A response that takes too long is the error that a socket would give`() async throws {
    try await MockServer.current.delay(.get("/notes"), by: .seconds(600))
    var request = try request("/notes")
    request.timeoutInterval = 0.2
    let error = await #expect(throws: URLError.self) { try await session().send(request) }
    #expect(error?.code == .timedOut)
  }

  @Test(
    arguments: [
      (0.2, .milliseconds(200)), (-1, .seconds(86_400)), (0, .seconds(86_400)), (.infinity, .seconds(86_400)),
      (.nan, .seconds(86_400)),
      (1e300, .seconds(86_400)),
    ] as [(Double, Duration)])
  func `A request waits for its timeout, at most a day`(_ interval: Double, _ duration: Duration) throws {
    var request = try request("/notes")
    request.timeoutInterval = interval
    #expect(request.timeout == duration)
  }

  @Test func `A stopped server is no longer reached, nor kept`() async throws {
    var stopped: MockServer? = try await withJSONServer(listens: false) { $0 }
    weak var server: MockServer?
    server = stopped
    let configuration = URLSessionConfiguration.jsonServer(try #require(stopped))
    let request = try request("/notes")
    let error = await #expect(throws: URLError.self) {
      try await URLSession(configuration: configuration).send(request)
    }
    #expect(error?.code == .cannotConnectToHost)
    stopped = nil
    #expect(server == nil)
  }

  @Test func `A client that stops loading is not notified any more`() async throws {
    try await withJSONServer(listens: false) {
      $0.middleware = [PiecewiseAnswer()]
    } _: { server in
      let client = StoppingClient()
      let loading = URLProtocol(request: try request("/notes"), cachedResponse: nil, client: client)
      await JSONServerLoader(loading, server: server)?.load()
      #expect(client.events.withLockedValue { $0 } == ["piece 1"])
    }
  }
}

/// Responds with a body in three pieces that are all available at once.
private struct PiecewiseAnswer: Middleware {
  var length: Int?

  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    for piece: UInt8 in 1...3 { continuation.yield([piece]) }
    continuation.finish()
    return .stream(stream, length: length, type: "text/plain")
  }
}

/// A client that stops the loading at the first piece of a body.
private final class StoppingClient: NSObject, URLProtocolClient {
  /// What the client was notified of, the head of the response apart.
  let events = NIOLockedValueBox<[String]>([])

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    events.withLockedValue { $0.append("piece \(data.first ?? 0)") }
    withUnsafeCurrentTask { $0?.cancel() }
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
    events.withLockedValue { $0.append("end") }
  }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    events.withLockedValue { $0.append("error") }
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy
  ) {}
  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {}
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {}
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
