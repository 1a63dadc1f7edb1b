#if PostgreSQL
  import HTTPTypes
  import JSONDatabase
  import JSONServerValues
  import Testing

  @testable import JSONServer

  extension DatabaseSharingTests {
    /// Servers of one database, and what they share besides the data.
    @Suite struct `Servers that share` {
      private static let stub: JSONValue = ["request": ["path": "/job"], "response": ["status": 203]]

      private func statuses(_ count: Int, _ servers: [Server], _ target: String = "/posts") async -> [Int] {
        var statuses: [Int] = []
        for number in 0..<count {
          statuses.append(await servers[number % servers.count].send(.get, target).status.code)
        }
        return statuses
      }

      @Test func `a fault meet it at once, and count it together`() async throws {
        try await DatabaseFixture.run { _, one, other in
          let fault: JSONValue = ["path": "/posts", "status": 503, "times": 3]
          let added = try await one.send(.post, "/__admin/faults", fault).json
          #expect(added == ["id": 1, "path": "/posts", "times": 3, "status": 503])
          #expect(await statuses(6, [other, one]) == [503, 503, 503, 200, 200, 200])
          #expect(try await other.send(.get, "/__admin/faults").json == [])
        }
      }

      @Test func `faults list how many requests they are still for, wherever they were met`() async throws {
        try await DatabaseFixture.run { _, one, other async throws in
          await one.send(.post, "/__admin/faults", ["status": 503, "times": 3])
          _ = await statuses(2, [other])
          #expect(try await one.send(.get, "/__admin/faults").json == [["id": 1, "times": 1, "status": 503]])
          #expect(await other.send(.delete, "/__admin/faults/1").status == .ok)
          #expect(await other.send(.delete, "/__admin/faults/1").status == .notFound)
          #expect(await statuses(1, [one]) == [200])
        }
      }

      @Test func `a fault meet the next one when another server has used it up`() async throws {
        try await DatabaseFixture.run { _, one, other in
          for status: JSONValue in [502, 503] {
            await one.send(.post, "/__admin/faults", ["status": status, "times": 1])
          }
          #expect(await statuses(3, [one, other]) == [502, 503, 200])
        }
      }

      @Test func `a stub respond in turn`() async throws {
        try await DatabaseFixture.run { _, one, other in
          let stub: JSONValue = [
            "request": ["path": "/job"], "responses": [["status": 201], ["status": 202], ["status": 203]],
          ]
          #expect(await one.send(.post, "/__admin/stubs", stub).status == .created)
          #expect(await statuses(5, [one, other], "/job") == [201, 202, 203, 203, 203])
          #expect(await other.send(.delete, "/__admin/stubs").status == .ok)
          #expect(await statuses(1, [one], "/job") == [404])
        }
      }

      @Test func `stubs put them before their own, which make room for their ids`() async throws {
        try await DatabaseFixture.run { shared, one, _ in
          let other = try await shared.server {
            $0.stubs = [Stub(.get("/own"), .status(200)), Stub(.get("/job"), .status(.accepted))]
          }
          #expect(try await one.send(.post, "/__admin/stubs", Self.stub).json["id"] == 1)
          #expect(await statuses(2, [one, other], "/job") == [203, 203])
          #expect(await statuses(2, [one, other], "/own") == [404, 200])
          let ids = try await other.send(.get, "/__admin/stubs").json.array?.compactMap { $0["id"] }
          #expect(ids == [1, 3, 2])
          #expect(await other.send(.delete, "/__admin/stubs/3").status == .ok)
          #expect(await statuses(1, [other], "/own") == [404])
          #expect(try await other.send(.post, "/__admin/stubs", Self.stub).json["id"] == 4)
        }
      }

      @Test func `settings change them for all, but stay read-only where they were started so`() async throws {
        try await DatabaseFixture.run { shared, one, other in
          let closed = try await shared.server { $0.isReadOnly = true }
          #expect(try await one.send(.patch, "/__admin/settings", ["readOnly": true]).json["readOnly"] == true)
          #expect(await other.send(.post, "/posts").status == .forbidden)
          #expect(await closed.send(.patch, "/__admin/settings", ["readOnly": false]).status == .forbidden)
          #expect(await other.send(.patch, "/__admin/settings", ["readOnly": false, "delay": 0]).status == .ok)
          #expect(await one.send(.post, "/posts").status == .created)
          #expect(await closed.send(.post, "/posts").status == .forbidden)
        }
      }

      @Test func `a database refuse what has to be counted while it is away`() async throws {
        try await DatabaseFixture.run(configure: { $0.reads = .local }) { shared, server, _ in
          await server.send(.post, "/__admin/faults", ["path": "/posts", "status": 429, "times": 1])
          await server.send(.post, "/__admin/faults", ["path": "/posts/1", "status": 418])
          try await shared.goAway()
          let refused = await server.send(.get, "/posts")
          #expect(refused.status == .serviceUnavailable)
          #expect(try refused.json["message"]?.string?.contains(shared.url) == true)
          #expect(await server.send(.get, "/posts/1").status.code == 418)
          #expect(await server.send(.post, "/__admin/faults", ["status": 500]).status == .serviceUnavailable)
          try await shared.comeBack()
          #expect(await server.send(.get, "/posts").status.code == 429)
        }
      }

      @Test func `stubs keep all of them when their removal is refused`() async throws {
        try await DatabaseFixture.run(configure: { $0.stubs = [Stub(.get("/own"), .status(200))] }) {
          shared, server, _ in
          #expect(await server.send(.post, "/__admin/stubs", Self.stub).status == .created)
          try await shared.goAway()
          #expect(await server.send(.delete, "/__admin/stubs").status == .serviceUnavailable)
          try await shared.comeBack()
          #expect(await statuses(1, [server], "/job") + statuses(1, [server], "/own") == [203, 200])
          #expect(await server.send(.delete, "/__admin/stubs").status == .ok)
          #expect(await statuses(1, [server], "/job") + statuses(1, [server], "/own") == [404, 404])
        }
      }

      @Test func `rules keep what a deletion removed, so that it can be put back`() async throws {
        try await DatabaseFixture.run { _, one, other in
          await one.send(.post, "/__admin/deletions", ["resource": "posts", "ids": [1]])
          #expect(await other.send(.post, "/__admin/faults", ["path": "/x", "status": 500]).status == .created)
          #expect(await one.send(.get, "/x").status == .internalServerError)
          #expect(await one.send(.post, "/__admin/undo/1").status == .ok)
        }
      }

      @Test func `records keep their slots, however many are deleted`() async throws {
        let records = (1...3_000).map { number -> JSONValue in ["id": JSONValue(number)] }
        try await DatabaseFixture.run(["posts": .array(records)]) { _, one, other async throws in
          let ids = JSONValue.array((1...2_999).map { JSONValue($0) })
          #expect(await one.send(.post, "/__admin/deletions", ["resource": "posts", "ids": ids]).status == .ok)
          #expect(await other.send(.patch, "/posts/3000", ["n": 1]).status == .ok)
          #expect(try await one.send(.get, "/posts").json == [["id": 3000, "n": 1]])
          for server in [one, other] {
            let database = await server.engine.database
            #expect(database.slot(of: "3000", in: "posts") == 2_999)
          }
        }
      }
    }
  }
#endif
