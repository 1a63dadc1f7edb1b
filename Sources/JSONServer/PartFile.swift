import JSONDatabase
import JSONStorage
import OrderedJSON

/// One version of a file of a directory.
enum PartFile: FileContent {
  /// A resource that was read.
  case read(DatabasePart)
  /// A resource to write.
  case written(PartText)
  /// All resources together, for a snapshot.
  case joined(DatabaseText)

  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    switch self {
    // What was read stands in the file; the store asks for the text of what it is to write only.
    case .read: return
    case .written(let text): try text.forEachSlice(body)
    case .joined(let text): try text.forEachSlice(body)
    }
  }
}

extension FileVersion<PartFile> {
  /// The resource that was read.
  var part: DatabasePart {
    guard case .read(let part) = content else {
      preconditionFailure("A version that the store hands out was read from the file.")
    }
    return part
  }

  var loaded: LoadedSource { LoadedSource(.part(part), generation: generation) }
}

extension SourceEdit {
  init(_ edit: FileEdit<PartFile>, path: String) {
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
