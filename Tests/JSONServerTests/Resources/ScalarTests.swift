import HTTPTypes
import OrderedJSON
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A number, a text or a boolean as a resource` {
  private static let text = #"""
    {"count": 1.0, "motto": "a\u0041", "isOpen": true, "posts": []}
    """#

  private func send(
    _ method: HTTPRequest.Method, _ target: String, type: String = "application/json", _ body: String = "",
    to server: Server
  ) async -> Response {
    let fields: HTTPFields = [.host: "localhost", .contentType: type]
    return await server.respond(
      to: Request(method: method, target: target, headerFields: fields, body: Array(body.utf8)))
  }

  @Test func `is served and replaced as json-server 1.0 does`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.text, to: "database.json")
    var configuration = Server.Configuration(source: .file(directory.path("database.json")))
    configuration.dialect = .v1
    let server = try await Server.load(configuration)
    for (target, expected) in [("/count", "1.0"), ("/motto", #""a\u0041""#), ("/isOpen", "true")] {
      let response = await send(.get, target, to: server)
      #expect(response.status == .ok)
      #expect(String(decoding: response.bytes, as: UTF8.self) == expected)
    }
    #expect(await send(.get, "/__admin/openapi.json", to: server).status == .ok)
    #expect(await send(.put, "/count", "2", to: server).status == .badRequest)
    #expect(await send(.put, "/count", #"{"n": 2}"#, to: server).status == .ok)
    #expect(await send(.patch, "/motto", #"{"m": 1}"#, to: server).status == .ok)
    let merge = "application/merge-patch+json"
    #expect(await send(.patch, "/isOpen", type: merge, #"{"o": {"p": null}}"#, to: server).status == .ok)
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
