package import JSONServer

/// The treatment of requests with an unknown path, method or parameter.
public enum UnexpectedRequests: Sendable, Hashable {
  /// They get a 404 or 405; an unknown parameter is ignored.
  case allow
  /// They get a 400 that suggests what was meant, and are issues at the end of the test.
  case issue
}

extension Server.Configuration {
  /// Returns the configuration of a server for tests.
  ///
  /// - Throws: ``MockServerError`` for data or a recording that is not there.
  package static func mock(
    _ data: MockData, openAPI: String?, recording: String?, pathPrefix: String, unexpectedRequests: UnexpectedRequests,
    auth: String?, sourcePath: String, configure: (inout Server.Configuration) throws -> Void
  ) throws -> Server.Configuration {
    var server = Server.Configuration(source: try data.source(sourcePath))
    // A test's data needs no guard against the names of other sites; a client may call it by its real backend's name.
    server.allowedHosts = ["*"]
    server.hosts = LocalAddress.hosts
    server.openAPI = try openAPI.map { try MockData.locate($0, from: sourcePath).path }
    server.pathPrefix = pathPrefix
    server.isStrict = unexpectedRequests == .issue
    if let recording { try Recording.apply(recording, from: sourcePath, to: &server) }
    // What is expected is counted in the journal, which ends with the test.
    server.journalCapacity = .max
    server.journalByteCapacity = .max
    server.signIn = auth.map { Server.SignIn(users: $0) }
    server.hasSessions = true
    server.spellings = [
      "Server.addFault": "server.fail", "Server.hold": "server.hold", "Server.releaseHold": "hold.release",
    ]
    try configure(&server)
    return server
  }
}
