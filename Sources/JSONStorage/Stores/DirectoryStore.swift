import Dispatch
package import JSONDatabase
package import JSONServerValues
import NIOConcurrencyHelpers

/// Keeps each resource of a database in a file of its own, in one directory.
///
/// Each file is replaced atomically. A change of several resources, such as a deletion with dependents, replaces
/// several files; after a crash only the first of them may be new. A file that is later put into the directory is
/// served, too.
package final class DirectoryStore: Store {
  /// Parses the text of a resource's file; an error makes the file invalid.
  package typealias Parse = @Sendable (UTF8Slice, _ resource: String, _ path: String) throws -> DatabasePart

  /// A file of the directory.
  private struct File: Sendable {
    let store: FileStore<DatabasePart>
    var part: DatabasePart
    /// The generation of the version on which the server's database is based.
    var generation: Int
    /// The text that was read, or written by the last successful commit.
    var text: DatabaseText
    /// Whether the file holds a refused write that could not be reverted; the next commit reverts it.
    var isOwed = false
  }

  private struct Refusal {
    let message: String
    let since: ContinuousClock.Instant
    var isAnnounced = false
  }

  /// A new version of one file.
  private struct Replacement {
    let name: String
    let file: File
    let text: DatabaseText
  }

  private struct State {
    /// The files by resource.
    var files: [String: File] = [:]
    /// The errors of files that are not served yet, by path.
    var refused: [String: Refusal] = [:]
    /// Finds new files.
    var monitor: DirectoryMonitor?
  }

  private let directory: String
  private let options: FileStoreOptions
  private let parse: Parse
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let state = NIOLockedValueBox(State())

  /// How long a new file must stay unchanged before its errors are reported: an editor may be in the middle of a save.
  private static let grace = Duration.milliseconds(250)

  /// Opens all JSON files of a directory. Blocks until all are read.
  ///
  /// - Parameter parse: Runs on the thread of the file's store.
  /// - Throws: ``StorageError`` that names the directory or the file, with the error of `parse` as its cause.
  package static func open(
    _ path: String, options: FileStoreOptions, schema: Schema, ids: IDGenerator, parse: @escaping Parse,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) -> OpenedSource {
    let listing = try DirectoryListing(path)
    if let (one, other) = listing.clash {
      throw StorageError(
        .invalidFile, "'\(one.path)' and '\(other.path)' are both the resource '\(one.name)'; keep one of them.")
    }
    guard !listing.entries.isEmpty else {
      throw StorageError(
        .invalidFile, "The directory '\(path)' has no .json file; add one, such as posts.json with [].")
    }
    let store = DirectoryStore(path, options: options, parse: parse, onEdit: onEdit)
    do throws(StorageError) {
      let openings = try listing.entries.map { entry throws(StorageError) in (entry.path, try store.open(entry)) }
      try store.watchForNewFiles()
      return OpenedSource(
        store: store,
        database: Database(joining: openings.map(\.1.version.content), schema: schema, ids: ids),
        warnings: openings.flatMap { path, opening in opening.warnings.map { $0.message(path) } })
    } catch {
      store.close()
      throw error
    }
  }

  /// Creates the store of a directory, without opening its files.
  package init(
    _ directory: String, options: FileStoreOptions, parse: @escaping Parse,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    self.directory = directory
    self.options = options
    self.parse = parse
    self.onEdit = onEdit
  }

  private func open(_ entry: DirectoryListing.Entry) throws(StorageError) -> FileStore<DatabasePart>.Opening {
    let (parse, onEdit) = (parse, onEdit)
    let opening = try FileStore.open(entry.path, options: options) { text in
      try parse(text, entry.name, entry.path)
    } onEdit: { edit in
      onEdit(SourceEdit(edit, path: entry.path))
    }
    let part = opening.version.content
    state.withLockedValue {
      $0.files[entry.name] = File(
        store: opening.store, part: part, generation: opening.version.generation, text: part.text)
    }
    return opening
  }

  package let hasFixedResources = true

  package func commit(
    _ version: Database, after base: Database, _: [ServerState.Row],
    completion: @escaping @Sendable (CommitResult) -> Void
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
      case .moved, .failed:
        // The commit fails as a whole: files that were already written are reverted first.
        return revert(written) { completion(worst) }
      }
      completion(worst)
    }
  }

  /// Writes the version of the last successful commit, or of a later edit, to the files.
  private func revert(_ written: [Replacement], completion: @escaping @Sendable () -> Void) {
    let back = written.map { Replacement(name: $0.name, file: $0.file, text: $0.file.text) }
    publish(back) { [self] _, reverted in
      state.withLockedValue { state in
        for replacement in back { state.files[replacement.name]?.isOwed = !reverted.contains(replacement.name) }
      }
      completion()
    }
  }

  /// The files with a refused write.
  private var owed: [String: File] { state.withLockedValue { $0.files.filter(\.value.isOwed) } }

  /// Returns the new version of a resource's file; `nil` when the file or the resource does not exist.
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
    _ replacements: [Replacement],
    completion: @escaping @Sendable (_ worst: CommitResult, _ published: Set<String>) -> Void
  ) {
    // The worst result of a file is the result of the commit.
    let gathering = Gathering<(result: CommitResult, name: String)>(count: replacements.count) { ends in
      let worst = ends.map(\.result).max { $0.severity < $1.severity } ?? .done
      completion(worst, Set(ends.filter { $0.result.severity < 2 }.map(\.name)))
    }
    for replacement in replacements {
      replacement.file.store.publish(replacement.text, onto: replacement.file.generation) {
        gathering.add((CommitResult($0), replacement.name))
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

  package func adopt(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    state.withLockedValue { state in
      state.files[part.name]?.part = part
      state.files[part.name]?.text = part.text
      state.files[part.name]?.generation = source.generation
      state.files[part.name]?.isOwed = false
    }
  }

  package func saveHistory(
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
    let gathering = Gathering<Result<String, StorageError>>(count: replacements.count) { results in
      let isFailure = { (result: Result<String, StorageError>) in if case .failure = result { true } else { false } }
      if let result = results.first(where: isFailure) ?? results.last { completion(result) }
    }
    for replacement in replacements {
      replacement.file.store.saveHistory(replacement.text, completion: gathering.add)
    }
  }

  package func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    // The snapshot gets the mode and the owner of the first file.
    guard let first = state.withLockedValue({ $0.files.min { $0.key < $1.key }?.value }) else {
      return completion(
        .failure(
          StorageError(.unavailable, "The directory '\(directory)' has no file that '\(path)' could be made of.")))
    }
    first.store.snapshot(text, to: path, completion: completion)
  }

  package func look() -> [String: String] {
    let isReverted = DispatchSemaphore(value: 0)
    revert(owed.map { Replacement(name: $0, file: $1, text: $1.text) }) { isReverted.signal() }
    isReverted.wait()
    let owed = owed.mapValues { _ in "A file in '\(directory)' still holds a write that was refused." }
    return state.withLockedValue(\.files).compactMapValues { $0.store.look()?.message }.merging(owed) { $1 }
  }

  package func close() {
    // A scan in progress ends first, so that it opens no file after the others are closed.
    state.withLockedValue(\.monitor)?.close()
    state.withLockedValue { Array($0.files.values) }.forEach { $0.store.close() }
  }

  // MARK: New files

  private func watchForNewFiles() throws(StorageError) {
    guard options.watching != .off else { return }
    let monitor = try DirectoryMonitor.start(directory, options: options) { [weak self] in self?.serveNewFiles() }
    state.withLockedValue { $0.monitor = monitor }
  }

  private func serveNewFiles() {
    // A directory that cannot be read is tried again later; the stores of its files report their own errors.
    guard let listing = try? DirectoryListing(directory) else { return }
    let known = state.withLockedValue { Set($0.files.keys) }
    for entry in listing.entries where !known.contains(entry.name) {
      do throws(StorageError) {
        onEdit(.changed(try open(entry).version.loaded))
      } catch {
        refuse(entry, error)
      }
    }
  }

  /// Reports the error of a new file, if it persists.
  private func refuse(_ entry: DirectoryListing.Entry, _ error: StorageError) {
    let isDue = state.withLockedValue { state in
      guard let earlier = state.refused[entry.path], earlier.message == error.message else {
        state.refused[entry.path] = Refusal(message: error.message, since: .now)
        return false
      }
      guard !earlier.isAnnounced, .now - earlier.since >= Self.grace else { return false }
      state.refused[entry.path]?.isAnnounced = true
      return true
    }
    if isDue { onEdit(.invalid(error)) }
  }
}

extension CommitResult {
  /// 0: the file holds the version, durably; 1: the file holds the version; 2: it does not; 3: it holds an edit.
  fileprivate var severity: Int {
    switch self {
    case .done: 0
    case .failed(let error): error.code == .durabilityUnknown ? 1 : 2
    case .moved: 3
    }
  }
}

/// Waits for a number of values from any threads.
private final class Gathering<Value: Sendable>: Sendable {
  private let count: Int
  private let values = NIOLockedValueBox<[Value]>([])
  private let completion: @Sendable ([Value]) -> Void

  /// - Parameter completion: Called once, with all values in the order of their arrival; immediately when the count is
  ///   0.
  init(count: Int, _ completion: @escaping @Sendable ([Value]) -> Void) {
    self.count = count
    self.completion = completion
    if count == 0 { completion([]) }
  }

  func add(_ value: Value) {
    let all = values.withLockedValue { values in
      values.append(value)
      return values.count == count ? values : nil
    }
    if let all { completion(all) }
  }
}
