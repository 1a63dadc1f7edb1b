import JSONDatabase
import JSONStorage
import OrderedJSON

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
