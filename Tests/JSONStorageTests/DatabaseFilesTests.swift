import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

@Suite(.timeLimit(.minutes(1))) struct `A directory's store` {
  private let database: Database
  private let store: DatabaseFiles

  init() throws {
    let ids = IDGenerator { "id" }
    database = try Database(parsing: UTF8Slice(Array(#"{"posts": []}"#.utf8)), schema: Schema(), ids: ids)
    store = DatabaseFiles("/nowhere", options: FileStoreOptions()) { text, name, _ in
      .part(try DatabasePart(name: name, parsing: text, schema: Schema()))
    } onEdit: { _ in
    }
  }

  @Test func `refuses a commit of a resource that has no file`() async throws {
    let commit = await withCheckedContinuation { continuation in
      var changed = database
      _ = try? changed.create(.emptyObject, in: "posts", ids: IDGenerator { "id" })
      store.commit(changed, after: database, writing: [], [], age: .zero) { continuation.resume(returning: $0) }
    }
    guard case .failed(let error) = commit else { throw UnexpectedSuccess() }
    #expect(error.message.contains("'posts' has no file in '/nowhere'"))
  }

  @Test func `says that a resource without a file has no history`() async throws {
    let result = await withCheckedContinuation { continuation in
      store.saveHistory(of: database, part: "posts") { continuation.resume(returning: $0) }
    }
    #expect(throws: StorageError.self) { try result.get() }
  }

  @Test func `says that a snapshot of no file cannot be written`() async throws {
    let result = await withCheckedContinuation { continuation in
      store.writeCopy(database.text, to: "/nowhere/copy.json") { continuation.resume(returning: $0) }
    }
    let error = #expect(throws: StorageError.self) { try result.get() }
    #expect(error?.message.contains("'/nowhere' has no file") == true)
  }

  private static func open(
    _ directory: TemporaryDirectory, _ edits: Inbox<SourceEdit>,
    onParse: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> OpenedSource {
    try DatabaseFiles.open(
      directory.path, .directory, options: FileStoreOptions(), schema: Schema(), ids: IDGenerator { "id" }
    ) { text, name, _ in
      onParse(name)
      return .part(try DatabasePart(name: name, parsing: text, schema: Schema()))
    } onEdit: {
      edits.send($0)
    }
  }

  @Test func `serves a file by its own name alone when links in the directory lead to it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[]", to: "v2.json")
    try directory.link("current.json", to: "v2.json")
    let edits = Inbox<SourceEdit>()
    let source = try Self.open(directory, edits)
    #expect(source.database.resourceNames == ["v2"])
    #expect(source.warnings.count == 1)
    #expect(source.warnings.first?.hasSuffix("is not served, since its file is the resource 'v2' already.") == true)
    try directory.link("latest.json", to: directory.path("v2.json"))
    guard case .warned(.alias(of: "v2"), path: directory.path("latest.json")) = try edits.next() else {
      throw UnexpectedSuccess()
    }
    try directory.write("[]", to: "later.json")
    guard case .changed = try edits.next() else { throw UnexpectedSuccess() }
    source.store?.close()
    #expect(edits.isEmpty)
  }

  @Test func `reads a new file that is invalid again only when it has changed`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[]", to: "posts.json")
    let (edits, parsed) = (Inbox<SourceEdit>(), Inbox<Void>())
    let source = try Self.open(directory, edits) { if $0 == "bad" { parsed.send(()) } }
    try directory.write("[", to: "bad.json")
    guard case .invalid = try edits.next() else { throw UnexpectedSuccess() }
    while !parsed.isEmpty { try parsed.next() }
    // Each is found by another look, which looks at the invalid file, too.
    for name in ["c.json", "d.json", "e.json"] {
      try directory.write("[]", to: name)
      guard case .changed = try edits.next() else { throw UnexpectedSuccess() }
    }
    #expect(parsed.isEmpty)
    try directory.write("[]", to: "bad.json")
    guard case .changed(let loaded) = try edits.next() else { throw UnexpectedSuccess() }
    #expect(loaded.file?.name == "bad")
    source.store?.close()
  }

  private struct UnexpectedSuccess: Error {}
}
