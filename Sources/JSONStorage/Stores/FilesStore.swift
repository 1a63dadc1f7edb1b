import Dispatch
package import JSONDatabase
package import JSONServerValues
import NIOConcurrencyHelpers

/// Keeps a database in one file, or each of its resources in a file of its own, in one directory.
///
/// Each file is replaced atomically. A change of several resources, such as a deletion with dependents, replaces
/// several files of a directory; after a crash only the first of them may be new. A file that is later put into the
/// directory is served, too.
package final class FilesStore: Store {
  /// Parses the text of a file; an error makes the file invalid. Runs on the thread of the file's store.
  package typealias Parse = @Sendable (UTF8Slice, _ resource: String, _ path: String) throws -> LoadedFile.Content

  private struct File: Sendable {
    let entry: DirectoryListing.Entry
    let store: FileStore<LoadedSource>
    /// The version on which the server's database is based, as it was read.
    let source: LoadedFile
    /// The text that was read, or written by the last successful commit.
    var text: DatabaseText
    /// Whether the file holds a refused write that could not be reverted; the next commit reverts it.
    var isOwed = false

    init(_ entry: DirectoryListing.Entry, _ store: FileStore<LoadedSource>, _ source: LoadedFile) {
      (self.entry, self.store, self.source, text) = (entry, store, source, source.content.text)
    }
  }

  private struct Refusal {
    let error: StorageError
    /// The stamp of the invalid file; `nil` when the error may end without a change of the file.
    var stamp: FileStamp?
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
    /// The files by resource; one with an empty name for a file of all resources.
    var files: [String: File] = [:]
    /// The errors of files that are not served yet, by path.
    var refused: [String: Refusal] = [:]
    /// The paths of links that were reported to lead to a served file.
    var aliases: Set<String> = []
    var isClosed = false
  }

  /// The directory; `nil` for one file.
  private let directory: String?
  private let options: FileStoreOptions
  private let parse: Parse
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let state = NIOLockedValueBox(State())
  /// Looks for new files.
  private let queue = DispatchQueue(label: "swift-json-server.directory")

  /// How long a new file must stay unchanged before its errors are reported: an editor may be in the middle of a save.
  private static let grace = Duration.milliseconds(250)

  /// Opens a file, or all JSON files of a directory. Blocks until all are read.
  ///
  /// - Throws: ``StorageError`` that names the directory or the file, with the error of `parse` as its cause.
  package static func open(
    _ path: String, isDirectory: Bool, options: FileStoreOptions, schema: Schema, ids: IDGenerator,
    parse: @escaping Parse, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) -> OpenedSource {
    let store = FilesStore(isDirectory ? path : nil, options: options, parse: parse, onEdit: onEdit)
    do throws(StorageError) {
      let entries = try isDirectory ? DirectoryListing.served(in: path) : [.init(name: "", path: path)]
      var openings: [String: FileStore<LoadedSource>.Opening] = [:]
      var warnings: [String: [FileStore<LoadedSource>.Warning]] = [:]
      var served: [FileLocation: String] = [:]
      for entry in entries.linksLast {
        if entry.isLink, let name = entry.location.flatMap({ served[$0] }) {
          warnings[entry.path] = store.aliasWarnings(entry, of: name)
        } else {
          let opening = try store.open(entry)
          openings[entry.path] = opening
          warnings[entry.path] = opening.warnings
          if let location = entry.location { served[location] = entry.name }
        }
      }
      if isDirectory, options.watching != .off { store.lookForNewFiles() }
      let files = entries.compactMap { openings[$0.path]?.version.file }
      let database =
        if case .whole(let database)? = files.first?.content { database } else {
          Database(joining: files.compactMap(\.part), schema: schema, ids: ids)
        }
      return OpenedSource(
        store: store, database: database,
        warnings: entries.flatMap { entry in (warnings[entry.path] ?? []).map { $0.message(entry.path) } })
    } catch {
      store.close()
      throw error
    }
  }

  /// Creates a store without opening its files.
  ///
  /// - Parameter directory: `nil` for one file.
  init(
    _ directory: String?, options: FileStoreOptions, parse: @escaping Parse,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    self.directory = directory
    self.options = options
    self.parse = parse
    self.onEdit = onEdit
  }

  private func open(_ entry: DirectoryListing.Entry) throws(StorageError) -> FileStore<LoadedSource>.Opening {
    let parse = parse
    let parsed: @Sendable (UTF8Slice, Int) throws -> LoadedSource = { text, generation in
      .file(LoadedFile(try parse(text, entry.name, entry.path), generation: generation))
    }
    let opening = try FileStore.open(entry.path, options: options, parse: parsed, onEdit: onEdit)
    state.withLockedValue { $0.files[entry.name] = opening.version.file.map { File(entry, opening.store, $0) } }
    return opening
  }

  /// The resources by the locations of their files. O(*n*) system calls for *n* resources.
  ///
  /// One file must not have two stores: its lock excludes a second one, and each would take the other's writes for edits.
  private var served: [FileLocation: String] {
    let entries = state.withLockedValue(\.files).values.map(\.entry)
    let located = entries.compactMap { entry in entry.location.map { ($0, entry.name) } }
    return Dictionary(located) { first, _ in first }
  }

  /// The warning about a link that leads to a served file, the first time.
  private func aliasWarnings(_ entry: DirectoryListing.Entry, of name: String) -> [FileStore<LoadedSource>.Warning] {
    state.withLockedValue { $0.aliases.insert(entry.path).inserted } ? [.alias(of: name)] : []
  }

  package var hasFixedResources: Bool { directory != nil }

  package func commit(
    _ version: Database, after base: Database, writing resources: Set<Int>, _: [ServerState.Row],
    completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    var replacements: [Replacement] = []
    let written = version.changedPositions(since: base).union(resources)
    for name in Set(directory == nil ? [""] : version.resourceNames(at: written)).union(owed.keys) {
      guard let replacement = replacement(of: name, by: version) else { return completion(.failed(noFile(of: name))) }
      replacements.append(replacement)
    }
    publish(replacements) { [self, replacements] worst, published in
      let written = replacements.filter { published.contains($0.name) }
      switch worst {
      case .done, .uncertain: recordTexts(written)
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
    guard let file = state.withLockedValue({ $0.files[name] }), let text = file.source.content.text(of: database) else {
      return nil
    }
    return Replacement(name: name, file: file, text: text)
  }

  private func noFile(of resource: String) -> StorageError {
    StorageError(
      .unavailable,
      "The resource '\(resource)' has no file in '\(directory ?? "")'; put \(resource).json into it first.")
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
      replacement.file.store.publish(replacement.text, onto: replacement.file.source.generation) {
        gathering.add(($0, replacement.name))
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
    guard let source = source.file else { return }
    state.withLockedValue { state in
      guard let file = state.files[source.name] else { return }
      state.files[source.name] = File(file.entry, file.store, source)
    }
  }

  package func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    let names = directory == nil ? [""] : part.map { [$0] } ?? database.resourceNames
    let replacements = names.compactMap { replacement(of: $0, by: database) }
    guard !replacements.isEmpty else {
      return completion(
        .failure(
          part.map(noFile) ?? StorageError(.unavailable, "The directory '\(directory ?? "")' has no file to save.")))
    }
    let gathering = Gathering<Result<String, StorageError>>(count: replacements.count) { results in
      let isFailure = { (result: Result<String, StorageError>) in if case .failure = result { true } else { false } }
      if let result = results.first(where: isFailure) ?? results.last { completion(result) }
    }
    for replacement in replacements {
      replacement.file.store.saveHistory(replacement.text, completion: gathering.add)
    }
  }

  package func writeCopy(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    // The copy gets the mode and the owner of the first file.
    guard let first = state.withLockedValue({ $0.files.min { $0.key < $1.key }?.value }) else {
      return completion(
        .failure(
          StorageError(.unavailable, "The directory '\(directory ?? "")' has no file that '\(path)' could be made of."))
      )
    }
    first.store.writeCopy(text, to: path, completion: completion)
  }

  package func look() -> [String: String] {
    let isReverted = DispatchSemaphore(value: 0)
    revert(owed.map { Replacement(name: $0, file: $1, text: $1.text) }) { isReverted.signal() }
    isReverted.wait()
    let owed = owed.mapValues { _ in "A file in '\(directory ?? "")' still holds a write that was refused." }
    return state.withLockedValue(\.files).compactMapValues { $0.store.look()?.message }.merging(owed) { $1 }
  }

  package func close() {
    state.withLockedValue { $0.isClosed = true }
    // A look in progress ends first, so that it opens no file after the others are closed.
    queue.sync {}
    state.withLockedValue { Array($0.files.values) }.forEach { $0.store.close() }
  }

  // MARK: New files

  /// Looks at intervals, as each file's store does: a directory that is restored under its name causes no notification.
  private func lookForNewFiles() {
    queue.asyncAfter(deadline: .now() + options.timing.pollInterval / .seconds(1)) { [weak self] in
      guard let self, !state.withLockedValue(\.isClosed) else { return }
      serveNewFiles()
      lookForNewFiles()
    }
  }

  private func serveNewFiles() {
    // A directory that cannot be read is tried again later; the stores of its files report their own errors.
    guard let directory, let listing = try? DirectoryListing(directory) else { return }
    let known = state.withLockedValue { Set($0.files.keys) }
    let new = listing.entries.filter { !known.contains($0.name) }
    var served = new.isEmpty ? [:] : served
    for entry in new.linksLast {
      if let name = entry.location.flatMap({ served[$0] }) {
        for warning in aliasWarnings(entry, of: name) { onEdit(.warned(warning, path: entry.path)) }
        continue
      }
      let stamp = entry.settledStamp
      do throws(StorageError) {
        // Opening takes the lock, whose file would come and go all the time.
        if let stamp, let earlier = state.withLockedValue({ $0.refused[entry.path] }), earlier.stamp == stamp {
          throw earlier.error
        }
        onEdit(.changed(try open(entry).version))
        if let location = entry.location { served[location] = entry.name }
      } catch {
        refuse(entry, error, stamp)
      }
    }
  }

  /// Reports the error of a new file, if it persists.
  private func refuse(_ entry: DirectoryListing.Entry, _ error: StorageError, _ stamp: FileStamp?) {
    // Only the file's own bytes cause a parser's error.
    let stamp = error.code == .invalidFile && error.cause != nil ? stamp : nil
    let isDue = state.withLockedValue { state in
      guard let earlier = state.refused[entry.path], earlier.error.message == error.message else {
        state.refused[entry.path] = Refusal(error: error, stamp: stamp, since: .now)
        return false
      }
      state.refused[entry.path]?.stamp = stamp
      guard !earlier.isAnnounced, .now - earlier.since >= Self.grace else { return false }
      state.refused[entry.path]?.isAnnounced = true
      return true
    }
    if isDue { onEdit(.invalid(error)) }
  }
}

// MARK: Contents

extension LoadedFile.Content {
  /// The text of the file as it was read.
  fileprivate var text: DatabaseText {
    switch self {
    case .whole(let database): database.text
    case .part(let part): part.text
    }
  }

  /// The text of the file with the data of a version; `nil` when the version does not have the file's resource.
  fileprivate func text(of database: Database) -> DatabaseText? {
    switch self {
    case .whole: database.text
    case .part(let part): part.text(of: database)
    }
  }
}

extension CommitResult {
  /// 0: the file holds the version, durably; 1: the file holds the version; 2: it does not; 3: it holds an edit.
  fileprivate var severity: Int {
    switch self {
    case .done: 0
    case .uncertain: 1
    case .failed: 2
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

extension FileStore.Warning {
  /// The warning, and what to do about it.
  package func message(_ path: String) -> String {
    switch self {
    case .hardLinks(let count):
      "'\(path)' has \(count) names; after the first write only this one leads to the new version."
    case .mountPoint:
      "'\(path)' is mounted and cannot be replaced; it is written in place. Mount its directory instead for atomic writes."
    case .notLocked:
      "'\(path)' cannot be locked here; make sure that no second server writes to it."
    case .alias(of: let name):
      "'\(path)' is not served, since its file is the resource '\(name)' already."
    }
  }
}

extension DatabaseText: FileContent {}
