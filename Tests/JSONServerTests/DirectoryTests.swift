import Foundation
import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// A directory of files, each of which is a resource.
@Suite struct DirectoryTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(#"[{"id":1,"userId":1}]"#, to: "data/posts.json")
    try directory.write(#"[{"id":1}]"#, to: "data/users.json")
    try directory.write(#"{"name":"ada"}"#, to: "data/profile.json")
  }

  private func server(
    _ adjust: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> (server: Server, events: AsyncStream<ServerEvent>) {
    let (events, tell) = AsyncStream.makeStream(of: ServerEvent.self)
    var configuration = Server.Configuration(source: .directory(directory.path + "/data"))
    configuration.watching = .notifications
    configuration.onEvent = { tell.yield($0) }
    adjust(&configuration)
    return (try await Server.load(configuration), events)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(directory.path)/data/\(name)", encoding: .utf8)
  }

  /// Waits until the files were read anew.
  private func reload(_ events: AsyncStream<ServerEvent>) async -> [String]? {
    for await event in events {
      if case .reloaded(let resources) = event { return resources }
    }
    return nil
  }

  @Test func `Each file is a resource, and a write changes the files of its resources only`() async throws {
    let (server, _) = try await server()
    #expect(try await server.get("/users/1?_embed=posts") == ["id": 1, "posts": [["id": 1, "userId": 1]]])
    #expect(await server.send(.post, "/posts", ["title": "new"]).status == .created)
    #expect(await server.send(.patch, "/profile", ["age": 36]).status == .ok)
    #expect(try text("posts.json") == #"[{"id":1,"userId":1},{"title":"new","id":2}]"#)
    #expect(try text("profile.json") == #"{"name":"ada","age":36}"#)
    #expect(try text("users.json") == #"[{"id":1}]"#)
    #expect(await server.send(.delete, "/users/1").status == .ok)
    #expect(try text("users.json") == "[]")
    #expect(try text("posts.json") == #"[{"title":"new","id":2}]"#)
    await server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `An edited file is read anew, the others stay as they are`() async throws {
    let (server, events) = try await server()
    await server.send(.patch, "/posts/1", ["title": "patched"])
    try directory.write(#"[{"id":7}]"#, to: "data/users.json")
    #expect(await reload(events) == ["posts", "profile", "users"])
    #expect(try await server.get("/users") == [["id": 7]])
    #expect(try await server.get("/posts/1")["title"] == "patched")
    await server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `A file that comes is served, and written to`() async throws {
    let (server, events) = try await server()
    #expect(await server.send(.get, "/tags").status == .notFound)
    try directory.write(#"[{"id":1,"postId":1}]"#, to: "data/tags.json")
    #expect(await reload(events) == ["posts", "profile", "users", "tags"])
    #expect(await server.send(.post, "/posts/1/tags", [:]).status == .created)
    #expect(try text("tags.json") == #"[{"id":1,"postId":1},{"postId":1,"id":2}]"#)
    await server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `A file that comes and is no JSON is told once it stays so`() async throws {
    let (server, events) = try await server()
    try directory.write(#"[{"id":"#, to: "data/tags.json")
    for await event in events {
      guard case .invalid(let message) = event else { continue }
      #expect(message.contains("tags.json:1:8"))
      break
    }
    #expect(await server.send(.get, "/posts").status == .ok)
    try directory.write("[]", to: "data/tags.json")
    #expect(await reload(events)?.contains("tags") == true)
    await server.stop()
  }

  @Test func `A resource that comes gets a file, and one that goes leaves it`() async throws {
    let (server, _) = try await server { $0.hasResetRoutes = true }
    #expect(await server.send(.post, "/merge", ["tags": [["id": 1]], "users": [["id": 2]]]).status == .ok)
    #expect(try text("tags.json").contains(#""id""#))
    #expect(await server.send(.post, "/tags", [:]).status == .created)
    #expect(await server.send(.post, "/__admin/reset").status == .ok)
    #expect(try text("users.json") == #"[{"id":1}]"#)
    #expect(await server.send(.get, "/tags").status == .notFound)
    #expect(await server.send(.post, "/posts", [:]).status == .created)
    await server.stop()
  }
}
