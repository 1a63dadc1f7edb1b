import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

@Suite struct `A page's origin` {
  @Test(
    arguments: [
      ("http://localhost:5173", nil), ("https://evil.com", "crossOrigin for https://evil.com "),
      ("null", "crossOrigin for '*' "),
      ("http://loc alhost", "crossOrigin for '*' "),
    ] as [(String, String?)])
  func `is named once with the option that lets it in, and marks each response that it does not get`(
    _ origin: String, _ option: String?
  ) async throws {
    let hints = NIOLockedValueBox<[String]>([])
    let refused = NIOLockedValueBox<[String?]>([])
    let server = try await server { event in
      switch event {
      case .hint(let hint): hints.withLockedValue { $0.append(hint) }
      case .responded(let exchange): refused.withLockedValue { $0.append(exchange.sent.refusedOrigin) }
      default: break
      }
    }
    for method in [HTTPRequest.Method.get, .get, .head, .delete] { _ = await send(method, from: origin, to: server) }
    #expect(hints.withLockedValue { $0.count } == (option == nil ? 0 : 1))
    if let option { #expect(hints.withLockedValue { $0[0] }.contains(option)) }
    #expect(refused.withLockedValue { $0 } == Array(repeating: option == nil ? nil : origin, count: 4))
  }

  @Test func `is not asked where the Host is refused, which is explained once`() async throws {
    let hints = NIOLockedValueBox<[String]>([])
    let server = try await server { event in
      if case .hint(let hint) = event { hints.withLockedValue { $0.append(hint) } }
    }
    for host in ["api:3000", "api:3000", "api", "localhost"] {
      let response = await server.respond(
        to: Request(method: .get, target: "/posts", headerFields: [.host: host]))
      #expect(response.status == (host == "localhost" ? .ok : .forbidden))
    }
    #expect(hints.withLockedValue { $0.count } == 1)
    #expect(hints.withLockedValue { $0.first }?.contains("allowedHosts for api") == true)
  }

  @Test func `that may read may read the tag of what it read`() async throws {
    let server = try await server { _ in }
    for (method, origin, isExposed) in [
      (.get, "http://localhost:5173", true), (.head, "http://localhost:5173", true), (.get, nil, false),
      (.post, "http://localhost:5173", true),
    ] as [(HTTPRequest.Method, String?, Bool)] {
      let fields = await send(method, from: origin, to: server).headerFields
      let exposed = fields[.accessControlExposeHeaders] ?? ""
      #expect(exposed.contains("ETag") == isExposed, "\(method) \(origin ?? "-")")
      #expect(exposed.contains("X-Total-Count, Link") == (method != .post))
    }
  }

  @Test func `may read why the transport refused a request, which is in the journal`() async throws {
    let server = try await server { _ in }
    let request = Request(
      method: .post, target: "/posts", headerFields: [.host: "localhost", .origin: "http://localhost:5173"])
    let response = await server.engine.run { engine in
      await withCheckedContinuation { continuation in
        engine.refuse(request, with: .bodyTooLarge(Limits())) { continuation.resume(returning: $0.response) }
      }
    }
    #expect(response.status == .contentTooLarge)
    #expect(response.headerFields[.accessControlAllowOrigin] == "http://localhost:5173")
    #expect(await server.journal.map(\.response?.status) == [.contentTooLarge])
  }

  private func server(_ onEvent: @escaping @Sendable (ServerEvent) -> Void) async throws -> Server {
    try await AdminFixture.server(["posts": [["id": 1]]]) { $0.onEvent = onEvent }
  }

  private func send(_ method: HTTPRequest.Method, from origin: String?, to server: Server) async -> Response {
    var fields = HTTPFields()
    fields[.origin] = origin
    return await server.send(method, "/posts", fields: fields)
  }
}
