import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer
@testable import JSONServerResources

/// What `_fields` and `--wrap` do that the recorded exchanges do not show.
@Suite struct `Shapes of responses` {
  private static func server(wrap: String? = nil) async throws -> Server {
    try await AdminFixture.server { $0.wrapName = wrap }
  }

  @Test func `Each shape of a record has an entity tag of its own`() async throws {
    let (plain, wrapped) = (try await Self.server(), try await Self.server(wrap: "data"))
    var tags: Set<String> = []
    for server in [plain, wrapped] {
      for target in ["/posts/1", "/posts/1?_fields=id", "/posts/1?_fields=title"] {
        let tag = try #require(await server.send(.get, target).headerFields[.eTag])
        tags.insert(tag)
        #expect(await server.send(.get, target, fields: [.ifNoneMatch: tag]).status == .notModified)
        #expect(await server.send(.head, target, fields: [.ifNoneMatch: tag]).status == .notModified)
        let isWhole = !target.contains("_fields")
        #expect(
          await server.send(.patch, target, [:], fields: [.ifMatch: tag]).status
            == (isWhole ? .ok : .preconditionFailed))
        #expect(
          await server.send(.patch, "/posts/2", [:], fields: [.ifMatch: tag]).status == .preconditionFailed)
      }
    }
    #expect(tags.count == 6)
  }

  @Test func `If-Match goes by the whole record, whatever the response shows`() async throws {
    let server = try await Self.server()
    let whole = try #require(await server.send(.get, "/posts/1").headerFields[.eTag])
    let part = try #require(await server.send(.get, "/posts/1?_fields=id").headerFields[.eTag])
    let body: JSONValue = ["title": "c"]
    #expect(await server.send(.patch, "/posts/1?_fields=id", body, fields: [.ifMatch: whole]).status == .ok)
    for target in ["/posts/1", "/posts/1?_fields=id"] {
      let refused = await server.send(.patch, target, body, fields: [.ifMatch: part])
      #expect(refused.status == .preconditionFailed)
      #expect(refused.text.contains("without _fields"))
    }
    let list = try #require(await server.send(.get, "/posts").headerFields[.eTag])
    let all = "/posts?_all=true&_fields=id"
    #expect(await server.send(.patch, all, ["title": "d"], fields: [.ifMatch: list]).status == .ok)
  }

  @Test func `A large list has one tag for its changes, which have none`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 700_000))
    let server = try await Server.load(
      Server.Configuration(source: .value(["posts": [["id": 1, "text": text], ["id": 2, "text": text]]])))
    let tag = try #require(await server.send(.get, "/posts").headerFields[.eTag])
    let part = try #require(await server.send(.get, "/posts?_fields=text").headerFields[.eTag])
    let target = "/posts?_all=true&_fields=text"
    let body: JSONValue = ["title": "d"]
    #expect(
      await server.send(.patch, "/posts?_fields=text&_all=true", body, fields: [.ifMatch: part]).status
        == .preconditionFailed)
    let changed = await server.send(.patch, target, body, fields: [.ifMatch: tag])
    #expect(changed.status == .ok)
    #expect(changed.headerFields[.eTag] == nil)
    #expect(
      await server.send(.patch, target, body, fields: [.ifMatch: tag]).status == .preconditionFailed)
  }

  @Test func `The tag of a list lets all of it be changed once`() async throws {
    let server = try await Self.server()
    let tag = try #require(await server.send(.get, "/posts?id=1&id=2").headerFields[.eTag])
    let body: JSONValue = ["title": "c"]
    #expect(await server.send(.patch, "/posts?id=1&id=2", body, fields: [.ifMatch: tag]).status == .ok)
    let second = await server.send(.patch, "/posts?id=1&id=2", body, fields: [.ifMatch: tag])
    #expect(second.status == .preconditionFailed)
  }

  @Test(arguments: ["", "total"])
  func `A name that cannot hold the records is refused`(_ name: String) async throws {
    await #expect(throws: ServerError.self) { try await Self.server(wrap: name) }
  }

  @Test func `More fields than a hundred are refused, before anything is written`() async throws {
    let server = try await Self.server()
    let fields = (0...ResponseShape.maximumFields).map { "f\($0)" }.joined(separator: ",")
    #expect(await server.send(.get, "/posts?_fields=\(fields)").status == .badRequest)
    #expect(await server.send(.post, "/posts?_fields=\(fields)", [:]).status == .badRequest)
    #expect(await server.send(.get, "/posts").headerFields[.xTotalCount] == "2")
  }
}
