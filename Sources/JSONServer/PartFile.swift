import JSONDatabase
import JSONStorage
import OrderedJSON

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
