import JSONStorage

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
