import JSONDatabase
import JSONStorage
import OrderedJSON
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps each resource of a database in a file of its own, in one directory.
///
/// Each file is replaced atomically; a change of several resources, such as a deletion with dependents, is several
/// replacements, of which a crash may leave the first ones.
final class DirectoryPersistence: Persistence {
  /// A file of the directory.
  private struct File: Sendable {
    let store: FileStore<PartFile>
    var part: DatabasePart
    /// The generation of the version that the server's database is built on.
    var generation: Int
  }

  /// The files by the name of their resource.
  private let files: Mutex<[String: File]>

  private init(_ files: [String: File]) {
    self.files = Mutex(files)
  }

  /// Opens every JSON file of a directory. Blocks until all are read.
  ///
  /// - Throws: ``ServerError`` that names the directory or the file, the line and the column.
  static func open(
    _ path: String, options: FileStoreOptions, parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    var files: [String: File] = [:]
    var parts: [DatabasePart] = []
    var warnings: [String] = []
    for (name, path) in try jsonFiles(in: path) {
      do throws(StorageError) {
        let opening = try FileStore.open(path, options: options) { text in
          PartFile.read(try parser.part(text, resource: name, path: path))
        } onEdit: { edit in
          onEdit(SourceEdit(edit, path: path))
        }
        let part = opening.version.part
        files[name] = File(store: opening.store, part: part, generation: opening.version.generation)
        parts.append(part)
        warnings += opening.warnings.map { $0.message(path) }
      } catch {
        files.values.forEach { $0.store.close() }
        throw ServerError(error, path: path)
      }
    }
    let database = Database(joining: parts, schema: parser.schema, ids: parser.ids)
    return OpenedSource(
      persistence: DirectoryPersistence(files), database: database, warnings: warnings)
  }

  /// The resources' names and files, sorted by name.
  private static func jsonFiles(in directory: String) throws(ServerError) -> [(name: String, path: String)] {
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
    guard !files.isEmpty else {
      throw ServerError(
        .sourceInvalid, "The directory '\(directory)' holds no .json file; put posts.json with [] into it.")
    }
    return files
  }

  func commit(_ database: Database, resources: Set<Int>, completion: @escaping @Sendable (Commit) -> Void) {
    let names = Set(resources.map { database.name(at: $0) })
    let changed = files.withLock { files in files.filter { names.contains($0.key) }.map(\.value) }
    let outcome = CommitOutcome(count: changed.count, completion)
    for file in changed {
      guard let text = file.part.text(of: database) else { continue }
      file.store.publish(.written(text), onto: file.generation) { publication in
        switch publication {
        case .published: outcome.add(.done)
        case .edited(let version): outcome.add(.edited(version.loaded))
        case .failed(let error): outcome.add(.failed(error))
        }
      }
    }
  }

  func adopt(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    files.withLock { files in
      files[part.name]?.part = part
      files[part.name]?.generation = source.generation
    }
  }

  func keep(
    _ database: Database, replacedBy source: LoadedSource,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    guard case .part(let part) = source.content, let file = files.withLock({ $0[part.name] }),
      let text = file.part.text(of: database)
    else { return }
    file.store.saveHistory(.written(text), completion: completion)
  }

  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    guard let store = files.withLock({ $0.values.first?.store }) else { return }
    store.snapshot(.joined(text), to: path, completion: completion)
  }

  func close() {
    files.withLock { Array($0.values) }.forEach { $0.store.close() }
  }
}

/// Waits for the files of one commit; the commit is as bad as its worst file.
private final class CommitOutcome: Sendable {
  private struct State {
    var missing: Int
    var worst = Commit.done
  }

  private let state: Mutex<State>
  private let completion: @Sendable (Commit) -> Void

  init(count: Int, _ completion: @escaping @Sendable (Commit) -> Void) {
    state = Mutex(State(missing: count))
    self.completion = completion
    if count == 0 { completion(.done) }
  }

  func add(_ commit: Commit) {
    let finished = state.withLock { state -> Commit? in
      state.missing -= 1
      if case .done = state.worst { state.worst = commit }
      return state.missing == 0 ? state.worst : nil
    }
    if let finished { completion(finished) }
  }
}
