#if PostgreSQL
  import HTTPTypes
  import NIOConcurrencyHelpers
  import JSONServerValues
  import JSONStorage
  import TestSupport
  import Testing

  @testable import JSONServer
  @testable import PostgreSQLStorage

  extension DatabaseSharingTests {
    /// Servers whose data other servers write, too.
    @Suite struct `Servers of one database` {
      private static let posts = "INSERT INTO record (resource, body) VALUES"

      @Test func `show at once what the other has acknowledged`() async throws {
        try await DatabaseFixture.run { _, one, other in
          #expect(await other.send(.get, "/posts/2").status == .notFound)
          #expect(await one.send(.post, "/posts").status == .created)
          #expect(await other.send(.get, "/posts/2").status == .ok)
          #expect(await other.send(.delete, "/posts/1").status == .ok)
          #expect(await one.send(.get, "/posts/1").status == .notFound)
        }
      }

      @Test func `carry out a write again that met another's, then wait for their turn until none comes between`()
        async throws
      {
        try await DatabaseFixture.run { shared, server, _ in
          for (id, isInTurn) in [(2, false), (4, true)] {
            let added = try await shared.add(
              to: server, after: #"\#(Self.posts) (0, '{"id": \#(id)}')"#, isInTurn: isInTurn)
            #expect(try added.json["id"] == JSONValue(id + 1))
          }
          for _ in 0..<8 { #expect(await server.send(.post, "/posts").status == .created) }
          _ = try await shared.add(to: server, after: "SELECT", isInTurn: false)
          #expect(try await server.send(.get, "/posts").json.array?.count == 14)
        }
      }

      @Test func `carry out a write as often as it is taken back`() async throws {
        try await DatabaseFixture.run { shared, server, _ in
          // The commit's connection is lost, and the server makes sure that the commit cannot succeed late.
          try shared.sql.run(
            """
            CREATE SEQUENCE attempt;
            CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              IF nextval('json_server.attempt') <= 5 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
              RETURN new;
            END $$;
            CREATE TRIGGER lose BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION lose()
            """)
          #expect(await server.send(.post, "/posts").status == .created)
          #expect(try await server.send(.get, "/posts").json == [["id": 1], ["id": 2]])
          #expect(try shared.sql.run("SELECT last_value FROM attempt", []).integer(0, 0) == 6)
        }
      }

      @Test func `begin a large write again in turn when another comes between, and serve reads meanwhile`()
        async throws
      {
        let records = (1...3_000).map { number -> JSONValue in ["id": JSONValue(number), "by": "nobody"] }
        try await DatabaseFixture.run(["posts": .array(records)]) { shared, server, _ in
          let gate = WorkerGate()
          async let changed = server.send(.patch, "/posts?_all=true", ["by": "server"])
          try await wait { await server.engine.isChangingMuch }
          try shared.sql.run(#"UPDATE record SET body = '{"id": 7, "by": "other"}' WHERE slot = 6"#)
          #expect(try await server.send(.get, "/posts/7").json["by"] == "other")
          try await wait { try !shared.isTurnFree() }
          gate.open()
          #expect(await changed.status == .ok)
          #expect(try await server.send(.get, "/posts/7").json["by"] == "server")
        }
      }

      @Test func `refuse what waits for its turn when the database goes away`() async throws {
        try await DatabaseFixture.run { shared, server, _ in
          let added = try await shared.add(to: server, after: #"\#(Self.posts) (0, '{"id": 2}')"#, isInTurn: false)
          #expect(try added.json["id"] == 3)
          try shared.sql.run("BEGIN; SELECT FROM state FOR UPDATE")
          async let refused = server.send(.post, "/posts")
          #expect(try await shared.awaitLock())
          try await shared.goAway()
          #expect(await refused.status == .serviceUnavailable)
          try shared.sql.run("COMMIT")
          try await shared.comeBack()
          #expect(try await server.send(.post, "/posts").json["id"] == 4)
        }
      }

      @Test func `put back what they deleted, until another has written`() async throws {
        try await DatabaseFixture.run(["posts": [["id": 1], ["id": 2]]]) { _, one, other async throws in
          let deletion: JSONValue = ["resource": "posts", "ids": [1]]
          #expect(try await one.send(.post, "/__admin/deletions", deletion).json["undo"] == 1)
          #expect(await one.send(.post, "/__admin/undo/1").status == .ok)
          #expect(await other.send(.get, "/posts/1").status == .ok)
          #expect(try await one.send(.post, "/__admin/deletions", deletion).json["undo"] == 2)
          #expect(await other.send(.post, "/posts").status == .created)
          // By now the first server knows of that.
          #expect(await one.send(.get, "/posts/1").status == .notFound)
          #expect(await one.send(.post, "/__admin/undo/2").status == .notFound)
          #expect(await other.send(.post, "/__admin/undo/1").status == .notFound)
        }
      }

      @Test func `give large bodies another validator when another has written`() async throws {
        let text = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let start: JSONValue = ["posts": [["id": 1, "text": text], ["id": 2, "text": text]]]
        try await DatabaseFixture.run(start) { _, one, other in
          let first = await one.send(.get, "/posts").headerFields[.eTag]
          #expect(first != nil)
          #expect(await one.send(.get, "/posts").headerFields[.eTag] == first)
          #expect(await other.send(.delete, "/posts/2").status == .ok)
          let second = await one.send(.get, "/posts").headerFields[.eTag]
          #expect(second != nil)
          #expect(second != first)
        }
      }

      @Test func `show nothing before it is committed, whatever it is to survive`() async throws {
        try await DatabaseFixture.run(configure: { $0.durability = .fast }) { shared, server, _ in
          try shared.sql.run("ALTER TABLE record ADD CHECK (body::text NOT LIKE '%new%')")
          try shared.sql.run("BEGIN; SELECT FROM state FOR UPDATE")
          async let written = server.send(.put, "/posts/1", ["title": "new"])
          try await shared.awaitLock()
          let read = try await shared.read("/posts/1", from: server)
          try shared.sql.run("COMMIT")
          #expect(await written.status == .serviceUnavailable)
          #expect(try await read.value.json == ["id": 1])
        }
      }

      @Test func `show the saved version while a write waits for somebody's transaction`() async throws {
        try await DatabaseFixture.run { shared, server, _ in
          let local = try await shared.server { $0.reads = .local }
          try shared.sql.run("BEGIN; SELECT FROM state FOR UPDATE")
          async let first = server.send(.put, "/posts/1", ["title": "new"])
          async let second = local.send(.put, "/posts/1", ["title": "newer"])
          try await shared.awaitLock()
          for server in [server, local] {
            #expect(try await server.send(.get, "/posts/1").json == ["id": 1])
            #expect(await server.send(.get, "/__admin/health").status == .ok)
          }
          try shared.sql.run("COMMIT")
          #expect(await first.status == .ok)
          #expect(await second.status == .ok)
        }
      }

      @Test func `go on when people try what would end all writes or take all memory`() async throws {
        try await DatabaseFixture.run { shared, server, _ in
          for statement in [
            "INSERT INTO change (version) VALUES (9223372036854775807)",
            #"INSERT INTO record (resource, slot, body) VALUES (0, 9999990, '{"id": 2}')"#,
          ] {
            #expect(throws: StorageError.self) { try shared.sql.run(statement) }
          }
          #expect(await server.send(.post, "/posts").status == .created)
        }
      }

      @Test func `go on with a database that lacks what they have seen`() async throws {
        try await DatabaseFixture.run { shared, one, other in
          let fault: JSONValue = ["path": "/posts/1", "status": 500]
          #expect(await one.send(.post, "/__admin/faults", fault).status == .created)
          #expect(await other.send(.get, "/posts/1").status == .internalServerError)
          let standby: JSONValue = ["posts": [["id": 1]]]
          try await Server.importDatabase(
            standby.utf8Text(), name: "standby.json", to: "\(shared.url)?schema=standby")
          try shared.sql.run("BEGIN; LOCK TABLE record IN EXCLUSIVE MODE")
          async let written = one.send(.post, "/posts")
          try await shared.awaitLock()
          // The read waits for a version that will not come.
          try shared.connect().run(
            """
            INSERT INTO change (version) SELECT generate_series(max(version) + 1, max(version) + 3) FROM change
            """)
          let read = try await shared.read("/posts/7", from: one)
          try await shared.goAway()
          try shared.sql.run(
            "ALTER SCHEMA json_server RENAME TO failed; ALTER SCHEMA standby RENAME TO json_server; COMMIT")
          try await shared.comeBack()
          #expect(try await written.json["id"] == 2)
          // Reads are refused until the connection for reads is there, too.
          #expect([.notFound, .serviceUnavailable].contains(await read.value.status))
          for server in [one, other] {
            #expect(try await server.send(.get, "/posts").json == [["id": 1], ["id": 2]])
            #expect(await server.send(.get, "/posts/1").status == .ok)
            #expect(await server.send(.post, "/__admin/faults", fault).status == .created)
            #expect(await server.send(.get, "/posts/1").status == .internalServerError)
            #expect(await server.send(.delete, "/__admin/faults").status == .ok)
            #expect(await server.send(.get, "/posts/1").status == .ok)
          }
        }
      }

      @Test func `replace all data although others write all the time`() async throws {
        let text = String(repeating: "x", count: 50)
        let posts = (1...3_000).map { number -> JSONValue in ["id": JSONValue(number), "text": .string(text)] }
        try await DatabaseFixture.run(configure: { $0.hasResetRoutes = true }) { shared, server, other in
          let isDone = NIOLockedValueBox(false)
          async let replaced = {
            defer { isDone.withLockedValue { $0 = true } }
            return await server.send(.post, "/reset", ["posts": .array(posts)]).status
          }()
          try await wait {
            try shared.sql.run(#"UPDATE record SET body = '{"id": 1, "title": "new"}' WHERE slot = 0"#)
            return isDone.withLockedValue(\.self)
          }
          #expect(await replaced == .ok)
          for server in [server, other] {
            #expect(try await server.send(.get, "/posts/3000").json == posts.last)
          }
        }
      }

      @Test func `have a resource read again of which others changed much`() async throws {
        try await DatabaseFixture.run(["posts": [["id": 1]], "tags": []]) { shared, server, _ in
          await server.engine.subscribe(1)
          try shared.sql.run(
            """
            INSERT INTO record (resource, body) SELECT 0, json_build_object('id', n) FROM generate_series(2, 200) AS n;
            \(Self.posts) (1, '{"id": 7}')
            """)
          #expect(await server.send(.get, "/posts/200").status == .ok)
          let events = await server.engine.events(of: 1)
          #expect(events.ranges(of: "event: change").count == 2)
          #expect(events.contains("reloaded") && events.contains("tags") && events.contains("7"))
        }
      }

      @Test func `refuse with 503 while the database is away, but for what needs nobody else`() async throws {
        try await DatabaseFixture.run { shared, server, _ in
          let local = try await shared.server { $0.reads = .local }
          try await shared.goAway()
          for (method, target) in [(HTTPRequest.Method.get, "/posts"), (.post, "/posts"), (.delete, "/posts/1")] {
            let refused = await server.send(method, target)
            #expect(refused.status == .serviceUnavailable)
            #expect(try refused.json["message"]?.string?.contains(shared.url) == true)
          }
          #expect(await local.send(.get, "/posts/1").status == .ok)
          let health = await server.send(.get, "/__admin/health")
          #expect(health.status == .serviceUnavailable)
          #expect(try health.json["database"]?["reached"] == false)
          try await shared.comeBack()
          #expect(await server.send(.get, "/posts/1").status == .ok)
          #expect(await server.send(.get, "/posts/2").status == .notFound)
        }
      }
    }
  }

  extension Engine {
    func subscribe(_ number: Int) { events.add(number, EventFilter(), lastEventID: nil) }

    /// The text of what has happened.
    func events(of number: Int) -> String {
      var text: [UInt8] = []
      while let piece = events.nextPiece(for: number, resources: []) { text += piece }
      return String(decoding: text, as: UTF8.self)
    }
  }
#endif
