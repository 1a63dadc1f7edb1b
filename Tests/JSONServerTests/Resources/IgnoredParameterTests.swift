import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer

@Suite struct `Ignored parameters` {
  @Test func `of one route are reported once`() async throws {
    let told = NIOLockedValueBox<[String]>([])
    let server = try await AdminFixture.server { configuration in
      configuration.onEvent = { if case .hint(let hint) = $0 { told.withLockedValue { $0.append(hint) } } }
    }
    for _ in 0..<2 { await server.send(.get, "/posts/1?title=a") }
    #expect(told.withLockedValue { $0 } == ["/posts/1: the parameter 'title' has no effect on a GET there."])
  }
}
