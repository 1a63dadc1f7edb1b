import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A number, a text or a boolean as a resource` {
  private static let text = #"""
    {"count": 1.0, "motto": "a\u0041", "isOpen": true, "posts": []}
    """#

  @Test func `is served and replaced as json-server 1.0 does`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.text, to: "database.json")
    var configuration = Server.Configuration(source: .file(directory.path("database.json")))
    configuration.dialect = .v1
    let server = try await Server.load(configuration)
    for (target, expected) in [("/count", "1.0"), ("/motto", #""a\u0041""#), ("/isOpen", "true")] {
      let response = await server.send(.get, target)
      #expect(response.status == .ok)
      #expect(response.text == expected)
    }
    #expect(await server.send(.get, "/__admin/openapi.json").status == .ok)
    #expect(await server.send(.put, "/count", 2).status == .badRequest)
    #expect(await server.send(.put, "/count", ["n": 2]).status == .ok)
    #expect(await server.send(.patch, "/motto", ["m": 1]).status == .ok)
    let merge: HTTPFields = [.contentType: "application/merge-patch+json"]
    #expect(await server.send(.patch, "/isOpen", ["o": ["p": nil]], fields: merge).status == .ok)
    await server.stop()
    let text = try #require(directory.text("database.json"))
    #expect(try JSONValue(parsing: text) == ["count": ["n": 2], "motto": ["m": 1], "isOpen": ["o": [:]], "posts": []])
  }

  @Test(arguments: [
    ("null", Server.Configuration.Dialect.v1), ("1", .classic), ("true", .classic), (#""x""#, .classic),
  ])
  func `is refused otherwise`(_ value: String, _ dialect: Server.Configuration.Dialect) async throws {
    var configuration = Server.Configuration(source: .text(Array("{\"a\": \(value)}".utf8), name: "test"))
    configuration.dialect = dialect
    let invalid = configuration
    let error = await #expect(throws: ServerError.self) { try await Server.load(invalid) }
    #expect(error?.code == .sourceInvalid)
  }
}
