import JSONStorage

/// How a commit ended.
enum Commit: Sendable {
  /// The version is as durable as was asked for.
  case done
  /// Someone edited the file meanwhile; nothing was written.
  case edited(LoadedSource)
  /// Nothing was written, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
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
