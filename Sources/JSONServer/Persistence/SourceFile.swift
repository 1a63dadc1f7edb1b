import JSONDatabase
import JSONStorage

/// One version of a file of a source: one that was read, or one to write.
protocol SourceFile: FileContent {
  /// What a version that was read holds; every version that the store hands out was read.
  var source: LoadedSource.Content { get }
}

/// One version of a database's file.
enum DatabaseFile: SourceFile {
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

  var source: LoadedSource.Content { .whole(database) }

  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
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

// MARK: What a store reports, translated for the engine

extension FileVersion where Content: SourceFile {
  var loaded: LoadedSource { LoadedSource(content.source, generation: generation) }
}

extension SourceEdit {
  init(_ edit: FileEdit<some SourceFile>, path: String) {
    switch edit {
    case .changed(let version): self = .changed(version.loaded)
    case .invalid(let error): self = .invalid(message: ServerError(error, path: path).description)
    case .restored: self = .restored(path: path)
    case .deleted: self = .deleted(path: path)
    case .conflict(let save): self = .conflict(path: save.path)
    case .conflictLost(let error): self = .conflictLost(message: error.message)
    }
  }
}

extension Commit {
  init(_ publication: Publication<some SourceFile>) {
    switch publication {
    case .published: self = .done
    case .edited(let version): self = .edited(version.loaded)
    case .failed(let error): self = .failed(error)
    }
  }
}
