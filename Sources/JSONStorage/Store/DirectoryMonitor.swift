import Dispatch
import Synchronization

/// Reports when to check the names in a directory, on a thread of its own.
package final class DirectoryMonitor: Sendable {
  private let loop: DirectoryLoop
  private let ended = DispatchSemaphore(value: 0)

  /// Starts to watch a directory, which may be missing for a while.
  ///
  /// - Parameters:
  ///   - options: How changes are noticed. With notifications there are regular checks, too: a directory restored
  ///     under its name gives none.
  ///   - onChange: Called on the monitor's thread whenever names may have changed, one call after the other; it may
  ///     block.
  package static func start(
    _ path: String, options: FileStoreOptions, onChange: @escaping @Sendable () -> Void
  ) throws(StorageError) -> DirectoryMonitor {
    do throws(SystemError) {
      let monitor = DirectoryMonitor(try DirectoryLoop())
      let (loop, ended) = (monitor.loop, monitor.ended)
      try DetachedThread.start {
        loop.run(path, options, onChange)
        ended.signal()
      }
      return monitor
    } catch {
      throw StorageError(error, when: "watch", path)
    }
  }

  private init(_ loop: DirectoryLoop) {
    self.loop = loop
  }

  deinit {
    loop.close()
  }

  /// Ends the thread. Blocks until a call in progress has returned.
  ///
  /// Must not be called from the closure that the monitor runs.
  package func close() {
    loop.close()
    ended.wait()
    // A second close must not block.
    ended.signal()
  }
}

/// What the thread of a monitor does.
private final class DirectoryLoop: Sendable {
  private let wakeSignal: SelfPipe
  private let isClosed = Atomic(false)

  init() throws(SystemError) {
    wakeSignal = try SelfPipe()
  }

  func run(_ path: String, _ options: FileStoreOptions, _ onChange: () -> Void) {
    var watch = options.watching == .notifications ? try? DirectoryWatch() : nil
    while !isClosed.load(ordering: .acquiring) {
      watch?.watch([], in: [path])
      onChange()
      wakeSignal.wait(orFor: watch?.descriptor, until: .now + options.timing.pollInterval)
      // Each of our own writes gives several notifications: all that arrive within a moment cause one check.
      if !isClosed.load(ordering: .acquiring) { wakeSignal.wait(orFor: nil, until: .now + options.timing.debounce) }
      _ = watch?.drain()
    }
  }

  func close() {
    isClosed.store(true, ordering: .releasing)
    wakeSignal.send()
  }
}
