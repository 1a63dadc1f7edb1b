import Dispatch
package import JSONDatabase
package import JSONServerValues
import Synchronization

/// Keeps a database in one file.
package final class DatabaseFileStore: Store {
  private let store: FileStore<Database>
  /// The generation of the version on which the server's database is based.
  private let generation: Atomic<Int>

  private init(_ store: FileStore<Database>, generation: Int) {
    self.store = store
    self.generation = Atomic(generation)
  }

  /// Opens a file and reads it. Blocks until that is done.
  ///
  /// - Parameter parse: Parses the file's text; an error makes the file invalid. Runs on the store's thread.
  /// - Throws: ``StorageError`` that names the file, with the error of `parse` as its cause.
  package static func open(
    _ path: String, options: FileStoreOptions, parse: @escaping @Sendable (UTF8Slice) throws -> Database,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) -> OpenedSource {
    let opening = try FileStore.open(path, options: options, parse: parse) { onEdit(SourceEdit($0, path: path)) }
    return OpenedSource(
      store: DatabaseFileStore(opening.store, generation: opening.version.generation),
      database: opening.version.content,
      warnings: opening.warnings.map { $0.message(path) })
  }

  package let hasFixedResources = false

  package func commit(
    _ version: Database, after base: Database, _: [ServerState.Row],
    completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    store.publish(version.text, onto: generation.load(ordering: .relaxed)) {
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
    store.saveHistory(database.text, completion: completion)
  }

  package func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    store.snapshot(text, to: path, completion: completion)
  }

  package func look() -> [String: String] {
    store.look().map { ["": $0.message] } ?? [:]
  }

  package func close() {
    store.close()
  }
}

extension FileStore.Warning {
  /// The warning, and what to do about it.
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

extension DatabaseText: FileContent {
  /// Writes the text to a file, atomically, on a thread of its own; replaces an existing file.
  ///
  /// - Parameter completion: Called once, on any thread, with the path of the file.
  package func write(to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
    DispatchQueue(label: "swift-json-server.snapshot").async {
      completion(Result { () throws(StorageError) in try write(to: path) })
    }
  }
}

/// A parsed file of a source.
protocol SourceFile: Sendable {
  /// The file's content in the form that the server loads.
  var source: LoadedSource.Content { get }
}

extension Database: SourceFile {
  var source: LoadedSource.Content { .whole(self) }
}

extension DatabasePart: SourceFile {
  var source: LoadedSource.Content { .part(self) }
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
