import HTTPTypes
import NIOConcurrencyHelpers
import OrderedJSON
import Testing

@testable import JSONServer

/// What `_fields` and `--wrap` do that the recorded exchanges do not show.
@Suite struct `Shapes of responses` {
  private static let data: JSONValue = [
    "posts": [["id": 1, "title": "a"], ["id": 2, "title": "b"]], "logs": [["id": 1, "_fields": "x"]],
  ]

  private static func server(wrap: String? = nil, isStrict: Bool = false) async throws -> Server {
    var configuration = Server.Configuration(source: .value(data))
    configuration.wrapName = wrap
    configuration.isStrict = isStrict
    return try await Server.load(configuration)
  }

  private static func send(
    _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:], body: String = "", to server: Server
  ) async -> Response {
    var fields = fields
    fields[.host] = "localhost"
    return await server.respond(
      to: Request(method: method, target: target, headerFields: fields, body: Array(body.utf8)))
  }

  @Test func `Each shape of a record has an entity tag of its own`() async throws {
    let (plain, wrapped) = (try await Self.server(), try await Self.server(wrap: "data"))
    var tags: Set<String> = []
    for server in [plain, wrapped] {
      for target in ["/posts/1", "/posts/1?_fields=id", "/posts/1?_fields=title"] {
        let tag = try #require(await Self.send(.get, target, to: server).headerFields[.eTag])
        tags.insert(tag)
        #expect(await Self.send(.get, target, [.ifNoneMatch: tag], to: server).status == .notModified)
        #expect(await Self.send(.head, target, [.ifNoneMatch: tag], to: server).status == .notModified)
        let isWhole = !target.contains("_fields")
        #expect(
          await Self.send(.patch, target, [.ifMatch: tag], body: "{}", to: server).status
            == (isWhole ? .ok : .preconditionFailed))
        #expect(
          await Self.send(.patch, "/posts/2", [.ifMatch: tag], body: "{}", to: server).status == .preconditionFailed)
      }
    }
    #expect(tags.count == 6)
  }

  @Test func `If-Match goes by the whole record, whatever the response shows`() async throws {
    let server = try await Self.server()
    let whole = try #require(await Self.send(.get, "/posts/1", to: server).headerFields[.eTag])
    let part = try #require(await Self.send(.get, "/posts/1?_fields=id", to: server).headerFields[.eTag])
    let body = #"{"title":"c"}"#
    #expect(await Self.send(.patch, "/posts/1?_fields=id", [.ifMatch: whole], body: body, to: server).status == .ok)
    for target in ["/posts/1", "/posts/1?_fields=id"] {
      let refused = await Self.send(.patch, target, [.ifMatch: part], body: body, to: server)
      #expect(refused.status == .preconditionFailed)
      #expect(String(decoding: refused.bytes, as: UTF8.self).contains("without _fields"))
    }
    let list = try #require(await Self.send(.get, "/posts", to: server).headerFields[.eTag])
    let all = "/posts?_all=true&_fields=id"
    #expect(await Self.send(.patch, all, [.ifMatch: list], body: #"{"title":"d"}"#, to: server).status == .ok)
  }

  @Test func `A large list has one tag for its changes, which have none`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 700_000))
    let server = try await Server.load(
      Server.Configuration(source: .value(["posts": [["id": 1, "text": text], ["id": 2, "text": text]]])))
    let tag = try #require(await Self.send(.get, "/posts", to: server).headerFields[.eTag])
    let part = try #require(await Self.send(.get, "/posts?_fields=text", to: server).headerFields[.eTag])
    let target = "/posts?_all=true&_fields=text"
    let body = #"{"title":"d"}"#
    #expect(
      await Self.send(.patch, "/posts?_fields=text&_all=true", [.ifMatch: part], body: body, to: server).status
        == .preconditionFailed)
    let changed = await Self.send(.patch, target, [.ifMatch: tag], body: body, to: server)
    #expect(changed.status == .ok)
    #expect(changed.headerFields[.eTag] == nil)
    #expect(
      await Self.send(.patch, target, [.ifMatch: tag], body: body, to: server).status == .preconditionFailed)
  }

  @Test func `The tag of a list lets all of it be changed once`() async throws {
    let server = try await Self.server()
    let tag = try #require(await Self.send(.get, "/posts?id=1&id=2", to: server).headerFields[.eTag])
    let body = #"{"title":"c"}"#
    #expect(await Self.send(.patch, "/posts?id=1&id=2", [.ifMatch: tag], body: body, to: server).status == .ok)
    let second = await Self.send(.patch, "/posts?id=1&id=2", [.ifMatch: tag], body: body, to: server)
    #expect(second.status == .preconditionFailed)
  }

  @Test func `The page at the root shows data as it is`() async throws {
    let server = try await Self.server(wrap: "data")
    let page = try #require(HTTPField.Name("X-JSON-Server-Page"))
    let response = await Self.send(.get, "/posts/1", [page: "1"], to: server)
    #expect(response.bytes == Array("{\n  \"id\": 1,\n  \"title\": \"a\"\n}".utf8))
  }

  @Test func `A member named _fields is found by an operator`() async throws {
    let server = try await Self.server()
    let response = await Self.send(.get, "/logs?_fields:eq=x&_fields=_fields", to: server)
    #expect(response.bytes == Array("[\n  {\n    \"_fields\": \"x\"\n  }\n]".utf8))
  }

  @Test func `A page whose numbers have the name around the records keeps the records`() async throws {
    let server = try await Self.server(wrap: "items")
    let body = try JSONValue(parsing: await Self.send(.get, "/posts?_page=1&_per_page=1", to: server).bytes)
    #expect(body["items"]?.array?.count == 1)
    #expect(body["total"] == 2)
  }

  @Test(arguments: ["", "total"])
  func `A name that cannot hold the records is refused`(_ name: String) async throws {
    await #expect(throws: ServerError.self) { try await Self.server(wrap: name) }
  }

  @Test func `More fields than a hundred are refused, before anything is written`() async throws {
    let server = try await Self.server()
    let fields = (0...ResponseShape.maximumFields).map { "f\($0)" }.joined(separator: ",")
    #expect(await Self.send(.get, "/posts?_fields=\(fields)", to: server).status == .badRequest)
    #expect(await Self.send(.post, "/posts?_fields=\(fields)", body: "{}", to: server).status == .badRequest)
    #expect(await Self.send(.get, "/posts", to: server).headerFields[.xTotalCount] == "2")
  }

  @Test func `A strict server refuses fields that nothing has, and marks changes of many that it refuses`() async throws
  {
    let server = try await Self.server(isStrict: true)
    #expect(await Self.send(.get, "/posts?_fields=titel", to: server).status == .badRequest)
    #expect(await Self.send(.post, "/posts?_fields=titel", body: "{}", to: server).status == .badRequest)
    #expect(await Self.send(.delete, "/posts?titel=a", to: server).status == .badRequest)
    #expect(await Self.send(.delete, "/posts", to: server).status == .badRequest)
    #expect(
      await server.unexpectedRequests.map(\.request.target) == [
        "/posts?_fields=titel", "/posts?_fields=titel", "/posts?titel=a", "/posts",
      ])
    #expect(await Self.send(.delete, "/posts?title=a", to: server).status == .ok)
  }
}
