import JSONDatabase
import JSONStorage
import OrderedJSON

/// What was read from a source, or from one file of it.
struct LoadedSource: Sendable {
  enum Content: Sendable {
    /// The whole database.
    case whole(Database)
    /// The resource of one file of several.
    case part(DatabasePart)
  }

  let content: Content
  /// How many edits from outside the file has seen up to this version.
  let generation: Int

  init(_ content: Content, generation: Int) {
    self.content = content
    self.generation = generation
  }

  /// The file's resource; empty when the file holds the whole database.
  var name: String {
    switch content {
    case .whole: ""
    case .part(let part): part.name
    }
  }

  /// The database with what was read in its place.
  func applied(to database: Database, ids: IDGenerator) -> Database {
    switch content {
    case .whole(let whole): return whole
    case .part(let part):
      var database = database
      database.replace(with: part, ids: ids)
      return database
    }
  }
}

extension FileVersion where Content: SourceFile {
  var loaded: LoadedSource { LoadedSource(content.source, generation: generation) }
}

/// What happened to a source from outside.
enum SourceEdit: Sendable {
  case changed(LoadedSource)
  case invalid(message: String)
  case restored(path: String)
  case deleted(path: String)
  /// A save reached a version that had been replaced already, and is kept at a path.
  case conflict(path: String)
  /// Such a save could not be kept.
  case conflictLost(message: String)
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

/// One version of a file of a source: one that was read, or one to write.
protocol SourceFile: FileContent {
  /// What a version that was read holds; all that the store hands out were.
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
