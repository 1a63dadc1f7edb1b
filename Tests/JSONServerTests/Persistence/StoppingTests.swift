import Foundation
import HTTPTypes
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer

/// What becomes of acknowledged writes, and of data that only memory has, when the server stops (R2, R5, R6, G5).
@Suite(.timeLimit(.minutes(1))) struct `A stop` {
  /// What happens to the file between the last write and the stop.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether the posts that the server had have to be in the history, and the log has to name the copy.
    let isKept: Bool
    let change: @Sendable (Files) throws -> Void
  }

  /// The file that holds the posts.
  struct Files: Sendable {
    let directory: TemporaryDirectory
    let name: String
    /// The file's text with these posts.
    let text: @Sendable (_ posts: String) -> String

    func write(posts: String) throws { try directory.write(text(posts), to: name) }
    func remove() throws { try FileManager.default.removeItem(atPath: directory.path(name)) }
  }

  static let cases = [
    Case(testDescription: "a stale save", isKept: true) { try $0.write(posts: #"[{"id":1},{"id":7}]"#) },
    Case(testDescription: "a save of what was there before", isKept: true) { try $0.write(posts: #"[{"id":1}]"#) },
    Case(testDescription: "a save that has the write", isKept: false) {
      try $0.write(posts: #"[{"id":1},{"title":"new","id":2},{"id":7}]"#)
    },
    Case(testDescription: "a save of the same bytes", isKept: false) { files in
      try files.directory.write(files.directory.text(files.name) ?? "", to: files.name)
    },
    Case(testDescription: "emptied", isKept: true) { try $0.directory.write("", to: $0.name) },
    Case(testDescription: "made invalid", isKept: true) { try $0.directory.write("[{", to: $0.name) },
    Case(testDescription: "removed", isKept: true) { try $0.remove() },
    Case(testDescription: "replaced by a directory", isKept: true) {
      try $0.remove()
      try $0.directory.write("", to: "\($0.name)/file")
    },
    Case(testDescription: "replaced by a link to nothing", isKept: true) {
      try $0.remove()
      try $0.directory.link($0.name, to: "nothing.json")
    },
  ]

  @Test(arguments: cases, [false, true])
  func `of a server with one file keeps what the file lost`(_ test: Case, _ isWatching: Bool) async throws {
    let files = Files(directory: try TemporaryDirectory(), name: "db.json") { #"{"posts": \#($0), "tags": []}"# }
    try files.write(posts: #"[{"id":1}]"#)
    try await check(test, files, .file(files.directory.path("db.json")), isWatching)
  }

  @Test(arguments: cases, [false, true])
  func `of a server with a directory keeps what a file of it lost`(_ test: Case, _ isWatching: Bool) async throws {
    let files = Files(directory: try TemporaryDirectory(), name: "posts.json") { $0 }
    try files.write(posts: #"[{"id":1}]"#)
    try files.directory.write("[]", to: "tags.json")
    try await check(test, files, .directory(files.directory.path), isWatching)
  }

  private func check(
    _ test: Case, _ files: Files, _ source: Source, _ isWatching: Bool
  ) async throws {
    let warnings = NIOLockedValueBox<[String]>([])
    var configuration = Server.Configuration(source: source)
    configuration.watching = isWatching ? .on : .off
    configuration.onEvent = { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    let server = try await Server.load(configuration)
    #expect(await server.send(.post, "/posts", ["title": "new"]).status == .created)
    try test.change(files)
    let edited = files.directory.text(files.name)
    await server.stop()
    let copies = files.directory.names.filter { $0.hasSuffix(".history") }.flatMap { history in
      files.directory.names(in: history).map { "\(history)/\($0)" }
    }
    let lines = warnings.withLockedValue { $0 }
    #expect(copies.count == (test.isKept ? 1 : 0), "\(files.directory.names) \(lines)")
    #expect(lines.count == (test.isKept ? 1 : 0), "\(lines)")
    for copy in copies {
      #expect(files.directory.text(copy)?.contains("\"new\"") == true)
      #expect(lines.first?.contains(files.directory.path(copy)) == true, "\(lines)")
    }
    #expect(files.directory.text(files.name) == edited)
  }

  @Test func `keeps nothing of records that were given other ids when their file was read again`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("[{}, {}]", to: "posts.json")
    var configuration = Server.Configuration(source: .directory(directory.path))
    configuration.dialect = .v1
    configuration.watching = .off
    let server = try await Server.load(configuration)
    try directory.write("[{}, {}, {}]", to: "posts.json")
    let created = await server.send(.post, "/posts", [:])
    try directory.write("[\(created.text)]", to: "posts.json")
    await server.stop()
    #expect(directory.names == ["posts.json"])
  }

  @Test func `says what is lost when no copy can be kept`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{\"posts\": []}", to: "sub/db.json")
    let warnings = NIOLockedValueBox<[String]>([])
    var configuration = Server.Configuration(source: .file(directory.path("sub/db.json")))
    configuration.watching = .off
    configuration.onEvent = { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    let server = try await Server.load(configuration)
    #expect(await server.send(.post, "/posts", ["title": "new"]).status == .created)
    try FileManager.default.removeItem(atPath: directory.path("sub"))
    await server.stop()
    #expect(warnings.withLockedValue { $0.count } == 1)
    #expect(warnings.withLockedValue { $0.first?.contains("no copy") } == true)
  }

  @Test func `says what is lost when an edit is still not taken over, because no copy could be kept`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let warnings = NIOLockedValueBox<[String]>([])
    let server = try EngineFixture(["posts": []], history: history) { event in
      if case .warning(let message) = event { warnings.withLockedValue { $0.append(message) } }
    }
    #expect(await server.send(.post, "/posts").status == .created)
    try await server.edit(["posts": []], generation: 1)
    history.end(.failure(StorageError(.noSpace, "The disk is full.")))
    await server.engine.close()
    #expect(warnings.withLockedValue { $0.last?.contains("/posts/1") } == true)
    #expect(warnings.withLockedValue { $0.last?.contains("stop") } == true)
  }

  @Test func `waits for the copy that an edit needs`() async throws {
    let history = ScriptedHistory(isHeld: true)
    let server = try EngineFixture(["posts": []], history: history)
    #expect(await server.send(.post, "/posts").status == .created)
    try await server.edit(["posts": []], generation: 1)
    async let closed: Void = server.engine.close()
    try await wait { await server.engine.phase == .closed }
    history.end(.success("history/1.json"))
    await closed
    #expect(await server.value == ["posts": []])
  }
}
