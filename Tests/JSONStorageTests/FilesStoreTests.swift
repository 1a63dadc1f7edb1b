import JSONDatabase
import JSONServerValues
import Testing

@testable import JSONStorage

@Suite(.timeLimit(.minutes(1))) struct `A directory's store` {
  private let database: Database
  private let store: FilesStore

  init() throws {
    let ids = IDGenerator { "id" }
    database = try Database(parsing: UTF8Slice(Array(#"{"posts": []}"#.utf8)), schema: Schema(), ids: ids)
    store = FilesStore("/nowhere", options: FileStoreOptions()) { text, name, _ in
      .part(try DatabasePart(name: name, parsing: text, schema: Schema()))
    } onEdit: { _ in
    }
  }

  @Test func `refuses a commit of a resource that has no file`() async throws {
    let commit = await withCheckedContinuation { continuation in
      var changed = database
      _ = try? changed.create(.emptyObject, in: "posts", ids: IDGenerator { "id" })
      store.commit(changed, after: database, writing: [], []) { continuation.resume(returning: $0) }
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

  private struct UnexpectedSuccess: Error {}
}
