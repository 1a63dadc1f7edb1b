import Dispatch
package import JSONDatabase
package import JSONServerValues
import Synchronization

/// Keeps a database in one file.
package final class DatabaseFileStore: Store {
  private let store: FileStore<DatabaseFile>
  /// The generation of the version that the server's database is built on.
  private let generation: Atomic<Int>

  private init(_ store: FileStore<DatabaseFile>, generation: Int) {
    self.store = store
    self.generation = Atomic(generation)
  }

  /// Opens a file and reads it. Blocks until that is done.
  ///
  /// - Parameter parse: Reads the file's text; an error that it throws makes the file invalid. Runs on the store's thread.
  /// - Throws: ``StorageError`` that names the file, with what `parse` threw as its cause.
  package static func open(
    _ path: String, options: FileStoreOptions, parse: @escaping @Sendable (UTF8Slice) throws -> Database,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) -> OpenedSource {
    let opening = try FileStore.open(path, options: options) { text in
      DatabaseFile.read(try parse(text))
    } onEdit: { edit in
      onEdit(SourceEdit(edit, path: path))
    }
    return OpenedSource(
      store: DatabaseFileStore(opening.store, generation: opening.version.generation),
      database: opening.version.content.database,
      warnings: opening.warnings.map { $0.message(path) })
  }

  package let hasFixedResources = false

  package func commit(
    _ version: Database, after base: Database, _: [ServerState.Row],
    completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    store.publish(.written(version.text), onto: generation.load(ordering: .relaxed)) {
      completion(CommitResult($0))
    }
  }

  package func adopt(_ source: LoadedSource) {
    generation.store(source.generation, ordering: .relaxed)
  }

  package func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    store.saveHistory(.written(database.text), completion: completion)
  }

  package func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    store.snapshot(.written(text), to: path, completion: completion)
  }

  package func look() -> [String: String] {
    store.look().map { ["": $0.message] } ?? [:]
  }

  package func close() {
    store.close()
  }
}

extension FileStore.Warning {
  /// What a person should know about a file, and what to do.
  func message(_ path: String) -> String {
    switch self {
    case .hardLinks(let count):
      "'\(path)' has \(count) names; after the first write only this one leads to the new version."
    case .mountPoint:
      "'\(path)' is mounted and cannot be replaced; it is written in place. Mount its directory instead for atomic writes."
    case .notLocked:
      "'\(path)' cannot be locked here; make sure that no second server writes to it."
    }
  }
}

/// One version of a file of a source: one that was read, or one to write.
package protocol SourceFile: FileContent {
  /// What a version that was read holds; every version that the store hands out was read.
  var source: LoadedSource.Content { get }
}

/// One version of a database's file.
package enum DatabaseFile: SourceFile {
  /// A version that was read.
  case read(Database)
  /// A version to write: the text alone, so that no later write has to copy an index.
  case written(DatabaseText)

  /// The database that was read.
  var database: Database {
    guard case .read(let database) = self else {
      preconditionFailure("A version that the store hands out was read from the file.")
    }
    return database
  }

  package var source: LoadedSource.Content { .whole(database) }

  /// Writes a version to a file, atomically, on a thread of its own; an existing file is replaced.
  ///
  /// - Parameter completion: Called once, on any thread, with the path of the file.
  package static func write(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    DispatchQueue(label: "swift-json-server.snapshot").async {
      completion(Result { () throws(StorageError) in try DatabaseFile.written(text).write(to: path) })
    }
  }

  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    switch self {
    case .read(let database): try database.text.forEachSlice(body)
    case .written(let text): try text.forEachSlice(body)
    }
  }
}

/// One version of a file of a directory.
enum PartFile: SourceFile {
  /// A resource that was read.
  case read(DatabasePart)
  /// A resource to write.
  case written(PartText)
  /// All resources together, for a snapshot.
  case joined(DatabaseText)

  /// The resource that was read.
  var part: DatabasePart {
    guard case .read(let part) = self else {
      preconditionFailure("A version that the store hands out was read from the file.")
    }
    return part
  }

  var source: LoadedSource.Content { .part(part) }

  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    switch self {
    case .read(let part): try part.text.forEachSlice(body)
    case .written(let text): try text.forEachSlice(body)
    case .joined(let text): try text.forEachSlice(body)
    }
  }
}

// MARK: What a file's thread reports, as the store does

extension FileVersion where Content: SourceFile {
  var loaded: LoadedSource { LoadedSource(content.source, generation: generation) }
}

extension SourceEdit {
  init(_ edit: FileEdit<some SourceFile>, path: String) {
    switch edit {
    case .changed(let version): self = .changed(version.loaded)
    case .invalid(let error): self = .invalid(error)
    case .restored: self = .restored(path: path)
    case .deleted: self = .deleted(path: path)
    case .conflict(let save): self = .conflict(path: save.path)
    case .conflictLost(let error): self = .conflictLost(error)
    }
  }
}

extension CommitResult {
  init(_ publication: Publication<some SourceFile>) {
    switch publication {
    case .published: self = .done
    case .edited(let version): self = .moved(to: version.loaded)
    case .failed(let error): self = .failed(error)
    }
  }
}
