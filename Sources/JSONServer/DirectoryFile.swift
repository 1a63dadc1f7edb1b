import JSONDatabase
import JSONStorage
import OrderedJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of a directory, which holds one resource.
struct DirectoryFile: Sendable {
  let store: FileStore<PartFile>
  var part: DatabasePart
  /// The generation of the version that the server's database is built on.
  var generation: Int
  let warnings: [String]

  /// Opens a file, and reads it. Blocks until that is done.
  ///
  /// - Throws: ``StorageError``; with code `locked` when another server has the file.
  init(
    _ path: String, resource name: String, options: FileStoreOptions, parser: SourceParser,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) {
    let opening = try FileStore.open(path, options: options) { text in
      PartFile.read(try parser.part(text, resource: name, path: path))
    } onEdit: { edit in
      onEdit(SourceEdit(edit, path: path))
    }
    store = opening.store
    part = opening.version.part
    generation = opening.version.generation
    warnings = opening.warnings.map { $0.message(path) }
  }

  /// Publishes a database's version of the resource.
  func publish(_ database: Database, completion: @escaping @Sendable (Commit) -> Void) {
    guard let text = part.text(of: database) else { return completion(.done) }
    store.publish(.written(text), onto: generation) { publication in
      switch publication {
      case .published: completion(.done)
      case .edited(let version): completion(.edited(version.loaded))
      case .failed(let error): completion(.failed(error))
      }
    }
  }

  /// Returns the JSON files of a directory with the resources' names, sorted by name.
  ///
  /// - Throws: ``ServerError`` that names the directory when it cannot be read, or two files of one name.
  static func all(in directory: String) throws(ServerError) -> [(name: String, path: String)] {
    let entries: [String]
    do {
      entries = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      throw ServerError(.sourceUnreadable, "The directory '\(directory)' cannot be read: \(error)")
    }
    let files = entries.sorted().compactMap { entry -> (name: String, path: String)? in
      guard !entry.hasPrefix("."), let dot = entry.lastIndex(of: "."), [".json", ".json5"].contains(entry[dot...])
      else {
        return nil
      }
      return (String(entry[..<dot]), directory + "/" + entry)
    }
    for (first, second) in zip(files, files.dropFirst()) where first.name == second.name {
      throw ServerError(
        .sourceInvalid, "'\(first.path)' and '\(second.path)' are both the resource '\(first.name)'; keep one of them.")
    }
    return files
  }
}
