import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers

@testable import JSONServer

/// Another server that responds as a test says, and remembers what it was asked.
final class UpstreamFixture: Sendable {
  static let url = "https://api.example.com/v2"

  private let requests = NIOLockedValueBox<[(request: Request, address: String)]>([])

  /// A server whose other server responds with the method and the address that it is asked for, unless told otherwise.
  func server(
    timeout: Duration = .seconds(60), atOnce: Int = 16, _ adjust: (inout Server.Configuration) -> Void = { _ in },
    respond: @escaping Upstream.Send = { request, address in
      Response(status: .accepted, body: .bytes(Array("\(request.method) \(address)".utf8)))
    }
  ) async throws -> Server {
    var upstream = try Upstream(Self.url) { [self] request, address in
      requests.withLockedValue { $0.append((request, address)) }
      return try await respond(request, address)
    }
    upstream.timeout = timeout
    upstream.maximumConcurrentRequests = atOnce
    return try await AdminFixture.server { configuration in
      configuration.upstream = upstream
      adjust(&configuration)
    }
  }

  /// What it was asked, in the order in which it came.
  var asked: [(request: Request, address: String)] { requests.withLockedValue { $0 } }
}

/// Lets some go on when a test says so.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Lets all go on.
  func open() {
    continuation.finish()
  }

  /// Waits until the gate opens, or the task is cancelled.
  func pass() async {
    for await _ in stream {}
  }
}
