import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

@Suite struct `A strict server` {
  struct Case: Sendable {
    let method: HTTPRequest.Method
    let target: String
    var body: JSONValue?
    let status: Int
    /// What the message has to say.
    var phrase = ""
  }

  static let cases: [Case] = [
    Case(method: .get, target: "/post", status: 400, phrase: "posts"),
    Case(method: .get, target: "/posts/1/2/3", status: 400, phrase: "No route leads to"),
    Case(method: .delete, target: "/posts", status: 400, phrase: "DELETE does not apply to /posts"),
    Case(method: .get, target: "/posts?titel=a", status: 400, phrase: "Did you mean 'title'?"),
    Case(method: .get, target: "/posts?pageSize=2", status: 400, phrase: "'_limit'"),
    Case(method: .get, target: "/posts/1?title=a", status: 400, phrase: "'title' has no effect on a GET"),
    Case(method: .post, target: "/posts?draft=1", body: ["title": "c"], status: 400, phrase: "'draft' has no effect"),
    Case(method: .delete, target: "/posts/1?force=1", status: 400, phrase: "'force'"),
    // What is expected: a missing record is an answer, too.
    Case(method: .get, target: "/posts/9", status: 404),
    Case(method: .get, target: "/posts?title=a&_page=1", status: 200),
    Case(method: .options, target: "/posts", status: 204),
    Case(method: .get, target: "/", status: 200),
    Case(method: .get, target: "/stubbed?whatever=1", status: 299),
    Case(method: .get, target: "/__admin/nothing", status: 404),
  ]

  @Test(arguments: cases)
  func `refuses what nothing responds to or understands, and changes nothing`(_ test: Case) async throws {
    let server = try await AdminFixture.server {
      $0.isStrict = true
      $0.stubs = [Stub(nil, "/stubbed", status: .init(code: 299))]
    }
    let answer = await server.send(test.method, test.target, test.body)
    #expect(answer.status.code == test.status)
    let isUnexpected = test.status == 400
    let entries = try #require(try await server.get("/__admin/requests?unexpected=true").array)
    #expect(entries.count == (isUnexpected ? 1 : 0))
    #expect(await server.unexpectedRequests.map(\.request.target) == (isUnexpected ? [test.target] : []))
    guard isUnexpected else { return }
    #expect(entries[0]["unexpected"] == true)
    #expect(try answer.json["message"]?.string?.contains(test.phrase) == true, "\(answer.text)")
    #expect(await server.value == AdminFixture.posts)
  }

  @Test func `lists its unexpected requests among others, and alone`() async throws {
    let server = try await AdminFixture.server { $0.isStrict = true }
    await server.send(.get, "/posts")
    await server.send(.get, "/nothing")
    #expect(try await server.get("/__admin/requests").array?.map { $0["unexpected"] } == [nil, true])
    #expect(try await server.get("/__admin/requests?unexpected=true").array?.map { $0["path"] } == ["/nothing"])
    #expect(await server.send(.get, "/__admin/requests?unexpected=1").status == .badRequest)
    await server.send(.delete, "/__admin/requests")
    #expect(await server.unexpectedRequests.isEmpty)
  }

  @Test func `is not what a server is by default`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.get, "/nothing").status == .notFound)
    #expect(await server.send(.get, "/posts?titel=a").status == .ok)
    #expect(await server.unexpectedRequests.isEmpty)
  }
}
