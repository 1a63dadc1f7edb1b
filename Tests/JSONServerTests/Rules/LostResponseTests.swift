import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite struct `A lost response` {
  @Test func `is that of a request which was carried out`() async throws {
    let server = try await AdminFixture.server()
    let fault: JSONValue = ["method": "DELETE", "action": "lose", "times": 1]
    #expect(await server.send(.post, "/__admin/faults", fault).status == .created)
    #expect(try await server.get("/__admin/faults") == [["id": 1, "method": "DELETE", "times": 1, "action": "lose"]])
    let response = await server.send(.delete, "/posts/1")
    #expect(response.delivery == .lost)
    #expect(try await server.get("/posts") == [["id": 2, "title": "b"]])
    #expect(await server.send(.delete, "/posts/1").delivery == .normal)
  }

  @Test func `uses up that of a stub, and meets further faults`() async throws {
    let server = try await AdminFixture.server {
      $0.stubs = [Stub(.post("/buy"), inOrder: [.status(201), .status(202), .status(203)])]
    }
    try await server.addFault(Fault(.any("/buy"), .lost, times: 2))
    let first = await server.send(.post, "/buy")
    #expect((first.status.code, first.delivery) == (201, .lost))
    try await server.addFault(Fault(.any("/buy"), .status(503), times: 1))
    let second = await server.send(.post, "/buy")
    #expect((second.status.code, second.delivery) == (503, .lost))
    #expect(await server.send(.post, "/buy").status.code == 202)
  }

  @Test(arguments: [["status": 503], ["body": 1], ["retryAfter": 3]] as [JSONObject])
  func `is that of the data, and no other`(_ members: JSONObject) async throws {
    let server = try await AdminFixture.server()
    var fault = members
    fault["action"] = "lose"
    #expect(await server.send(.post, "/__admin/faults", .object(fault)).status == .badRequest)
    #expect(throws: RequestError.self) { try Rule(Stub(.any("/buy"), .lost)) }
  }

  @Test func `passes through middleware`() async throws {
    struct Plain: Middleware {
      func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
        try await next(request)
      }
    }
    let server = try await AdminFixture.server { $0.middleware = [Plain()] }
    try await server.addFault(Fault(.any("/posts"), .lost, times: 1))
    #expect(await server.send(.post, "/posts", [:]).delivery == .lost)
    #expect(try await server.get("/posts").array?.count == 3)
  }
}
