import HTTPTypes
import NIOConcurrencyHelpers

import TestSupport
@testable import JSONServerHTTP

/// An application that a test writes as one function; it records what was requested.
final class TestApplication: Application {
  private let handle: @Sendable (Request, @escaping @Sendable (RequestProgress) -> Void, @escaping Reply) -> Void
  private let asked = NIOLockedValueBox<[Request]>([])
  private let turnedAway = NIOLockedValueBox<[Request]>([])

  init(_ handle: @escaping @Sendable (Request, @escaping Reply) -> Void = { $1(.echo($0)) }) {
    self.handle = { request, _, reply in handle(request, reply) }
  }

  init(
    proceeding handle: @escaping @Sendable (Request, _ proceed: @escaping @Sendable () -> Void, @escaping Reply) -> Void
  ) {
    self.handle = { request, progress, reply in handle(request, { progress(.tookEffect) }, reply) }
  }

  /// An application that calculates all its responses, and never makes one.
  init(calculating onEnd: @escaping @Sendable (Request) -> Void) {
    handle = { request, progress, _ in progress(.calculating { onEnd(request) }) }
  }

  var requests: [Request] { asked.withLockedValue { $0 } }

  /// The requests that the transport refused.
  var refused: [Request] { turnedAway.withLockedValue { $0 } }

  func isAdministrative(_ request: Request) -> Bool {
    (try? RequestTarget(request.target))?.isAdministrative ?? false
  }

  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void, reply: @escaping Reply
  ) {
    asked.withLockedValue { $0.append(request) }
    handle(request, progress, reply)
  }

  func refuse(_ request: Request, with error: RequestError, reply: @escaping Reply) {
    turnedAway.withLockedValue { $0.append(request) }
    reply(error.response())
  }
}

extension PreparedResponse {
  static func text(_ text: String) -> PreparedResponse {
    PreparedResponse(body: .bytes(Array(text.utf8)))
  }

  /// Describes a request: `PUT /a body`.
  static func echo(_ request: Request) -> PreparedResponse {
    let body = request.bytes.isEmpty ? "" : " " + String(decoding: request.bytes, as: UTF8.self)
    return .text("\(request.method) \(request.target)\(body)")
  }
}

/// Responses that wait until a test releases them.
final class HeldReplies: Sendable {
  /// One element for each response that is held.
  let arrivals: AsyncStream<Void>

  private let continuation: AsyncStream<Void>.Continuation
  private let held = NIOLockedValueBox<[@Sendable () -> Void]>([])

  init() {
    (arrivals, continuation) = AsyncStream.makeStream()
  }

  func hold(_ reply: @escaping @Sendable () -> Void) {
    held.withLockedValue { $0.append(reply) }
    continuation.yield()
  }

  /// Waits until a response is held.
  func arrival() async {
    for await _ in arrivals { return }
  }

  /// Releases all, on the server's loop.
  func release(on loop: EventLoopExecutor) {
    loop.execute { self.releaseHere() }
  }

  /// Releases all; for a caller that is on the server's loop.
  func releaseHere() {
    let replies = held.withLockedValue { held in
      defer { held = [] }
      return held
    }
    for reply in replies { reply() }
  }
}

/// The content of a stream, which reports when it is pulled and when it is released.
final class PulledContent: Sendable {
  /// One element for each pull; ends when the content is released.
  let pulls: AsyncStream<Void>.Continuation

  init(_ pulls: AsyncStream<Void>.Continuation) {
    self.pulls = pulls
  }

  deinit { pulls.finish() }

  /// A stream without end, in pieces of 1 MiB.
  static func stream(_ pulls: AsyncStream<Void>.Continuation) -> AsyncStream<[UInt8]> {
    let content = PulledContent(pulls)
    return AsyncStream { content.piece() }
  }

  private func piece() -> [UInt8] {
    pulls.yield()
    return [UInt8](repeating: 0x61, count: 1 << 20)
  }
}

/// A server that lives as long as a test's body.
struct TestServer {
  let listener: HTTPListener
  let loop: EventLoopExecutor
  /// What the server's connections are encrypted with; `nil` for plain HTTP.
  let security: TestSecurity?

  var address: BindAddress { listener.boundAddresses[0] }

  func connect() async throws -> TransportClient {
    try await TransportClient(host: address.host, port: address.port, handlers: security?.makeClientHandlers)
  }

  /// A client that does not encrypt what it sends.
  func connectInClear() async throws -> TransportClient {
    try await TransportClient(host: address.host, port: address.port)
  }

  static func run(
    _ application: TestApplication = TestApplication(), limits: Limits = Limits(),
    security ownSecurity: TestSecurity? = nil, _ body: (TestServer) async throws -> Void
  ) async throws {
    let security = try ownSecurity ?? TestSecurity.ofAllTests?.get()
    let loop = EventLoopExecutor()
    let listener = try await HTTPListener.start(
      on: [BindAddress(host: "127.0.0.1", port: 0)], loop: loop, limits: limits, application: application,
      security: security?.server)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(TestServer(listener: listener, loop: loop, security: security)))
    } catch {
      result = .failure(error)
    }
    await listener.shutdown(grace: .zero)
    try result.get()
  }
}
