import HTTPTypes
import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

@testable import swift_json_server

/// What curl is made to do, against a server in this process.
@Suite(.timeLimit(.minutes(1))) struct CurlTests {
  /// Remembers each request, and responds with its body.
  private final class Echo: Middleware {
    private let requests = NIOLockedValueBox<[Request]>([])
    private let response: Response

    init(_ response: Response) {
      self.response = response
    }

    func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async -> Response {
      requests.withLockedValue { $0.append(request) }
      return response
    }

    var last: Request? { requests.withLockedValue { $0.last } }
  }

  private func echo(_ response: Response = Response()) async throws -> (Echo, Server) {
    let echo = Echo(response)
    var configuration = Server.Configuration(source: .value([:]))
    configuration.middleware = [echo]
    configuration.compresses = false
    return (echo, try await Server.start(configuration))
  }

  private static let curl = Curl(maximumBytes: 100_000)
  private static let bytes: [UInt8] = (0...255).map { UInt8($0) }

  @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options])
  func `Any method, field and bytes go there, and nothing of curl's own`(_ method: HTTPRequest.Method) async throws {
    let (echo, server) = try await echo()
    let hasBody = method != .get && method != .options
    var fields: HTTPFields = [.authorization: "a \"b\" \\ c\\n%41\ttab é \"\u{308} \\\u{301} \t\u{301}"]
    fields[try #require(HTTPField.Name("X-Empty"))] = ""
    fields.append(HTTPField(name: .accept, value: "a/b"))
    fields.append(HTTPField(name: .accept, value: "c/d"))
    let request = Request(method: method, target: "/", headerFields: fields, body: hasBody ? Self.bytes : [])
    let target = #"/a%20b?x=[c]{d}&y=%22"#
    _ = try await Self.curl.send(request, to: server.url + target)
    let sent = try #require(echo.last)
    #expect(sent.method == method)
    #expect(sent.target == target)
    #expect(sent.body == request.body)
    var expected = fields
    if hasBody { expected[.contentLength] = "256" }
    let received = sent.headerFields.filter { $0.name.canonicalName != "host" }
    #expect(Set(received.map { "\($0.name): \($0.value)" }) == Set(expected.map { "\($0.name): \($0.value)" }))
    await server.stop()
  }

  @Test
  func `A POST without a body says that it has none`() async throws {
    let (echo, server) = try await echo()
    _ = try await Self.curl.send(Request(method: .post, target: "/"), to: server.url)
    #expect(echo.last?.headerFields[.contentLength] == "0")
    #expect(echo.last?.headerFields[.contentType] == nil)
    await server.stop()
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `The response comes as it is`(_ method: HTTPRequest.Method) async throws {
    let fields: HTTPFields = [.contentType: "a/b", .location: "/elsewhere", .contentEncoding: "x"]
    let response = Response(
      status: .init(code: 302, reasonPhrase: "There it is"), headerFields: fields, body: .bytes(Self.bytes))
    let (_, server) = try await echo(response)
    let received = try await Self.curl.send(Request(method: method, target: "/"), to: server.url)
    #expect(received.status == response.status)
    #expect(received.status.reasonPhrase == "There it is")
    #expect(received.bytes == (method == .head ? [] : Self.bytes))
    #expect(received.headerFields[.contentLength] == "256")
    for field in fields { #expect(received.headerFields[field.name] == field.value) }
    await server.stop()
  }

  @Test
  func `Trailers are no part of the body`() async throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\n{}\r\n0\r\nX: 1\r\n\r\n"
    let server = try #require(ReservedPort())
    server.respond(with: text)
    let received = try await Self.curl.send(Request(method: .get, target: "/"), to: server.url)
    #expect(String(decoding: received.bytes, as: UTF8.self) == "{}")
    #expect(received.status == .ok)
  }

  @Test
  func `A limit of bytes is for bodies, which a HEAD has not`() async throws {
    let (_, server) = try await echo(Response(body: .bytes([UInt8](repeating: 65, count: 1_000_000))))
    let response = try await Self.curl.send(Request(method: .head, target: "/"), to: server.url)
    #expect(response.headerFields[.contentLength] == "1000000")
    await server.stop()
  }

  @Test
  func `More bytes than are wanted are a failure that names the limit`() async throws {
    let (_, server) = try await echo(Response(body: .bytes([UInt8](repeating: 65, count: 1_000_000))))
    let failure = await #expect(throws: Curl.Failure.self) {
      try await Self.curl.send(Request(method: .get, target: "/"), to: server.url)
    }
    #expect(failure?.description == "The response has more than 100000 bytes (--max-body).")
    await server.stop()
  }

  @Test
  func `A body without an end is a failure, too`() async throws {
    let piece = [UInt8](repeating: 65, count: 10_000)
    let endless = AsyncStream { piece }
    let (_, server) = try await echo(Response(body: .stream(endless)))
    await #expect(throws: Curl.Failure.self) {
      try await Self.curl.send(Request(method: .get, target: "/"), to: server.url)
    }
    await server.stop(grace: .zero)
  }

  @Test
  func `A server that is silent for too long is a timeout`() async throws {
    let (_, server) = try await echo(Response(delivery: .hang))
    var curl = Self.curl
    curl.timeout = .milliseconds(100)
    await #expect(throws: Upstream.Failure.self) {
      try await curl.send(Request(method: .get, target: "/"), to: server.url)
    }
    await server.stop(grace: .zero)
  }

  @Test
  func `When the task is cancelled curl ends, and the connection with it`() async throws {
    let server = try await Server.start(Server.Configuration(source: .value([:])))
    _ = try await server.hold(RequestPattern(.get, "/held"))
    let url = server.url
    let call = Task { try await Self.curl.send(Request(method: .get, target: "/"), to: "\(url)/held") }
    let arrival = await server.exchange(timeout: .seconds(50)) { $0.state == .received }
    #expect(arrival != nil)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    let end = await server.exchange(timeout: .seconds(50)) { $0.state == .responded }
    #expect(end?.delivery == .left)
    #expect(end?.response == nil)
    await server.stop()
  }
}
