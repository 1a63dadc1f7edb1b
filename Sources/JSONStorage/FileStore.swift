import Dispatch
package import JSONServerValues

/// Keeps files: reads them, publishes versions atomically, and watches the files for edits.
///
/// One queue does all work on the files of a store. At every instant each path holds one complete version. The store never
/// overwrites an edit that the publisher has not seen.
///
/// All closures of a caller run on that queue; they must return immediately, without blocking.
///
/// The class is Sendable because its worker and the time of its alarm are used on its queue alone, and by `deinit`.
package final class FileStore: @unchecked Sendable {
  /// A file of a store.
  package struct File: Sendable, Hashable {
    let index: Int
  }

  /// Parses the bytes of a file; an error makes the file invalid.
  package typealias Parse = @Sendable (UTF8Slice) throws -> LoadedFile.Content

  /// An opened file, and its content.
  package struct Opening: Sendable {
    package let file: File
    package let version: LoadedFile
    package let warnings: [FileWarning]
  }

  /// A new version of a file.
  package struct Write: Sendable {
    let file: File
    let content: any FileContent
    let generation: Int

    /// - Parameters:
    ///   - content: The complete new version.
    ///   - generation: The generation of the version on which it is based: the number of edits up to it. If the file was
    ///     edited since, nothing is published, so an edit that the publisher has not seen is never overwritten.
    package init(_ content: some FileContent, to file: File, onto generation: Int) {
      (self.file, self.content, self.generation) = (file, content, generation)
    }
  }

  private let queue = DispatchQueue(label: "swift-json-server.files")
  private let worker: FileStoreWorker
  private var alarm: ContinuousClock.Instant?

  /// Creates a store without files.
  ///
  /// - Parameter onEdit: Called with each edit, in order, before any completion that refers to its version.
  package init(
    options: FileStoreOptions = FileStoreOptions(), fileSystem: FileSystem = FileSystem(),
    onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) {
    CurrentProcess.ignoreFileSignals()
    worker = FileStoreWorker(options: options, fileSystem: fileSystem, onEdit: onEdit)
  }

  deinit {
    worker.close()
  }

  /// Opens a file, and blocks until it is read.
  ///
  /// Cleans up after a killed server: writes back a recovery file, and moves a half-written version to the history.
  ///
  /// - Parameter path: The file's path, which may be a symbolic link.
  /// - Throws: ``StorageError``; with code `locked` when another server has the file.
  package func open(_ path: String, parse: @escaping Parse) throws(StorageError) -> Opening {
    try sync { worker throws(StorageError) in try worker.open(path, parse: parse) }
  }

  /// Publishes new versions of some files: of all, or, after a failure or an edit, of none.
  ///
  /// A power cut may come between two files.
  package func publish(_ writes: [Write], completion: @escaping @Sendable (CommitResult) -> Void) {
    async { $0.publish(writes, completion) }
  }

  /// Saves versions in the history directories beside their files, each of which keeps the newest 20.
  ///
  /// Versions that are published later wait for the copies. An ephemeral store saves nothing and fails.
  ///
  /// - Parameter completion: Called with the path of the last copy.
  package func saveHistory(
    _ contents: [(file: File, content: any FileContent)],
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    async { worker in completion(Result { () throws(StorageError) in try worker.saveHistory(contents) }) }
  }

  /// Writes a version to another file, atomically; replaces an existing file.
  ///
  /// - Parameter model: The file whose mode and owner a new file gets.
  package func writeCopy(
    _ content: some FileContent, to path: String, like model: File,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    async { worker in
      completion(Result { () throws(StorageError) in try worker.open(model).writeCopy(content, to: path) })
    }
  }

  /// Checks the files now, and reports edits that were not noticed yet. Blocks until that is done.
  ///
  /// - Returns: The reasons why files hold no valid version; none for a closed store.
  package func look() -> [File: StorageError] { sync { $0.lookNow() } }

  /// Publishes the waiting versions, and releases the files. Blocks until that is done.
  ///
  /// Must not be called from a closure that the store runs.
  package func close() { sync { $0.close() } }

  /// Does work on the queue, and waits for it.
  func sync<Success, Failure: Error>(
    _ work: (FileStoreWorker) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try queue.sync {
      defer { goOn() }
      return Result { () throws(Failure) in try work(worker) }
    }.get()
  }

  private func async(_ work: @escaping @Sendable (FileStoreWorker) -> Void) {
    queue.async { [self] in
      work(worker)
      goOn()
    }
  }

  /// Does what is due, and comes back when more is due.
  private func goOn() {
    worker.goOn()
    guard let moment = worker.nextMoment, alarm.map({ moment < $0 }) ?? true else { return }
    alarm = moment
    queue.asyncAfter(deadline: .now() + max(moment - .now, .zero) / .seconds(1)) { [weak self] in
      // An earlier alarm may have been set since.
      guard let self, alarm == moment else { return }
      alarm = nil
      goOn()
    }
  }
}

/// Options of a ``FileStore``.
package struct FileStoreOptions: Sendable {
  /// What a version survives when it counts as published.
  package var synchronization: Persistence.Durability
  /// Whether the store looks for edits, or notices them with the next write alone.
  package var watching: Persistence.Watching
  var timing = Timing()

  package init(synchronization: Persistence.Durability = .full, watching: Persistence.Watching = .on) {
    self.synchronization = synchronization
    self.watching = watching
  }

  /// The waiting times of a store.
  struct Timing: Sendable {
    /// Between two looks at the files. Edits must be loaded within half a second; a look costs about 2 µs for each file.
    var idleInterval = Duration.milliseconds(250)
    /// The same while something happens.
    var busyInterval = Duration.milliseconds(100)
    /// How long after an edit or a write something counts as happening.
    var busyTime = Duration.seconds(5)
    /// How long a changed file must stay unchanged before it is read.
    var debounce = Duration.milliseconds(50)
    /// How long a file must stay invalid, empty or missing before the store reports it: an editor may be in the middle
    /// of a save.
    var grace = Duration.milliseconds(250)
    /// The time that a publish waits for an invalid file to become valid.
    var publishTimeout = Duration.seconds(1)
    /// The time that a replaced version stays open, to notice late saves.
    var replacedHold = Duration.milliseconds(500)
  }
}

/// A warning about a file when it is opened, or about its place later on.
package enum FileWarning: Sendable, Hashable {
  /// The file has other names, which keep the old version when a new version is published.
  case hardLinks(count: Int)
  /// The file is a mount point and cannot be replaced. It is written in place, with a recovery file in the same directory.
  case mountPoint
  /// The file system has no locks, so nothing excludes a second server.
  case notLocked
  /// The name leads to a file that is served as another resource, and is left out.
  case alias(of: String)

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

/// A change of a source by another program.
package enum SourceEdit: Sendable {
  /// The source has a new valid version. All further versions are based on it.
  case changed(LoadedSource)
  /// A file cannot be read or parsed; the store does not write to it until it is valid.
  case invalid(StorageError)
  /// A file is missing. The next published version creates it again.
  case deleted(path: String)
  /// After `invalid` or `deleted`, a file holds its last valid version again, or a later published one.
  case restored(path: String)
  /// A program saved to a version that had already been replaced; the path has its text.
  case conflict(path: String)
  /// A program may have saved to a version that had already been replaced, and the save could not be kept.
  case conflictLost(StorageError)
  /// The place of a file has a disadvantage that it did not have, or did not show, when the file was opened.
  case warned(FileWarning, path: String)
}

/// The result of a commit.
package enum CommitResult: Sendable {
  /// The version is as durable as was requested.
  case done
  /// Somebody else has written before, so nothing was published.
  case moved(to: LoadedSource)
  /// The version is published, but may not survive a power cut.
  case uncertain(StorageError)
  /// Nothing was published. With code `durabilityUnknown`, PostgreSQL may still have the version; it delivers the version
  /// later.
  case failed(StorageError)
}

/// A content that can be written to a file.
package protocol FileContent: Sendable {
  /// Calls a closure with the bytes, slice by slice, in order.
  ///
  /// Slices may have any size and number; the store gathers small ones before it writes.
  func forEachSlice<Failure: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void) throws(Failure)
}

extension UTF8Slice: FileContent {
  package func forEachSlice<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) { try withBytes(body) }
}
