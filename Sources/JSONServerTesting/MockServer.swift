public import JSONServer
import NIOConcurrencyHelpers
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A test's own server, with its own data and its own record of what the client did.
///
/// A test gets one from the trait `.jsonServer(…)`, or from
/// ``withJSONServer(_:routes:listens:sourcePath:isolation:configure:_:)``, and never has to stop it.
public final class MockServer: Sendable {
  /// The server behind it, for what a test seldom needs.
  public let server: Server

  /// The address to give to the client under test, such as `http://localhost:49152`: App Transport Security lets an app
  /// reach that, and refuses `http://127.0.0.1`.
  ///
  /// A server that does not listen has an address, too; it is reached with `URLSessionConfiguration.jsonServer(_:)`.
  public let url: URL

  /// A number that no other server of the process has, from 1.
  let number: Int

  /// The sessions that the test has asked for, by their names.
  let sessions = NIOLockedValueBox<[String: MockServer]>([:])

  @TaskLocal static var running: MockServer?

  private static let lastNumber = Atomic(0)

  init(_ server: Server) {
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let address =
      server.url.isEmpty
      ? "http://json-server-\(number).localhost" : server.url.replacing("http://127.0.0.1:", with: "http://localhost:")
    guard let url = URL(string: address) else { preconditionFailure("'\(address)' is a URL.") }
    self.server = server
    self.url = url
    startLoadingURLs()
  }

  /// The server of the running test.
  ///
  /// - Throws: ``MockServerError`` with code `noServer`, outside of tests with the trait `.jsonServer(…)` and of
  ///   `withJSONServer`, and in detached tasks.
  public static var current: MockServer {
    get throws(MockServerError) {
      if let running { return running }
      throw MockServerError(
        .noServer, "No server runs here; give the test the trait .jsonServer(…), or use withJSONServer(…).")
    }
  }

  /// Responds to a request as the server would over a socket.
  public func respond(to request: Request) async -> Response {
    await server.respond(to: request)
  }

  /// Closes the socket, without waiting for clients.
  func stop() async {
    for session in sessions.withLockedValue({ Array($0.values) }) { session.stopLoadingURLs() }
    stopLoadingURLs()
    await server.stop(grace: .zero)
  }
}
