import HTTPTypes
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A source that is empty` {
  @Test(arguments: ["", " \n\t", "\n"])
  func `is an empty database`(_ text: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "database.json")
    let path = directory.path("database.json")
    for source in [Source.file(path), .text(Array(text.utf8), name: "-")] {
      let server = try await Server.load(Server.Configuration(source: source))
      let request = Request(method: .get, target: "/db", headerFields: [.host: "localhost"])
      #expect(await server.respond(to: request).bytes == Array("{}".utf8))
      await server.stop()
    }
    #expect(directory.text("database.json") == text)
  }

  @Test func `is filled by a write`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "database.json")
    var configuration = Server.Configuration(source: .file(directory.path("database.json")))
    configuration.hasResetRoutes = true
    let server = try await Server.load(configuration)
    let body = Array(#"{"posts": [{"id": 1}]}"#.utf8)
    let reset = Request(method: .post, target: "/reset", headerFields: [.host: "localhost"], body: body)
    #expect(await server.respond(to: reset).status == .ok)
    let write = Request(method: .post, target: "/posts", headerFields: [.host: "localhost"])
    #expect(await server.respond(to: write).status == .created)
    await server.stop()
    #expect(directory.text("database.json")?.contains("2") == true)
  }
}
