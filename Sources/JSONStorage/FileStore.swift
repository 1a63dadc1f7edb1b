import Dispatch
package import JSONServerValues
import NIOConcurrencyHelpers

/// Keeps one file: reads it, publishes versions atomically, and watches it for edits.
///
/// One thread of the store locks, reads, writes and watches the file. At every instant the path holds one complete
/// version. The store never overwrites an edit that the publisher has not seen.
///
/// All closures of a caller run on that thread; they must return immediately, without blocking.
package final class FileStore<Version: Sendable>: Sendable {
  /// A warning about a file when it is opened, or about its place later on.
  package enum Warning: Sendable, Hashable {
    /// The file has other names, which keep the old version when a new version is published.
    case hardLinks(count: Int)
    /// The file is a mount point and cannot be replaced. It is written in place, with a recovery file in the same
    /// directory.
    case mountPoint
    /// The file system has no locks, so nothing excludes a second server.
    case notLocked
    /// The name leads to a file that is served as another resource, and is left out.
    case alias(of: String)
  }

  /// An opened store, and the content of its file.
  package struct Opening: Sendable {
    package let store: FileStore
    package let version: Version
    package let warnings: [Warning]
  }

  private let mailbox: FileStoreMailbox<Version>
  private let options: FileStoreOptions
  private let ended = DispatchSemaphore(value: 0)

  /// Opens a file, and blocks until it is read.
  ///
  /// Cleans up after a killed server: writes back a recovery file, and moves a half-written version to the history.
  ///
  /// - Parameters:
  ///   - path: The file's path, which may be a symbolic link.
  ///   - parse: Parses the bytes of a generation; an error makes the file invalid. Runs on the store's thread.
  ///   - onEdit: Called with each edit, in order, before any completion that refers to its version.
  /// - Throws: ``StorageError``; with code `locked` when another server has the file.
  package static func open(
    _ path: String,
    options: FileStoreOptions = FileStoreOptions(),
    fileSystem: FileSystem = FileSystem(),
    parse: @escaping @Sendable (UTF8Slice, _ generation: Int) throws -> Version,
    onEdit: @escaping @Sendable (FileEdit<Version>) -> Void
  ) throws(StorageError) -> Opening {
    CurrentProcess.ignoreFileSignals()
    do {
      let store = FileStore(mailbox: try FileStoreMailbox(), options: options)
      let opened = BlockingPromise<Result<(Version, [Warning]), StorageError>>()
      let (mailbox, ended) = (store.mailbox, store.ended)
      try DetachedThread.start {
        let worker = FileStoreWorker(
          path: path, options: options, fileSystem: fileSystem, parse: parse, onEdit: onEdit)
        let result = Result { () throws(StorageError) in try worker.open() }
        opened.give(result)
        if case .success = result { worker.run(mailbox) }
        ended.signal()
      }
      let (version, warnings) = try opened.take().get()
      return Opening(store: store, version: version, warnings: warnings)
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.unavailable, "Cannot open '\(path)': \(error)", cause: error)
    }
  }

  private init(mailbox: FileStoreMailbox<Version>, options: FileStoreOptions) {
    self.mailbox = mailbox
    self.options = options
  }

  deinit {
    mailbox.close()
  }

  /// Publishes a version.
  ///
  /// When several versions are queued, only the newest is written; the completions of all are called in order.
  ///
  /// - Parameters:
  ///   - content: The complete new version.
  ///   - generation: The generation of the version on which it is based: the number of edits up to it. If the file was
  ///     edited since, nothing is published, so an edit that the publisher has not seen is never overwritten.
  ///   - completion: Called once, on the store's thread, or immediately when the store is closed.
  package func publish(
    _ content: some FileContent, onto generation: Int,
    completion: @escaping @Sendable (Publication<Version>) -> Void
  ) {
    let request = PublishRequest(
      content: content, generation: generation, completion: completion, deadline: .now + options.timing.publishTimeout)
    if !mailbox.add({ $0.accept(request) }) { completion(.failed(Self.closed)) }
  }

  /// Saves a version in the history directory beside the file, which keeps the newest 20.
  ///
  /// Versions that are published later wait for the copy. An ephemeral store saves nothing and fails.
  ///
  /// - Parameter completion: Called with the path of the copy.
  package func saveHistory(
    _ content: some FileContent, completion: @escaping @Sendable (Result<String, StorageError>) -> Void = { _ in }
  ) {
    complete(completion) { worker throws(StorageError) in try worker.saveHistory(content) }
  }

  /// Writes a version to another file, atomically; replaces an existing file.
  package func writeCopy(
    _ content: some FileContent, to path: String,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    complete(completion) { worker throws(StorageError) in try worker.writeCopy(content, to: path) }
  }

  /// Does work on the store's thread, and completes with its result.
  private func complete(
    _ completion: @escaping @Sendable (Result<String, StorageError>) -> Void,
    _ work: @escaping @Sendable (FileStoreWorker<Version>) throws(StorageError) -> String
  ) {
    let isAdded = mailbox.add { worker in completion(Result { () throws(StorageError) in try work(worker) }) }
    if !isAdded { completion(.failure(Self.closed)) }
  }

  /// Checks the file now, and reports an edit that was not noticed yet. Blocks until that is done.
  ///
  /// - Returns: The reason why the file holds no valid version; `nil` when it does, or when the store is closed.
  package func look() -> StorageError? {
    let fault = BlockingPromise<StorageError?>()
    return mailbox.add { fault.give($0.look()) } ? fault.take() : nil
  }

  /// Publishes the queued versions, releases the lock and ends the thread. Blocks until that is done.
  ///
  /// Must not be called from a closure that the store runs.
  package func close() {
    mailbox.close()
    ended.wait()
    // A second close must not block.
    ended.signal()
  }

  private static var closed: StorageError { StorageError(.closed, "The file is closed.") }
}

/// Passes one value from one thread to another, which waits for the value.
private final class BlockingPromise<Value: Sendable>: Sendable {
  private let value = NIOLockedValueBox<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ value: Value) {
    self.value.withLockedValue { $0 = value }
    given.signal()
  }

  /// Waits for the value. Must be called only once.
  func take() -> Value {
    while true {
      given.wait()
      if let value = value.withLockedValue({ $0 }) { return value }
    }
  }
}

/// Options of a ``FileStore``.
package struct FileStoreOptions: Sendable {
  /// What a version survives when it counts as published.
  package var synchronization: Persistence.Durability
  /// How the store finds out about edits.
  package var watching: Persistence.Watching
  var timing = Timing()

  package init(synchronization: Persistence.Durability = .full, watching: Persistence.Watching = .notifications) {
    self.synchronization = synchronization
    self.watching = watching
  }

  /// The waiting times of a store.
  struct Timing: Sendable {
    /// Between a notification and the check of the file.
    var debounce = Duration.milliseconds(50)
    /// Between two checks without a notification. A write to mapped memory and a restored directory cause no
    /// notification, but must be noticed within half a second; a check costs about 20 µs.
    var pollInterval = Duration.milliseconds(300)
    /// How long a file must stay invalid, empty or missing before the store reports it: an editor may be in the middle
    /// of a save.
    var grace = Duration.milliseconds(250)
    /// The time that a publish waits for an invalid file to become valid.
    var publishTimeout = Duration.seconds(1)
    /// The time that a replaced version stays open, to notice late saves.
    var replacedHold = Duration.milliseconds(500)
  }
}

/// A change of a file by another program.
package enum FileEdit<Version: Sendable>: Sendable {
  /// The file holds a new valid version. All further versions are based on it.
  case changed(Version)
  /// The file cannot be read or parsed; the store does not write to it until it is valid.
  case invalid(StorageError)
  /// The file is missing. The next published version creates it again.
  case deleted(path: String)
  /// After `invalid` or `deleted`, the file holds its last valid version again, or a later published one.
  case restored(path: String)
  /// A program saved to a version that had already been replaced; the path has its text.
  case conflict(path: String)
  /// A program may have saved to a version that had already been replaced, and the save could not be kept.
  case conflictLost(StorageError)
  /// The place of the file has a disadvantage that it did not have, or did not show, when the file was opened.
  case warned(FileStore<Version>.Warning, path: String)
}

/// The result of publishing a version.
package enum Publication<Version: Sendable>: Sendable {
  /// The version, or a later one when several were queued, is as durable as was requested.
  case done
  /// Somebody else has written before, so nothing was published.
  case moved(to: Version)
  /// The version is published, but may not survive a power cut.
  case uncertain(StorageError)
  /// Nothing was published. The shared database may hold the version all the same, if the error's code is
  /// `durabilityUnknown`; it delivers the version later.
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

/// A version that is to be published.
struct PublishRequest<Version: Sendable>: Sendable {
  let content: any FileContent
  let generation: Int
  let completion: @Sendable (Publication<Version>) -> Void
  /// The time at which to stop waiting for an invalid file to become valid.
  let deadline: ContinuousClock.Instant
}

/// Passes jobs from any thread to the thread of a store.
final class FileStoreMailbox<Version: Sendable>: Sendable {
  typealias Job = @Sendable (FileStoreWorker<Version>) -> Void

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = NIOLockedValueBox(State())
  let wakeSignal: SelfPipe

  init() throws(SystemError) {
    wakeSignal = try SelfPipe()
  }

  /// Adds a job; returns `false` when the mailbox is closed.
  func add(_ job: @escaping Job) -> Bool {
    let isAdded = state.withLockedValue { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      return true
    }
    if isAdded { wakeSignal.send() }
    return isAdded
  }

  /// Takes all jobs, in order, and returns whether more can come.
  func take() -> (jobs: [Job], isClosed: Bool) {
    state.withLockedValue { state in
      defer { state.jobs = [] }
      return (state.jobs, state.isClosed)
    }
  }

  func close() {
    state.withLockedValue { $0.isClosed = true }
    wakeSignal.send()
  }
}
