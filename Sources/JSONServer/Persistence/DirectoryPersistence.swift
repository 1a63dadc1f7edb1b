import Dispatch
import JSONDatabase
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers

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
    /// Whether it holds a refused write, which could not be reverted: the next commit does that.
    var isOwed = false
  }

  private struct Refusal {
    let message: String
    let since: ContinuousClock.Instant
    var isAnnounced = false
  }

  /// A version of one file on its way to the disk.
  private struct Replacement {
    let name: String
    let file: File
    let text: PartText
  }

  private struct State {
    /// The files by the name of their resource.
    var files: [String: File] = [:]
    /// What is wrong with files that are not served yet, by path.
    var refused: [String: Refusal] = [:]
    /// Notices new files.
    var monitor: DirectoryMonitor?
  }

  private let directory: String
  private let options: FileStoreOptions
  private let parser: SourceParser
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let state = NIOLockedValueBox(State())

  /// How long a new file must stay as it is before its faults are reported: an editor may be in the middle of a
  /// save.
  private static let grace = Duration.milliseconds(250)

  /// Opens every JSON file of a directory. Blocks until all are read.
  ///
  /// - Throws: ``ServerError`` that names the directory or the file, the line and the column.
  static func open(
    _ path: String, options: FileStoreOptions, parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    let listing: DirectoryListing
    do throws(StorageError) { listing = try DirectoryListing(path) } catch { throw ServerError(error, path: path) }
    if let (one, other) = listing.clash {
      throw ServerError(
        .sourceInvalid, "'\(one.path)' and '\(other.path)' are both the resource '\(one.name)'; keep one of them.")
    }
    guard !listing.entries.isEmpty else {
      throw ServerError(
        .sourceInvalid, "The directory '\(path)' holds no .json file; put posts.json with [] into it.")
    }
    let persistence = DirectoryPersistence(path, options: options, parser: parser, onEdit: onEdit)
    do throws(ServerError) {
      let openings = try listing.entries.map { entry throws(ServerError) in (entry.path, try persistence.open(entry)) }
      try persistence.watchForNewFiles()
      return OpenedSource(
        persistence: persistence,
        database: Database(
          joining: openings.map(\.1.version.content.part), schema: parser.schema, ids: parser.ids),
        warnings: openings.flatMap { path, opening in opening.warnings.map { $0.message(path) } })
    } catch {
      persistence.close()
      throw error
    }
  }

  /// Creates the persistence of a directory none of whose files is open yet.
  init(
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

  func commit(
    _ version: Database, after base: Database, _: [ServerState.Row], completion: @escaping @Sendable (Commit) -> Void
  ) {
    var replacements: [Replacement] = []
    for name in Set(version.resourceNames(at: version.changedPositions(since: base))).union(owed.keys) {
      guard let replacement = replacement(of: name, by: version) else { return completion(.failed(noFile(of: name))) }
      replacements.append(replacement)
    }
    publish(replacements) { [self, replacements] worst, published in
      let written = replacements.filter { published.contains($0.name) }
      switch worst {
      case .done: recordTexts(written)
      case .failed(let error) where error.code == .durabilityUnknown: recordTexts(written)
      case .edited, .failed:
        // The commit is refused as a whole: the files that hold it already are reverted first.
        return revert(written) { completion(worst) }
      }
      completion(worst)
    }
  }

  /// Has files hold again what the last commit that succeeded wrote, or what was read since.
  private func revert(_ written: [Replacement], completion: @escaping @Sendable () -> Void) {
    let back = written.map { Replacement(name: $0.name, file: $0.file, text: $0.file.text) }
    publish(back) { [self] _, reverted in
      state.withLockedValue { state in
        for replacement in back { state.files[replacement.name]?.isOwed = !reverted.contains(replacement.name) }
      }
      completion()
    }
  }

  /// The files that hold a refused write.
  private var owed: [String: File] { state.withLockedValue { $0.files.filter(\.value.isOwed) } }

  /// Returns what the file of a resource will hold; `nil` when there is no such file or no such resource.
  private func replacement(of name: String, by database: Database) -> Replacement? {
    guard let file = state.withLockedValue({ $0.files[name] }), let text = file.part.text(of: database) else {
      return nil
    }
    return Replacement(name: name, file: file, text: text)
  }

  private func noFile(of resource: String) -> StorageError {
    StorageError(
      .unavailable, "The resource '\(resource)' has no file in '\(directory)'; put \(resource).json into it first.")
  }

  private func publish(
    _ replacements: [Replacement], completion: @escaping @Sendable (_ worst: Commit, _ published: Set<String>) -> Void
  ) {
    let outcome = CommitOutcome(count: replacements.count, completion)
    for replacement in replacements {
      replacement.file.store.publish(.written(replacement.text), onto: replacement.file.generation) {
        outcome.add(Commit($0), replacement.name)
      }
    }
  }

  private func recordTexts(_ written: [Replacement]) {
    state.withLockedValue { state in
      for replacement in written {
        state.files[replacement.name]?.text = replacement.text
        state.files[replacement.name]?.isOwed = false
      }
    }
  }

  func adopt(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    state.withLockedValue { state in
      state.files[part.name]?.part = part
      state.files[part.name]?.text = part.text
      state.files[part.name]?.generation = source.generation
      state.files[part.name]?.isOwed = false
    }
  }

  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    let names = part.map { [$0] } ?? database.resourceNames
    let replacements = names.compactMap { replacement(of: $0, by: database) }
    guard !replacements.isEmpty else {
      return completion(
        .failure(
          part.map(noFile) ?? StorageError(.unavailable, "The directory '\(directory)' has no file to save.")))
    }
    let outcome = HistoryOutcome(count: replacements.count, completion)
    for replacement in replacements {
      replacement.file.store.saveHistory(.written(replacement.text), completion: outcome.add)
    }
  }

  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    // The first file's mode and owner are the snapshot's, too.
    guard let first = state.withLockedValue({ $0.files.min { $0.key < $1.key }?.value }) else {
      return completion(
        .failure(
          StorageError(.unavailable, "The directory '\(directory)' has no file that '\(path)' could be made of.")))
    }
    first.store.snapshot(.joined(text), to: path, completion: completion)
  }

  func look() -> [String: String] {
    let isReverted = DispatchSemaphore(value: 0)
    revert(owed.map { Replacement(name: $0, file: $1, text: $1.text) }) { isReverted.signal() }
    isReverted.wait()
    let owed = owed.mapValues { _ in "A file in '\(directory)' still holds a write that was refused." }
    return state.withLockedValue(\.files).compactMapValues { $0.store.look()?.message }.merging(owed) { $1 }
  }

  func close() {
    // A scan in progress ends first, so that no file is opened after the others are closed.
    state.withLockedValue(\.monitor)?.close()
    state.withLockedValue { Array($0.files.values) }.forEach { $0.store.close() }
  }

  // MARK: New files

  private func watchForNewFiles() throws(ServerError) {
    guard options.watching != .off else { return }
    do throws(StorageError) {
      let monitor = try DirectoryMonitor.start(directory, options: options) { [weak self] in self?.serveNewFiles() }
      state.withLockedValue { $0.monitor = monitor }
    } catch {
      throw ServerError(error, path: directory)
    }
  }

  private func serveNewFiles() {
    // A directory that cannot be read now is tried again; the stores of its files report their own faults.
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

  /// Reports what is wrong with a new file if that persists.
  private func refuse(_ entry: DirectoryListing.Entry, _ message: String) {
    let isDue = state.withLockedValue { state in
      guard let earlier = state.refused[entry.path], earlier.message == message else {
        state.refused[entry.path] = Refusal(message: message, since: .now)
        return false
      }
      guard !earlier.isAnnounced, .now - earlier.since >= Self.grace else { return false }
      state.refused[entry.path]?.isAnnounced = true
      return true
    }
    if isDue { onEdit(.invalid(message: message)) }
  }
}

/// Waits for the files of one commit; a commit ends as its worst file does.
final class CommitOutcome: Sendable {
  private struct State {
    var remaining: Int
    var worst = Commit.done
    var published: Set<String> = []
  }

  private let state: NIOLockedValueBox<State>
  private let completion: @Sendable (_ worst: Commit, _ published: Set<String>) -> Void

  /// - Parameters:
  ///   - count: How many files are written.
  ///   - completion: Called once, with how the worst file ended and the resources whose files hold the version.
  init(count: Int, _ completion: @escaping @Sendable (_ worst: Commit, _ published: Set<String>) -> Void) {
    state = NIOLockedValueBox(State(remaining: count))
    self.completion = completion
    if count == 0 { completion(.done, []) }
  }

  /// Records how the file of a resource ended. To be called once for each file.
  func add(_ commit: Commit, _ resource: String) {
    let finished = state.withLockedValue { state -> State? in
      state.remaining -= 1
      if commit.severity < 2 { state.published.insert(resource) }
      if commit.severity > state.worst.severity { state.worst = commit }
      return state.remaining == 0 ? state : nil
    }
    if let finished { completion(finished.worst, finished.published) }
  }
}

extension Commit {
  /// 0: the file holds the version, durably; 1: it holds it; 2: it does not; 3: it holds somebody else's edit.
  fileprivate var severity: Int {
    switch self {
    case .done: 0
    case .failed(let error): error.code == .durabilityUnknown ? 1 : 2
    case .edited: 3
    }
  }
}

/// Waits for the copies of the files of one version; fails when one of them does.
final class HistoryOutcome: Sendable {
  private struct State {
    var remaining: Int
    var result: Result<String, StorageError>?
  }

  private let state: NIOLockedValueBox<State>
  private let completion: @Sendable (Result<String, StorageError>) -> Void

  /// - Parameters:
  ///   - count: How many files there are to wait for, at least one.
  ///   - completion: Called once, with the path of a copy or the error of one that could not be made.
  init(count: Int, _ completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
    state = NIOLockedValueBox(State(remaining: count))
    self.completion = completion
  }

  /// Records how the copy of one file ended.
  func add(_ result: Result<String, StorageError>) {
    let finished = state.withLockedValue { state -> Result<String, StorageError>? in
      state.remaining -= 1
      if case .failure = state.result {} else { state.result = result }
      return state.remaining == 0 ? state.result : nil
    }
    if let finished { completion(finished) }
  }
}
