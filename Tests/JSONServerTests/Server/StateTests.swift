import Foundation
import HTTPTypes
import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer
@testable import JSONStorage

@Suite struct `The state` {
  @Test func `is reset over HTTP`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.delete, "/posts/1")
    await server.send(.put, "/profile", ["name": "x"])
    let answer = await server.send(.post, "/__admin/reset")
    #expect(answer.status == .ok)
    #expect(try answer.json == ["reset": true])
    #expect(await server.value == AdminFixture.posts)
  }

  @Test func `is reset from Swift, again and again`() async throws {
    let server = try await AdminFixture.server()
    for _ in 1...2 {
      await server.send(.post, "/posts", ["title": "c"])
      #expect(try await server.get("/posts").array?.last?["id"] == 3)
      try await server.reset()
      #expect(await server.value == AdminFixture.posts)
    }
  }

  @Test func `is kept and restored by name`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.patch, "/posts/1", ["title": "x"])
    let saved = await server.send(.post, "/__admin/snapshots", ["name": "before login"])
    #expect(saved.status == .created)
    #expect(try saved.json == ["name": "before login"])
    await server.send(.delete, "/posts/1")
    #expect(try await server.send(.post, "/__admin/snapshots/before%20login").json == ["restored": "before login"])
    #expect(try await server.get("/posts/1")["title"] == "x")
    #expect(try await server.get("/__admin/snapshots")[0]?.object?.names == ["name", "time"])
    #expect(await server.snapshots == ["before login"])
    #expect(await server.send(.delete, "/__admin/snapshots/before%20login").status == .ok)
    #expect(await server.snapshots.isEmpty)
    #expect(await server.send(.post, "/__admin/snapshots/before%20login").status == .notFound)
    #expect(await server.send(.delete, "/__admin/snapshots/before%20login").status == .notFound)
  }

  @Test func `is kept by a name of its own when none is given`() async throws {
    let server = try await AdminFixture.server()
    await server.saveSnapshot("snapshot-1")
    #expect(try await server.send(.post, "/__admin/snapshots").json == ["name": "snapshot-2"])
    await server.saveSnapshot("snapshot-1")
    #expect(await server.snapshots == ["snapshot-2", "snapshot-1"])
    await server.deleteSnapshot("snapshot-2")
    #expect(await server.snapshots == ["snapshot-1"])
  }

  @Test func `is not restored from a snapshot that does not exist`() async throws {
    let server = try await AdminFixture.server()
    let error = await #expect(throws: ServerError.self) { try await server.restoreSnapshot("x") }
    #expect(error?.code == .unknownSnapshot)
    #expect(error?.message.contains("'x'") == true)
  }

  @Test func `stays when the server is read-only`() async throws {
    let server = try await AdminFixture.server { $0.isReadOnly = true }
    #expect(await server.send(.post, "/__admin/reset").status == .forbidden)
    let error = await #expect(throws: ServerError.self) { try await server.reset() }
    #expect(error?.code == .notSaved)
  }

  @Test(
    arguments: [
      ([:], "(Server.Configuration.isReadOnly,"),
      (["Server.Configuration.isReadOnly": "--read-only", "Server.Configuration": "the options"], "(--read-only,"),
    ] as [([String: String], String)])
  func `is kept with a message that names the setting as the person who started the server knows it`(
    _ spellings: [String: String], _ name: String
  ) async throws {
    let server = try await AdminFixture.server {
      $0.isReadOnly = true
      $0.spellings = spellings
    }
    #expect(await server.send(.post, "/__admin/reset").text.contains(name))
    #expect(await server.journal.allSatisfy { $0.refusal?.contains(name) == true })
  }

  @Test func `is in no snapshot as long as it may be taken back`() async throws {
    for durability in [Server.Configuration.Durability.full, .fast] {
      let server = try EngineFixture(
        AdminFixture.posts, commits: [.failed(StorageError(.noSpace, "Full."))],
        configure: { $0.durability = durability })
      let answers = await server.send(.delete, "/posts/1", meanwhile: (.post, "/__admin/snapshots"))
      #expect(answers.map(\.status.code).sorted() == [201, 507])
      #expect(await server.send(.post, "/__admin/snapshots/snapshot-1").status == .ok)
      #expect(await server.value == AdminFixture.posts)
    }
  }

  @Test func `stays when it cannot be saved`() async throws {
    let server = try EngineFixture(AdminFixture.posts, commits: [.done, .failed(StorageError(.noSpace, "Full."))])
    _ = await server.send(.delete, "/posts/1")
    let before = await server.value
    #expect(await server.send(.post, "/__admin/reset").status.code == 507)
    #expect(await server.value == before)
  }

  @Test func `stays when the file is not valid, which the response says in whole sentences`() async throws {
    let parser = SourceParser(schema: Schema(), ids: IDGenerator { "" })
    let error = StorageError(
      invalid: "/home/ada/db.json",
      cause: try #require(throws: SourceFault.self) { try parser.parse(UTF8Slice("{"), name: "/home/ada/db.json") })
    let server = try EngineFixture(AdminFixture.posts, commits: [.failed(error)])
    let answer = await server.send(.delete, "/posts/1")
    #expect(answer.status == .serviceUnavailable)
    let message =
      "db.json is broken at line 1, column 2: expected a member name in quotes, but the text ends. "
      + "Correct the file and repeat the request. Nothing was changed."
    #expect(try answer.json["message"]?.string == message)
  }

  @Test func `is shown to readers though edits keep a write from being saved`() async throws {
    let edited = try EngineFixture.source(AdminFixture.posts, generation: 1)
    let edits = [CommitResult](repeating: .moved(to: edited), count: 3)
    let server = try EngineFixture(AdminFixture.posts, commits: edits)
    let answers = await server.send(.delete, "/posts/1", meanwhile: (.get, "/posts/1"))
    #expect(Set(answers.map(\.status)) == [.serviceUnavailable, .ok])
  }

  @Test func `is reset again on top of an edit that came meanwhile`() async throws {
    let edited = try EngineFixture.source(["authors": [["id": 1]]], generation: 1)
    let server = try EngineFixture(AdminFixture.posts, commits: [.moved(to: edited), .done, .moved(to: edited), .done])
    #expect(await server.send(.post, "/__admin/snapshots").status == .created)
    #expect(await server.send(.post, "/__admin/snapshots/snapshot-1").status == .ok)
    #expect(await server.value == AdminFixture.posts)
    #expect(await server.send(.post, "/__admin/reset").status == .ok)
    #expect(await server.value == ["authors": [["id": 1]]])
  }

  @Test func `is reset to the file as it was last read from outside`() async throws {
    let server = try EngineFixture(AdminFixture.posts)
    for generation in 1...2 {
      let edited: JSONValue = ["posts": [["id": .number(JSONNumber(generation * 10))]]]
      try await server.edit(edited, generation: generation)
      #expect(await server.send(.post, "/posts").status == .created)
      #expect(await server.send(.post, "/__admin/reset").status == .ok)
      #expect(await server.value == edited)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `is reset while a record that the start lacks is being saved`() async throws {
    let server = try EngineFixture(AdminFixture.posts)
    let answers = await server.send(.post, "/posts", meanwhile: (.post, "/__admin/reset"))
    #expect(answers.map(\.status) == [.created, .ok])
    #expect(await server.value == AdminFixture.posts)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func `may be edited back to the start without a warning once it was reset`(_ isReset: Bool) async throws {
    let (warnings, warn) = AsyncStream.makeStream(of: String.self)
    let server = try EngineFixture(AdminFixture.posts) { event in
      switch event {
      case .warning(let message): warn.yield(message)
      // A warning comes before the edit is served.
      case .reloaded: warn.finish()
      default: break
      }
    }
    _ = await server.send(.delete, "/posts/1")
    if isReset { _ = await server.send(.post, "/__admin/reset") }
    try await server.edit(AdminFixture.posts, generation: 1)
    let isReverted = await warnings.contains { $0.contains("changed /comments/1, /posts/1") }
    #expect(isReverted != isReset)
  }

  @Test func `takes an edit that comes during a commit when that ends`() async throws {
    let server = try EngineFixture(AdminFixture.posts)
    let edited = try EngineFixture.source(["authors": [["id": 1]]], generation: 1)
    #expect(await server.send(.delete, "/posts/1", beforeEdit: edited).status == .ok)
    #expect(await server.value == ["authors": [["id": 1]]])
  }

  @Test func `is in the file when a reset is responded to`() async throws {
    let directory = try TemporaryDirectory()
    let server = try await AdminFixture.server()
    try await server.writeSnapshot(to: directory.path("db.json"))
    let file = try await Server.load(Server.Configuration(source: .file(directory.path("db.json"))))
    let start = directory.text("db.json")
    await file.send(.delete, "/posts/1")
    #expect(directory.text("db.json") != start)
    try await file.reset()
    #expect(directory.text("db.json") == start)
    let copy = directory.path("copy.json")
    #expect(try await file.writeSnapshot(to: copy) == copy)
    #expect(directory.text("copy.json") == start)
    await file.stop()
  }

  @Test func `of memory is written over a file that keeps its mode, and behind a link`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("old", to: "db.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.path("db.json"))
    try directory.link("link.json", to: "db.json")
    let server = try await AdminFixture.server()
    #expect(try await server.writeSnapshot(to: directory.path("link.json")) == directory.path("db.json"))
    #expect(directory.text("db.json")?.contains("posts") == true)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("db.json"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(directory.names == ["db.json", "link.json"])
    let error = await #expect(throws: ServerError.self) {
      try await server.writeSnapshot(to: directory.path("missing/db.json"))
    }
    #expect(error?.code == .notSaved)
  }

  @Test func `is replaced and merged as json-server-reset does`() async throws {
    let server = try await AdminFixture.server { $0.hasResetRoutes = true }
    let merged = await server.send(
      .post, "/merge",
      ["posts": [["id": 2, "title": "x"], ["id": 9]], "profile": ["age": 3], "tags": [["id": 1]]])
    #expect(merged.status == .ok)
    #expect(merged.text == "OK")
    #expect(
      await server.value == [
        "posts": [["id": 1, "title": "a"], ["id": 2, "title": "x"], ["id": 9]],
        "comments": [["id": 1, "postId": 1]],
        "profile": ["name": "typicode", "age": 3],
        "tags": [["id": 1]],
      ])
    #expect(await server.send(.post, "/reset", ["tags": []]).status == .ok)
    #expect(await server.value == ["tags": []])
    #expect(await server.send(.post, "/reset", ["tags": 1]).status == .badRequest)
    #expect(await server.send(.post, "/reset").text.contains("The body is empty"))
    #expect(await server.send(.post, "/merge", ["tags": [1]]).status == .badRequest)
    #expect(await server.value == ["tags": []])
  }

  @Test func `is not replaced over routes that were not asked for`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.post, "/reset", [:]).status == .notFound)
    #expect(await server.send(.post, "/merge", [:]).status == .notFound)
  }
}
