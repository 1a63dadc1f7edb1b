import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A server that cannot start` {
  @Test func `leaves the file free for the next try`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"posts": []}"#, to: "database.json")
    var configuration = Server.Configuration(source: .file(directory.path("database.json")))
    configuration.routes = JSONObject([("/api/*", 1)])
    let invalid = configuration
    let error = await #expect(throws: ServerError.self) { try await Server.load(invalid) }
    #expect(error?.code == .invalidConfiguration)
    configuration.routes = JSONObject()
    try await Server.load(configuration).stop()
    #expect(directory.text("database.json") == #"{"posts": []}"#)
  }
}
