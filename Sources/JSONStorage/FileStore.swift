import Dispatch
package import JSONServerValues
import NIOConcurrencyHelpers

/// One file, published atomically and watched for edits from outside.
///
/// The file is locked, read, written and watched by one thread of the store's own. A version is published whole: at
/// every instant the path holds one complete version. An edit that the publisher has not seen is never overwritten.
///
/// All closures that a caller passes in run on that thread; they must return immediately, without blocking.
package final class FileStore<Content: Sendable>: Sendable {
  /// Something a person should know when a file is opened.
  package enum Warning: Sendable, Hashable {
    /// The file has further names, which keep the old version when a new one is published.
    case hardLinks(count: Int)
    /// The file is a mount point and cannot be replaced: it is written in place, with a recovery file beside it.
    case mountPoint
    /// No lock could be taken: nothing excludes a second server.
    case notLocked
  }

  /// An opened store and what its file held.
  package struct Opening: Sendable {
    package let store: FileStore
    package let version: FileVersion<Content>
    package let warnings: [Warning]
  }

  private let mailbox: FileStoreMailbox<Content>
  private let options: FileStoreOptions
  private let ended = DispatchSemaphore(value: 0)

  /// Opens a file and blocks until it is read.
  ///
  /// What a killed server left behind is cleaned up: a recovery file is written back, and a version that was being
  /// written is moved to the history.
  ///
  /// - Parameters:
  ///   - path: The file's path, which may be a symbolic link.
  ///   - parse: Parses the bytes; an error it throws makes the file invalid. Runs on the store's thread.
  ///   - onEdit: Called with each edit from outside, in order, before any completion that refers to its version.
  /// - Throws: ``StorageError``; with code `locked` when another server has the file.
  package static func open(
    _ path: String,
    options: FileStoreOptions = FileStoreOptions(),
    parse: @escaping @Sendable (UTF8Slice) throws -> Content,
    onEdit: @escaping @Sendable (FileEdit<Content>) -> Void
  ) throws(StorageError) -> Opening {
    try open(path, options: options, fileSystem: SystemFileSystem(), parse: parse, onEdit: onEdit)
  }

  static func open(
    _ path: String,
    options: FileStoreOptions,
    fileSystem: any FileSystem,
    parse: @escaping @Sendable (UTF8Slice) throws -> Content,
    onEdit: @escaping @Sendable (FileEdit<Content>) -> Void
  ) throws(StorageError) -> Opening {
    CurrentProcess.ignoreFileSignals()
    do {
      let store = FileStore(mailbox: try FileStoreMailbox(), options: options)
      let opened = BlockingPromise<Result<(FileVersion<Content>, [Warning]), StorageError>>()
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

  private init(mailbox: FileStoreMailbox<Content>, options: FileStoreOptions) {
    self.mailbox = mailbox
    self.options = options
  }

  deinit {
    mailbox.close()
  }

  /// Publishes a version.
  ///
  /// Of several queued versions only the newest is written; the completions of all are called in order.
  ///
  /// - Parameters:
  ///   - content: The whole new version.
  ///   - generation: The generation of the version it was built on. When the file was edited since, it is not
  ///     published.
  ///   - completion: Called once, on the store's thread, or immediately when the store is closed.
  package func publish(
    _ content: some FileContent, onto generation: Int, completion: @escaping @Sendable (Publication<Content>) -> Void
  ) {
    let request = PublishRequest(
      content: content, generation: generation, completion: completion, deadline: .now + options.timing.publishTimeout)
    if !mailbox.add({ $0.accept(request) }) { completion(.failed(Self.closed)) }
  }

  /// Saves a version in the history directory beside the file, which keeps the newest 20.
  ///
  /// What is published later is published after it. An ephemeral store saves nothing and fails.
  ///
  /// - Parameter completion: Given the path of the saved version.
  package func saveHistory(
    _ content: some FileContent, completion: @escaping @Sendable (Result<String, StorageError>) -> Void = { _ in }
  ) {
    if !mailbox.add({ completion($0.saveHistory(content)) }) { completion(.failure(Self.closed)) }
  }

  /// Writes a version to another file, atomically; an existing file is replaced.
  package func snapshot(
    _ content: some FileContent, to path: String,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    if !mailbox.add({ completion($0.snapshot(content, to: path)) }) { completion(.failure(Self.closed)) }
  }

  /// Checks the file now, and announces an edit that was not noticed yet. Blocks until that is done.
  ///
  /// - Returns: Why the file holds no version that can be served; `nil` when it does, or the store is closed.
  package func look() -> StorageError? {
    let fault = BlockingPromise<StorageError?>()
    return mailbox.add { fault.give($0.look()) } ? fault.take() : nil
  }

  /// Publishes what is queued, releases the lock and ends the thread. Blocks until that is done.
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

/// Passes one value from one thread to another, which waits for it.
private final class BlockingPromise<Value: Sendable>: Sendable {
  private let value = NIOLockedValueBox<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ value: Value) {
    self.value.withLockedValue { $0 = value }
    given.signal()
  }

  /// Waits for the value. To be called once.
  func take() -> Value {
    while true {
      given.wait()
      if let value = value.withLockedValue({ $0 }) { return value }
    }
  }
}

/// How a ``FileStore`` treats its file.
package struct FileStoreOptions: Sendable {
  /// When a version counts as published.
  package enum Synchronization: Sendable {
    /// When it survives a power cut.
    case full
    /// When it survives the end of the process.
    case fast
    /// Immediately: the file is read and never written, nor locked.
    case ephemeral
  }

  /// How edits from outside are noticed.
  package enum Watching: Sendable {
    /// Only when a version is published.
    case off
    /// By notifications of the file system and regular checks.
    case notifications
    /// By regular checks only, for file systems that do not notify.
    case polling
  }

  package var synchronization: Synchronization
  package var watching: Watching
  var timing = Timing()

  package init(synchronization: Synchronization = .full, watching: Watching = .notifications) {
    self.synchronization = synchronization
    self.watching = watching
  }

  /// The waits of a store.
  struct Timing: Sendable {
    /// From a notification to the check of the file.
    var debounce = Duration.milliseconds(50)
    /// Between two checks without a notification. A write to mapped memory causes none, nor does a directory that is
    /// restored, and still they are to be noticed within half a second; a check costs about 20 µs.
    var pollInterval = Duration.milliseconds(300)
    /// How long a file must stay invalid, empty or missing before that is reported: an editor may be in the middle of a
    /// save.
    var grace = Duration.milliseconds(250)
    /// How long a publish waits for an invalid file to become valid.
    var publishTimeout = Duration.seconds(1)
    /// How long a replaced version is kept open to notice late saves.
    var replacedHold = Duration.milliseconds(500)
  }
}

/// One version of a file as it was read.
package struct FileVersion<Content: Sendable>: Sendable {
  /// What the bytes parse to.
  package let content: Content

  /// The bytes.
  package let text: UTF8Slice

  /// How many edits from outside were taken up to this version.
  ///
  /// Whatever is published is based on such a version and names it, so that an edit the publisher has not seen yet is
  /// never overwritten.
  package let generation: Int
}

/// What happened to a file from outside.
package enum FileEdit<Content: Sendable>: Sendable {
  /// The file holds a new valid version, which is the base of all further publishing.
  case changed(FileVersion<Content>)
  /// The file cannot be read or parsed; it is not overwritten as long as that is so.
  case invalid(StorageError)
  /// The file is gone. The next version published recreates it.
  case deleted
  /// After `invalid` or `deleted`, the file again holds what it held before or what was published since.
  case restored
  /// An editor saved to a version that had been replaced already; what it saved was kept under a name of its own.
  case conflict(LateSave<Content>)
  /// An editor may have saved to a version that had been replaced already, and that save could not be kept.
  case conflictLost(StorageError)
}

/// A save that an editor made to a version of the file that was being replaced.
package struct LateSave<Content: Sendable>: Sendable {
  /// Where the saved bytes are kept.
  package let path: String

  /// What the bytes parse to, nil when they are not valid.
  package let content: Content?
}

/// How publishing a version ended.
package enum Publication<Content: Sendable>: Sendable {
  /// The file holds the version or, when several were queued, a later one.
  case published
  /// Someone edited the file meanwhile: it holds that edit, and nothing was published.
  case edited(FileVersion<Content>)
  /// Nothing was published, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
}

/// What can be written to a file.
package protocol FileContent: Sendable {
  /// Calls a closure with the bytes, slice by slice, in order.
  ///
  /// Slices may be of any size and number; small ones are gathered before they are written.
  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows
}

extension UTF8Slice: FileContent {
  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try body(bytes)
  }
}

/// A version on its way to the file.
struct PublishRequest<Content: Sendable>: Sendable {
  let content: any FileContent
  let generation: Int
  let completion: @Sendable (Publication<Content>) -> Void
  /// When to stop waiting for an invalid file to become valid.
  let deadline: ContinuousClock.Instant
}

/// Carries jobs from any thread to the thread of a store.
final class FileStoreMailbox<Content: Sendable>: Sendable {
  typealias Job = @Sendable (FileStoreWorker<Content>) -> Void

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = NIOLockedValueBox(State())
  let wakeSignal: SelfPipe

  init() throws(SystemError) {
    wakeSignal = try SelfPipe()
  }

  /// Adds a job; false when the mailbox is closed.
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
