import Foundation
import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite struct `A slow server` {
  @Test func `sends and receives bodies at its speed`() async throws {
    let server = try await AdminFixture.server { $0.bytesPerSecond = 100_000 }
    let body = JSONValue.string(String(repeating: "a", count: 5000))
    let start = ContinuousClock.now
    let response = await server.send(.post, "/posts", ["text": body])
    #expect(.now - start >= .milliseconds(50))
    #expect((response.status, response.bytesPerSecond) == (.created, 100_000))
    #expect(await server.send(.get, "/__admin/health").bytesPerSecond == nil)
    #expect(try await server.get("/__admin/requests")[0]?["bytesPerSecond"] == 100_000)
    let settings = await server.send(.patch, "/__admin/settings", ["bytesPerSecond": nil])
    #expect(try settings.json["bytesPerSecond"] == nil)
    #expect(await server.send(.get, "/posts/1").bytesPerSecond == nil)
  }

  @Test func `is slow where a fault says so, and meets further faults`() async throws {
    let server = try await AdminFixture.server()
    let fault: JSONValue = ["path": "/posts/1", "times": 1, "bytesPerSecond": 1_000_000]
    #expect(await server.send(.post, "/__admin/faults", fault).status == .created)
    #expect(try await server.get("/__admin/faults")[0]?["bytesPerSecond"] == 1_000_000)
    try await server.addFault(Fault(.get("/posts/1"), .status(503), times: 1))
    #expect(await server.send(.get, "/posts/2").bytesPerSecond == nil)
    let response = await server.send(.get, "/posts/1")
    #expect((response.status.code, response.bytesPerSecond) == (503, 1_000_000))
    #expect(await server.send(.get, "/posts/1").bytesPerSecond == nil)
  }

  @Test(arguments: [0, -1, 1_000_000_001]) func `has a speed`(_ speed: Int) async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.patch, "/__admin/settings", ["bytesPerSecond": JSONValue(speed)]).status == .badRequest)
    #expect(throws: RequestError.self) { try Rule(Fault(.any("/*"), bytesPerSecond: speed)) }
    await #expect(throws: ServerError.self) { try await AdminFixture.server { $0.bytesPerSecond = speed } }
  }

  @Test func `divides pieces, and takes the time that they take`() async {
    let start = ContinuousClock.now
    let whole = AsyncStream<[UInt8]> { continuation in
      for count in [0, 3, 200] { continuation.yield(Array(repeating: 1, count: count)) }
      continuation.finish()
    }
    var pieces: [[UInt8]] = []
    for await piece in whole.paced(at: 2000) { pieces.append(piece) }
    #expect(.now - start >= .milliseconds(100))
    #expect(pieces.map(\.count) == [3, 100, 100])
  }
}

@Suite struct `A stub with events` {
  static let events: JSONValue = [
    "Hel", ["after": 2, "data": "lo\nyou"], ["id": "2", "data": ["a": 1]], ["event": "done", "id": "3"],
  ]

  private func server() async throws -> Server {
    let server = try await AdminFixture.server()
    let stub: JSONValue = ["request": ["path": "/chat"], "response": ["events": Self.events]]
    #expect(await server.send(.post, "/__admin/stubs", stub).status == .created)
    return server
  }

  @Test func `sends them as they are`() async throws {
    let server = try await server()
    let response = await server.send(.get, "/chat")
    #expect(response.headers[.contentType] == "text/event-stream")
    #expect(
      response.text == """
        data: Hel

        data: lo
        data: you

        id: 2
        data: {"a":1}

        event: done
        id: 3
        data:


        """)
    let listed = try await server.get("/__admin/stubs")[0]?["response"]?["events"]
    #expect(listed?[0] == "Hel")
    #expect(listed?[1] == ["after": 2, "data": "lo\nyou"])
    #expect(listed?[3] == ["event": "done", "id": "3"])
  }

  @Test(arguments: [("2", 200, "event: done\nid: 3\ndata:\n\n"), ("3", 204, "")])
  func `continues after an id`(_ id: String, _ status: Int, _ text: String) async throws {
    let response = try await server().send(.get, "/chat", fields: [.lastEventID: id])
    #expect((response.status.code, response.text) == (status, text))
  }

  @Test func `waits before an event`() async throws {
    let start = ContinuousClock.now
    var pieces: [String] = []
    let list = EventList(["a", ServerSentEvent("b", after: .milliseconds(20))])
    for await piece in list.pieces { pieces.append(String(decoding: piece, as: UTF8.self)) }
    #expect(.now - start >= .milliseconds(20))
    #expect(pieces == ["data: a\n\n", "data: b\n\n"])
  }

  @Test func `may be cut, and comes from Swift`() async throws {
    let server = try await AdminFixture.server {
      $0.stubs = [Stub(.get("/chat"), .events(["Hel", ServerSentEvent("lo", id: "1", after: .milliseconds(1))]))]
    }
    #expect(
      try await server.get("/__admin/stubs")[0]?["response"]
        == [
          "status": 200, "headers": ["Content-Type": "text/event-stream"],
          "events": ["Hel", ["after": 1, "id": "1", "data": "lo"]],
        ])
    try await server.addFault(Fault(.get("/chat"), .truncated, times: 1))
    let response = await server.send(.get, "/chat")
    #expect(response.delivery == .truncated(after: response.bytes.count / 2))
  }

  @Test(
    arguments: [
      1, [1], [["text": "a"]], [["id": "a\nb"]], [["event": "a\rb"]], [["after": -1]], [["after": 600_001]],
    ] as [JSONValue])
  func `has valid events`(_ events: JSONValue) async throws {
    let server = try await AdminFixture.server()
    let stub: JSONValue = ["request": ["path": "/chat"], "response": ["events": events]]
    #expect(await server.send(.post, "/__admin/stubs", stub).status == .badRequest)
    let both: JSONValue = ["request": ["path": "/chat"], "response": ["events": ["a"], "body": 1]]
    #expect(await server.send(.post, "/__admin/stubs", both).status == .badRequest)
  }
}

@Suite struct `The time that a test sets` {
  private static let start = Date(timeIntervalSince1970: 1_900_000_000)

  @Test func `is that of filled members and of Date, in each session its own`() async throws {
    let server = try await AdminFixture.server {
      $0.now = Self.start
      $0.hasSessions = true
      $0.fills = [Fill("createdAt", with: .now)]
    }
    let created = await server.send(.post, "/posts", [:])
    #expect(try created.json["createdAt"]?.string?.hasPrefix("2030-03-17T17:") == true)
    #expect(created.headers[.date]?.hasPrefix("Sun, 17 Mar 2030 17:") == true)
    let session = server.session("a")
    let settings = await session.send(.patch, "/__admin/settings", ["now": "2040-01-02T03:04:05+01:00"])
    #expect(try settings.json["now"]?.string?.hasPrefix("2040-01-02T02:04:0") == true)
    await session.send(.patch, "/__admin/settings", ["delay": 1])
    #expect(try await session.send(.post, "/posts", [:]).json["createdAt"]?.string?.hasPrefix("2040-01-02T02:") == true)
    #expect(try await server.send(.put, "/posts/1", [:]).json["createdAt"]?.string?.hasPrefix("2030-03-17T17:") == true)
    await server.send(.patch, "/__admin/settings", ["now": nil])
    #expect(await server.send(.get, "/posts").headers[.date] == nil)
    #expect(await server.send(.patch, "/__admin/settings", ["now": "tomorrow"]).status == .badRequest)
  }

  @Test func `ends tokens`() async throws {
    let server = try await AdminFixture.server(["users": []]) {
      $0.signIn = Server.SignIn()
    }
    let user: JSONValue = ["email": "a@b.example", "password": "secret"]
    let token = try #require(try await server.send(.post, "/register", user).json["accessToken"]?.string)
    let headers: HTTPFields = [.authorization: "Bearer \(token)"]
    #expect(await server.send(.get, "/users/1", fields: headers).status == .ok)
    await server.send(.patch, "/__admin/settings", ["now": "2100-01-01T00:00:00Z"])
    #expect(await server.send(.get, "/users/1", fields: headers).status == .unauthorized)
    await server.send(.patch, "/__admin/settings", ["now": nil])
    #expect(await server.send(.get, "/users/1", fields: headers).status == .ok)
  }
}
