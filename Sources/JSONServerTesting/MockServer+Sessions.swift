import JSONServer
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MockServer {
  /// Returns a client's own copy of this server: its data at start, its own faults, stubs and requests.
  ///
  /// ```swift
  /// let first = server.session("first")
  /// app.launchEnvironment = first.environment
  /// ```
  ///
  /// It ends with the test. The same name returns the same session.
  ///
  /// - Parameter name: The session's name, up to 64 letters, digits and `-._~`; of any other text a name is made.
  public func session(_ name: String) -> MockServer {
    sessions.withLockedValue { sessions in
      if let known = sessions[name] { return known }
      let mountPath = server.url.isEmpty ? url.path() : ""
      // The first is never nil: it has an address to fall back on.
      let session = MockServer(server.session(name), mountPath: mountPath, otherwise: url) ?? self
      sessions[name] = session
      return session
    }
  }

  /// What an app that is launched needs to know, for `XCUIApplication.launchEnvironment`: `JSON_SERVER_URL`.
  public var environment: [String: String] {
    ["JSON_SERVER_URL": url.absoluteString]
  }

  /// Has all access tokens expire at once; refresh tokens stay valid.
  public func expireTokens() async {
    await server.expireTokens()
  }
}
