package import JSONDatabase
package import JSONServerValues
import NIOConcurrencyHelpers

/// Keeps a database in one file, or each of its resources in a file of its own, in one directory.
///
/// Each file is replaced atomically. A change of several resources, such as a deletion with dependents, replaces
/// several files of a directory; after a crash only the first of them may be new. A file that is later put into the
/// directory is served, too.
package final class DatabaseFiles: Store {
  /// Parses the text of a file; an error makes the file invalid. Runs on the queue of the files.
  package typealias Parse = @Sendable (UTF8Slice, _ resource: String, _ path: String) throws -> LoadedFile.Content

  private struct File: Sendable {
    let entry: DirectoryListing.Entry
    let stored: FileStore.File
    /// The version on which the server's database is based, as it was read.
    var source: LoadedFile
  }

  private struct Refusal {
    let error: StorageError
    /// The stamp of the invalid file; `nil` when the error may end without a change of the file.
    var stamp: FileStamp?
    let since: ContinuousClock.Instant
    var isAnnounced = false
  }

  private struct State {
    /// The files by resource; one with an empty name for a file of all resources.
    var files: [String: File] = [:]
    /// The files of a commit of which not all could be replaced: the next commit writes them again.
    var unwritten: Set<String> = []
    /// The errors of files that are not served yet, by path.
    var refused: [String: Refusal] = [:]
    /// The paths of links that were reported to lead to a served file.
    var aliases: Set<String> = []
    /// The directory as it was last listed, if its stamp changes with every later change.
    var listed: FileStamp?
  }

  /// What a path holds.
  package enum Form: Sendable, Hashable {
    /// All resources, in one file.
    case whole
    /// One resource, in a file.
    case resource(String)
    /// Each resource in a file of its own.
    case directory
  }

  /// Whether one file holds all resources.
  private let isWhole: Bool
  /// The directory; `nil` for one file.
  private let directory: String?
  private let parse: Parse
  private let onEdit: @Sendable (SourceEdit) -> Void
  private let store: FileStore
  private let state = NIOLockedValueBox(State())

  /// How long an error of a new file must last before it is reported: an editor may be in the middle of a save.
  private let grace: Duration

  /// Opens a file, or all JSON files of a directory. Blocks until all are read.
  ///
  /// - Throws: ``StorageError`` that names the directory or the file, with the error of `parse` as its cause.
  package static func open(
    _ path: String, _ form: Form, options: FileStoreOptions, schema: Schema, ids: IDGenerator,
    parse: @escaping Parse, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(StorageError) -> OpenedSource {
    let directory = form == .directory ? path : nil
    let files = DatabaseFiles(directory, isWhole: form == .whole, options: options, parse: parse, onEdit: onEdit)
    do throws(StorageError) {
      let entries: [DirectoryListing.Entry] =
        switch form {
        case .directory: try DirectoryListing.served(in: path)
        case .resource(let name): [.init(name: name, path: path)]
        case .whole: [.init(name: "", path: path)]
        }
      return try files.store.sync { worker throws(StorageError) in
        try files.open(entries, by: worker, schema: schema, ids: ids)
      }
    } catch {
      files.close()
      throw error
    }
  }

  /// Creates a store without opening its files.
  ///
  /// - Parameter directory: `nil` for one file.
  init(
    _ directory: String?, isWhole: Bool = false, options: FileStoreOptions, parse: @escaping Parse,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    self.directory = directory
    self.isWhole = isWhole
    self.parse = parse
    self.onEdit = onEdit
    grace = options.timing.grace
    store = FileStore(options: options, onEdit: onEdit)
  }

  private func open(
    _ entries: [DirectoryListing.Entry], by worker: FileStoreWorker, schema: Schema, ids: IDGenerator
  ) throws(StorageError) -> OpenedSource {
    var openings: [String: FileStore.Opening] = [:]
    var warnings: [String: [FileWarning]] = [:]
    var served: [FileLocation: String] = [:]
    for entry in entries.linksLast {
      if entry.isLink, let name = entry.location.flatMap({ served[$0] }) {
        warnings[entry.path] = aliasWarnings(entry, of: name)
      } else {
        let opening = try open(entry, by: worker)
        openings[entry.path] = opening
        warnings[entry.path] = opening.warnings
        if let location = entry.location { served[location] = entry.name }
      }
    }
    if directory != nil { worker.onLook = { [weak self] in self?.serveNewFiles(by: $0) } }
    let files = entries.compactMap { openings[$0.path]?.version }
    let database =
      if case .whole(let database)? = files.first?.content { database } else {
        Database(joining: files.compactMap(\.part), schema: schema, ids: ids)
      }
    return OpenedSource(
      store: self, database: database,
      warnings: entries.flatMap { entry in (warnings[entry.path] ?? []).map { $0.message(entry.path) } })
  }

  private func open(
    _ entry: DirectoryListing.Entry, by worker: FileStoreWorker
  ) throws(StorageError) -> FileStore.Opening {
    let opening = try worker.open(entry.path) { [parse] text in try parse(text, entry.name, entry.path) }
    state.withLockedValue {
      $0.files[entry.name] = File(entry: entry, stored: opening.file, source: opening.version)
    }
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
  private func aliasWarnings(_ entry: DirectoryListing.Entry, of name: String) -> [FileWarning] {
    state.withLockedValue { $0.aliases.insert(entry.path).inserted } ? [.alias(of: name)] : []
  }

  package var hasFixedResources: Bool { !isWhole }

  package func commit(
    _ version: Database, after base: Database, writing resources: Set<Int>, _: [ServerState.Row], age _: Duration,
    completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    let written = version.changedPositions(since: base).union(resources)
    let (files, unwritten) = state.withLockedValue { ($0.files, $0.unwritten) }
    let names = Set(isWhole ? [""] : version.resourceNames(at: written)).union(unwritten)
    var writes: [FileStore.Write] = []
    for name in names.sorted() {
      guard let file = files[name], let text = file.source.content.text(of: version) else {
        return completion(.failed(noFile(of: name)))
      }
      writes.append(FileStore.Write(text, to: file.stored, onto: file.source.generation))
    }
    store.publish(writes) { [self] result in
      switch result {
      case .done: state.withLockedValue { $0.unwritten = [] }
      case .uncertain: state.withLockedValue { $0.unwritten = names }
      case .moved, .failed: break
      }
      completion(result)
    }
  }

  private func noFile(of resource: String) -> StorageError {
    StorageError(
      .unavailable,
      "The resource '\(resource)' has no file in '\(directory ?? "")'; put \(resource).json into it first.")
  }

  package func adopt(_ source: LoadedSource) {
    guard let source = source.file else { return }
    state.withLockedValue { $0.files[source.name]?.source = source }
  }

  package func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    let files = state.withLockedValue(\.files)
    let names = isWhole ? [""] : part.map { [$0] } ?? database.resourceNames
    let contents: [(file: FileStore.File, content: any FileContent)] = names.compactMap { name in
      guard let file = files[name], let text = file.source.content.text(of: database) else { return nil }
      return (file.stored, text)
    }
    guard !contents.isEmpty else {
      return completion(
        .failure(
          part.map(noFile) ?? StorageError(.unavailable, "The directory '\(directory ?? "")' has no file to save.")))
    }
    store.saveHistory(contents, completion: completion)
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
    store.writeCopy(text, to: path, like: first.stored, completion: completion)
  }

  package func look() -> [String: String] {
    let faults = store.look()
    return state.withLockedValue(\.files).compactMapValues { faults[$0.stored]?.message }
  }

  package func close() { store.close() }

  // MARK: New files

  private func serveNewFiles(by worker: FileStoreWorker) {
    guard let directory else { return }
    let stamp = DirectoryListing.settledStamp(of: directory)
    let isListed = state.withLockedValue {
      // Without a change of the directory, a refused file may become valid, and a link lead elsewhere.
      stamp != nil && $0.listed == stamp && $0.refused.isEmpty && $0.aliases.isEmpty
    }
    // A directory that cannot be read is tried again later; its files report their own errors.
    guard !isListed, let listing = try? DirectoryListing(directory) else { return }
    let paths = Set(listing.entries.map(\.path))
    let known = state.withLockedValue { state in
      state.listed = stamp
      state.refused = state.refused.filter { paths.contains($0.key) }
      return Set(state.files.keys)
    }
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
        onEdit(.changed(.file(try open(entry, by: worker).version)))
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
      guard !earlier.isAnnounced, .now - earlier.since >= grace else { return false }
      state.refused[entry.path]?.isAnnounced = true
      return true
    }
    if isDue { onEdit(.invalid(error)) }
  }
}

// MARK: Contents

extension LoadedFile.Content {
  /// The text of the file with the data of a version; `nil` when the version does not have the file's resource.
  fileprivate func text(of database: Database) -> DatabaseText? {
    switch self {
    case .whole: database.text
    case .part(let part): part.text(of: database)
    case .text: nil
    }
  }
}

extension DatabaseText: FileContent {}
