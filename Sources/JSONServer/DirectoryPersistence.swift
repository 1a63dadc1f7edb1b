import Dispatch
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
/// replacements, of which a crash may leave the first ones. A file that comes while the directory is watched becomes a
/// resource; a resource that comes gets a file.
final class DirectoryPersistence: Persistence {
  private struct State {
    /// The files by the name of their resource.
    var files: [String: DirectoryFile]
    /// What is wrong with files that came, and how many looks have found it so.
    var faults: [String: (message: String, looks: Int)] = [:]
    var isClosed = false
  }

  private static let lookInterval = DispatchTimeInterval.milliseconds(300)

  private let directory: String
  private let options: FileStoreOptions
  private let parser: SourceParser
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let state: Mutex<State>
  /// Where files are opened: one at a time, and never by the server's loop.
  private let queue = DispatchQueue(label: "directory")

  /// Opens every JSON file of a directory. Blocks until all are read.
  ///
  /// - Throws: ``ServerError`` that names the directory or the file, the line and the column.
  static func open(
    _ path: String, options: FileStoreOptions, parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    let paths = try DirectoryFile.all(in: path)
    guard !paths.isEmpty else {
      throw ServerError(
        .sourceInvalid, "The directory '\(path)' holds no .json file; put posts.json with [] into it.")
    }
    var files: [(name: String, file: DirectoryFile)] = []
    for (name, path) in paths {
      do throws(StorageError) {
        files.append(
          (name, try DirectoryFile(path, resource: name, options: options, parser: parser, onEdit: onEdit)))
      } catch {
        files.forEach { $0.file.store.close() }
        throw ServerError(error, path: path)
      }
    }
    let database = Database(joining: files.map(\.file.part), schema: parser.schema, ids: parser.ids)
    let persistence = DirectoryPersistence(
      path, Dictionary(files) { first, _ in first }, options: options, parser: parser, onEdit: onEdit)
    if options.watching != .off { persistence.lookLater() }
    return OpenedSource(persistence: persistence, database: database, warnings: files.flatMap(\.file.warnings))
  }

  private init(
    _ directory: String, _ files: [String: DirectoryFile], options: FileStoreOptions, parser: SourceParser,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    self.directory = directory
    self.options = options
    self.parser = parser
    self.onEdit = onEdit
    state = Mutex(State(files: files))
  }

  func commit(_ database: Database, resources: Set<Int>, completion: @escaping @Sendable (Commit) -> Void) {
    let names = database.resourceNames(at: resources)
    let outcome = CommitOutcome(count: names.count, completion)
    for name in names {
      if let file = state.withLock({ $0.files[name] }) {
        file.publish(database, completion: outcome.add)
      } else {
        queue.async { self.create(name, for: database, completion: outcome.add) }
      }
    }
  }

  func adopt(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    state.withLock { state in
      state.files[part.name]?.part = part
      state.files[part.name]?.generation = source.generation
    }
  }

  func keep(
    _ database: Database, replacedBy source: LoadedSource,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    guard case .part(let part) = source.content, let file = state.withLock({ $0.files[part.name] }),
      let text = file.part.text(of: database)
    else { return }
    file.store.saveHistory(.written(text), completion: completion)
  }

  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    guard let store = state.withLock({ $0.files.values.first?.store }) else { return }
    store.snapshot(.joined(text), to: path, completion: completion)
  }

  func close() {
    let files = state.withLock { state in
      state.isClosed = true
      return Array(state.files.values)
    }
    files.forEach { $0.store.close() }
  }

  // MARK: Files that come

  private func lookLater() {
    queue.asyncAfter(deadline: .now() + Self.lookInterval) { [weak self] in
      guard let self, !state.withLock(\.isClosed) else { return }
      look()
      lookLater()
    }
  }

  /// Takes the files that have come. A fault is told when a second look finds it: the file may be half written yet.
  private func look() {
    do throws(ServerError) {
      for (name, path) in try DirectoryFile.all(in: directory) where state.withLock({ $0.files[name] == nil }) {
        do throws(StorageError) {
          let file = try open(path, resource: name)
          state.withLock { _ = $0.faults.removeValue(forKey: path) }
          onEdit(.changed(LoadedSource(.part(file.part), generation: file.generation)))
        } catch {
          tell(ServerError(error, path: path).description, of: path)
        }
      }
    } catch {
      tell(error.description, of: directory)
    }
  }

  private func tell(_ message: String, of path: String) {
    let looks = state.withLock { state in
      let before = state.faults[path]
      let looks = before?.message == message ? (before?.looks ?? 0) + 1 : 1
      state.faults[path] = (message, looks)
      return looks
    }
    if looks == 2 { onEdit(.invalid(message: message)) }
  }

  /// Makes the file of a resource that came with a write, and publishes the write.
  private func create(_ name: String, for database: Database, completion: @escaping @Sendable (Commit) -> Void) {
    guard options.synchronization != .ephemeral else { return completion(.done) }
    do throws(StorageError) {
      let path = directory + "/\(name).json"
      if !FileManager.default.fileExists(atPath: path) {
        _ = FileManager.default.createFile(atPath: path, contents: Data("[]\n".utf8))
      }
      try open(path, resource: name).publish(database, completion: completion)
    } catch {
      completion(.failed(error))
    }
  }

  private func open(_ path: String, resource name: String) throws(StorageError) -> DirectoryFile {
    let file = try DirectoryFile(path, resource: name, options: options, parser: parser, onEdit: onEdit)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.files[name] = file }
      return state.isClosed
    }
    if isClosed { file.store.close() }
    return file
  }
}
