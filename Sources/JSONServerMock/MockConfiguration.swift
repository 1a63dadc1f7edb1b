package import JSONServer

/// The treatment of requests with an unknown path, method or parameter.
public enum UnexpectedRequests: Sendable, Hashable {
  /// They get a 404 or 405; an unknown parameter is ignored.
  case allow
  /// They get a 400 that suggests what was meant, and are issues at the end of the test.
  case issue
}

/// How a server for tests is configured, and whether it listens.
package struct MockConfiguration: Sendable {
  var server: Server.Configuration
  let listens: Bool

  /// - Throws: ``MockServerError`` for data that is not there.
  package init(
    _ data: MockData, pathPrefix: String, unexpectedRequests: UnexpectedRequests, auth: String?, listens: Bool,
    sourcePath: String, configure: (inout Server.Configuration) throws -> Void
  ) throws {
    server = Server.Configuration(source: try data.source(sourcePath))
    // A test's data needs no guard against the names of other sites; a client may call it by its real backend's name.
    server.allowedHosts = ["*"]
    server.hosts = LocalAddress.hosts
    server.pathPrefix = pathPrefix
    server.isStrict = unexpectedRequests == .issue
    // What is expected is counted in the journal, which ends with the test.
    server.journalCapacity = .max
    server.journalByteCapacity = .max
    server.signIn = auth.map { Server.SignIn(users: $0) }
    server.hasSessions = true
    server.spellings = [
      "Server.addFault": "server.fail", "Server.hold": "server.hold", "Server.releaseHold": "hold.release",
    ]
    try configure(&server)
    self.listens = listens
  }

  /// Creates the configuration of a server that is configured already.
  package init(_ server: Server.Configuration, listens: Bool) {
    (self.server, self.listens) = (server, listens)
  }
}
