import Foundation
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage
import TestSupport
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `A directory of files` {
  @Test func `is served as one database, a resource a file, in the order of the names`() async throws {
    let fixture = try await DirectoryFixture()
    #expect(await fixture.server.resources.map(\.name) == ["comments", "posts", "profile"])
    #expect(try await fixture.server.get("/posts/2") == ["id": 2, "title": "b"])
    #expect(try await fixture.server.get("/profile") == ["name": "n"])
    #expect(try await fixture.server.get("/posts/1?_embed=comments")["comments"]?.array?.count == 1)
  }

  @Test func `is written to the file of the resource that changed, and nowhere else`() async throws {
    let fixture = try await DirectoryFixture()
    await fixture.server.send(.post, "/posts", ["title": "c"])
    #expect(
      fixture.directory.text("posts.json")
        == "[\n  {\"id\": 1, \"title\": \"a\"},\n  {\"id\": 2, \"title\": \"b\"},\n  {\"title\": \"c\", \"id\": 3}\n]\n"
    )
    #expect(fixture.directory.text("comments.json") == DirectoryFixture.comments)
    #expect(fixture.directory.text("profile.json5") == "{name: 'n'} // mine\n")
  }

  @Test func `is written to each file that a deletion reaches`() async throws {
    let fixture = try await DirectoryFixture()
    #expect(await fixture.server.send(.delete, "/posts/1").status == .ok)
    #expect(fixture.directory.text("posts.json") == "[\n  {\"id\": 2, \"title\": \"b\"}\n]\n")
    #expect(fixture.directory.text("comments.json") == "[{\"id\":2,\"postId\":2}]")
  }

  @Test func `follows an edit of one file, and keeps what was written to the others`() async throws {
    let fixture = try await DirectoryFixture()
    await fixture.server.send(.patch, "/posts/1", ["title": "x"])
    try fixture.directory.write("[{\"id\": 7}]", to: "comments.json")
    try await fixture.events.reload()
    #expect(try await fixture.server.get("/comments") == [["id": 7]])
    #expect(try await fixture.server.get("/posts/1?")["title"] == "x")
  }

  @Test func `serves a file that is put into it, and resets to it`() async throws {
    let fixture = try await DirectoryFixture()
    await fixture.server.saveSnapshot("before")
    try fixture.directory.write("[{\"id\": 1}]", to: "tags.json")
    try await fixture.events.reload()
    #expect(try await fixture.server.get("/tags") == [["id": 1]])
    await fixture.server.send(.post, "/tags", ["name": "swift"])
    #expect(fixture.directory.text("tags.json") == "[{\"id\": 1}, {\"name\": \"swift\", \"id\": 2}]")
    try await fixture.server.reset()
    #expect(fixture.directory.text("tags.json") == "[{\"id\": 1}]")
    try await fixture.server.restoreSnapshot("before")
    #expect(try await fixture.server.get("/tags") == [["id": 1]])
  }

  @Test func `reports what is wrong with a file that is put into it`() async throws {
    let fixture = try await DirectoryFixture()
    try fixture.directory.write("[{\"id\": 1},]", to: "tags.json")
    let message = try await fixture.events.invalid()
    #expect(message.contains("tags.json:1:12"))
    try fixture.directory.write("[{\"id\": 1}]", to: "tags.json")
    try await fixture.events.reload()
    #expect(try await fixture.server.get("/tags/1") == ["id": 1])
  }

  @Test func `is not given resources over HTTP that have no file, nor loses any`() async throws {
    let fixture = try await DirectoryFixture(resetRoutes: true)
    let merged = await fixture.server.send(.post, "/merge", ["tags": []])
    #expect(merged.status == .conflict)
    #expect(merged.text.contains("tags.json"))
    let replaced = await fixture.server.send(.post, "/reset", ["posts": []])
    #expect(replaced.status == .conflict)
    #expect(replaced.text.contains("'comments'"))
    #expect(fixture.directory.text("posts.json") == DirectoryFixture.posts)
    let all: JSONValue = ["posts": [["id": 9]], "comments": [], "profile": [:]]
    #expect(await fixture.server.send(.post, "/reset", all).status == .ok)
    #expect(fixture.directory.text("posts.json")?.contains("9") == true)
    #expect(fixture.directory.text("comments.json") == "[]")
  }

  @Test func `holds the last version for all when one file of a commit met an edit`() async throws {
    let fixture = try await DirectoryFixture(watching: .off)
    // The deletion reaches both files; the edit, seen only now, takes the record away that it was about.
    try fixture.directory.write("[{\"id\": 2, \"title\": \"edited\"}]", to: "posts.json")
    #expect(await fixture.server.send(.delete, "/posts/1").status == .notFound)
    #expect(fixture.directory.text("posts.json") == "[{\"id\": 2, \"title\": \"edited\"}]")
    #expect(await fixture.server.send(.patch, "/posts/2", ["title": "later"]).status == .ok)
    #expect(fixture.directory.text("comments.json") == DirectoryFixture.comments)
  }

  @Test(arguments: [true, false])
  func `is replaced as a whole, and keeps a copy of an edit that nobody has seen`(_ isReset: Bool) async throws {
    let fixture = try await DirectoryFixture(watching: .off)
    await fixture.server.saveSnapshot("start")
    // The resource has the same content before and after.
    try fixture.directory.write("{name: 'edited'}", to: "profile.json5")
    #expect(await fixture.server.send(.patch, "/posts/1", ["title": "later"]).status == .ok)
    if isReset { try await fixture.server.reset() } else { try await fixture.server.restoreSnapshot("start") }
    // A reset goes back to what was last read from outside, which is the edit.
    let name = isReset ? "edited" : "n"
    #expect(try await fixture.server.get("/profile") == ["name": .init(name)])
    #expect(fixture.directory.text("profile.json5")?.contains("\"\(name)\"") == true)
    let history = ".profile.json5.history"
    let copies = fixture.directory.names(in: history).map { fixture.directory.text("\(history)/\($0)") }
    #expect(isReset || copies.contains { $0?.contains("edited") == true })
  }

  @Test func `stays as it was when a change of several files is refused`() async throws {
    let fixture = try await DirectoryFixture(watching: .off)
    // The deletion changes both files, of which the second waits for a valid one until it is refused.
    try fixture.directory.write("[{", to: "comments.json")
    #expect(await fixture.server.send(.delete, "/posts/1").status == .serviceUnavailable)
    #expect(fixture.directory.text("posts.json") == DirectoryFixture.posts)
    #expect(await fixture.server.send(.get, "/posts/1").status == .ok)
    try fixture.directory.write(DirectoryFixture.comments, to: "comments.json")
    #expect(await fixture.server.send(.post, "/comments", [:]).status == .created)
    #expect(fixture.directory.text("posts.json") == DirectoryFixture.posts)
    // Only a deletion that is saved is logged with the records that it removed.
    #expect(await fixture.server.send(.delete, "/posts/2").status == .ok)
    #expect(try await fixture.events.warning().contains("/posts/2"))
  }

  @Test(arguments: [
    (["posts.json": "[]", "posts.json5": "[]"], "are both the resource 'posts'"),
    (["posts.json": "[]", "posts.json copy.json": "[]", "posts.json5": "[]"], "are both the resource 'posts'"),
    (["posts.txt": "[]"], "has no .json file"),
    (["posts.json": "{]"], "posts.json:1:2"),
  ])
  func `is refused with what to do`(_ files: [String: String], _ part: String) async throws {
    let directory = try TemporaryDirectory()
    for (name, text) in files { try directory.write(text, to: name) }
    let error = await #expect(throws: ServerError.self) {
      try await Server.load(Server.Configuration(source: .directory(directory.path)))
    }
    #expect(error?.code == .sourceInvalid)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }
}

/// A server of a directory of three files.
private struct DirectoryFixture {
  static let posts = "[\n  {\"id\": 1, \"title\": \"a\"},\n  {\"id\": 2, \"title\": \"b\"}\n]\n"
  static let comments = "[{\"id\":1,\"postId\":1},{\"id\":2,\"postId\":2}]"

  let directory: TemporaryDirectory
  let server: Server
  let events = Announcements()

  init(watching: Server.Configuration.Watching = .on, resetRoutes: Bool = false) async throws {
    directory = try TemporaryDirectory()
    try directory.write(Self.posts, to: "posts.json")
    try directory.write(Self.comments, to: "comments.json")
    try directory.write("{name: 'n'} // mine\n", to: "profile.json5")
    var configuration = Server.Configuration(source: .directory(directory.path))
    configuration.watching = watching
    configuration.hasResetRoutes = resetRoutes
    configuration.onEvent = events.take
    server = try await Server.load(configuration)
  }
}

/// What a server reported, to be waited for.
private struct Announcements: Sendable {
  private let stream: AsyncStream<ServerEvent>
  private let continuation: AsyncStream<ServerEvent>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func take(_ event: ServerEvent) {
    continuation.yield(event)
  }

  func reload() async throws {
    for await case .reloaded in stream { return }
  }

  func warning() async throws -> String {
    for await case .warning(let message) in stream { return message }
    return ""
  }

  func invalid() async throws -> String {
    for await case .invalid(let message) in stream { return message }
    return ""
  }
}
