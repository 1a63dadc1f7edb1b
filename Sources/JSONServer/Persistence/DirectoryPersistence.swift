import Dispatch
import JSONDatabase
import JSONStorage
import NIOConcurrencyHelpers
import OrderedJSON

/// Keeps each resource of a database in a file of its own, in one directory.
///
/// Each file is replaced atomically; a change of several resources, such as a deletion with dependents, is several
/// replacements, of which a crash may leave the first ones. A file that is put into the directory later is served too.
final class DirectoryPersistence: Persistence {
  /// A file of the directory.
  private struct File: Sendable {
    let store: FileStore<PartFile>
    var part: DatabasePart
    /// The generation of the version that the server's database is built on.
    var generation: Int
    /// What was read, or written by the last commit that succeeded.
    var text: PartText
  }

  private struct Refusal {
    let message: String
    var isAnnounced: Bool
  }

  private struct State {
    /// The files by the name of their resource.
    var files: [String: File] = [:]
    /// What is wrong with files that are not served yet, by path.
    var refused: [String: Refusal] = [:]
    var isClosed = false
  }

  private let directory: String
  private let options: FileStoreOptions
  private let parser: SourceParser
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let state = NIOLockedValueBox(State())
  /// Looks for new files.
  private let queue = DispatchQueue(label: "directory")

  /// Between two looks for new files.
  private static let interval = DispatchTimeInterval.milliseconds(300)

  /// Opens every JSON file of a directory. Blocks until all are read.
  ///
  /// - Throws: ``ServerError`` that names the directory or the file, the line and the column.
  static func open(
    _ path: String, options: FileStoreOptions, parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    let listing = try DirectoryListing(path)
    if let (one, other) = listing.clash {
      throw ServerError(
        .sourceInvalid, "'\(one.path)' and '\(other.path)' are both the resource '\(one.name)'; keep one of them.")
    }
    guard !listing.entries.isEmpty else {
      throw ServerError(
        .sourceInvalid, "The directory '\(path)' holds no .json file; put posts.json with [] into it.")
    }
    let persistence = DirectoryPersistence(path, options: options, parser: parser, onEdit: onEdit)
    var parts: [DatabasePart] = []
    var warnings: [String] = []
    for entry in listing.entries {
      do throws(ServerError) {
        let opening = try persistence.open(entry)
        parts.append(opening.version.content.part)
        warnings += opening.warnings.map { $0.message(entry.path) }
      } catch {
        persistence.close()
        throw error
      }
    }
    let database = Database(joining: parts, schema: parser.schema, ids: parser.ids)
    if options.watching != .off { persistence.scheduleLook() }
    return OpenedSource(persistence: persistence, database: database, warnings: warnings)
  }

  private init(
    _ directory: String, options: FileStoreOptions, parser: SourceParser,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    self.directory = directory
    self.options = options
    self.parser = parser
    self.onEdit = onEdit
  }

  private func open(_ entry: DirectoryListing.Entry) throws(ServerError) -> FileStore<PartFile>.Opening {
    let (parser, onEdit) = (parser, onEdit)
    do throws(StorageError) {
      let opening = try FileStore.open(entry.path, options: options) { text in
        PartFile.read(try parser.part(text, resource: entry.name, path: entry.path))
      } onEdit: { edit in
        onEdit(SourceEdit(edit, path: entry.path))
      }
      let part = opening.version.content.part
      state.withLockedValue {
        $0.files[entry.name] = File(
          store: opening.store, part: part, generation: opening.version.generation, text: part.text)
      }
      return opening
    } catch {
      throw ServerError(error, path: entry.path)
    }
  }

  let hasFixedResources = true

  func commit(_ database: Database, resources: Set<Int>, completion: @escaping @Sendable (Commit) -> Void) {
    let changed = Set(database.resourceNames(at: resources))
    let files = state.withLockedValue { state in state.files.filter { changed.contains($0.key) } }
    let texts = files.compactMapValues { $0.part.text(of: database) }
    publish(texts, to: files) { [self] worst, published in
      switch worst {
      case .done: keep(texts.filter { published.contains($0.key) })
      case .failed(let error) where error.code == .durabilityUnknown: keep(texts.filter { published.contains($0.key) })
      case .edited, .failed:
        // The commit is refused as a whole: the files that have it go back first.
        let back = files.filter { published.contains($0.key) }
        return publish(back.mapValues(\.text), to: back) { _, _ in completion(worst) }
      }
      completion(worst)
    }
  }

  private func publish(
    _ texts: [String: PartText], to files: [String: File],
    completion: @escaping @Sendable (_ worst: Commit, _ published: Set<String>) -> Void
  ) {
    let outcome = CommitOutcome(count: texts.count, completion)
    for (name, text) in texts {
      guard let file = files[name] else { continue }
      file.store.publish(.written(text), onto: file.generation) { outcome.add(Commit($0), name) }
    }
  }

  private func keep(_ texts: [String: PartText]) {
    state.withLockedValue { state in
      for (name, text) in texts { state.files[name]?.text = text }
    }
  }

  func adopt(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    state.withLockedValue { state in
      state.files[part.name]?.part = part
      state.files[part.name]?.text = part.text
      state.files[part.name]?.generation = source.generation
    }
  }

  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    let files = state.withLockedValue { state in state.files.filter { part == nil || $0.key == part } }
    let texts = files.compactMapValues { $0.part.text(of: database) }
    guard !texts.isEmpty else {
      return completion(
        .failure(StorageError(.unavailable, "The directory has no file of '\(part ?? "any resource")'.")))
    }
    let outcome = HistoryOutcome(count: texts.count, completion)
    for (name, text) in texts { files[name]?.store.saveHistory(.written(text), completion: outcome.add) }
  }

  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    guard let store = state.withLockedValue({ $0.files.values.first?.store }) else { return }
    store.snapshot(.joined(text), to: path, completion: completion)
  }

  func close() {
    state.withLockedValue { $0.isClosed = true }
    // A look that is under way ends first, so that no file is opened after the others are closed.
    queue.sync {}
    state.withLockedValue { Array($0.files.values) }.forEach { $0.store.close() }
  }

  // MARK: New files

  private func scheduleLook() {
    queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, !state.withLockedValue(\.isClosed) else { return }
      serveNewFiles()
      scheduleLook()
    }
  }

  private func serveNewFiles() {
    // A directory that cannot be read now is looked at again; its files' own stores tell of theirs.
    guard let listing = try? DirectoryListing(directory) else { return }
    let known = state.withLockedValue { Set($0.files.keys) }
    for entry in listing.entries where !known.contains(entry.name) {
      do throws(ServerError) {
        onEdit(.changed(try open(entry).version.loaded))
      } catch {
        refuse(entry, error.description)
      }
    }
  }

  /// Tells what is wrong with a new file when two looks find the same: an editor may be in the middle of a save.
  private func refuse(_ entry: DirectoryListing.Entry, _ message: String) {
    let isDue = state.withLockedValue { state in
      let earlier = state.refused[entry.path]
      let isSame = earlier?.message == message
      state.refused[entry.path] = Refusal(message: message, isAnnounced: isSame)
      return isSame && earlier?.isAnnounced == false
    }
    if isDue { onEdit(.invalid(message: message)) }
  }
}
