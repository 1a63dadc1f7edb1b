import Dispatch
import Synchronization

/// Reports when to check the names in a directory, on a thread of its own.
package final class DirectoryMonitor: Sendable {
  private let loop: DirectoryLoop
  private let ended = DispatchSemaphore(value: 0)

  /// Starts to watch a directory, which may be missing for a while.
  ///
  /// - Parameters:
  ///   - options: How to find out about changes. Even with notifications the monitor checks regularly: a directory that
  ///     is restored under its name causes no notification.
  ///   - onChange: Called on the monitor's thread when names may have changed, one call after the other; may block.
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

/// The loop of a monitor's thread.
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
      // Each of the server's own writes causes several notifications; all within a moment cause one check.
      if !isClosed.load(ordering: .acquiring) { wakeSignal.wait(orFor: nil, until: .now + options.timing.debounce) }
      _ = watch?.drain()
    }
  }

  func close() {
    isClosed.store(true, ordering: .releasing)
    wakeSignal.send()
  }
}

/// The JSON files of a directory.
package struct DirectoryListing: Sendable {
  package struct Entry: Sendable, Hashable {
    /// The file's name without its extension.
    package let name: String
    package let path: String
  }

  /// Sorted by path.
  package let entries: [Entry]

  /// The extensions of these files.
  package static let suffixes = [".json", ".json5"]

  /// Lists the files whose names end in `.json` or `.json5` and do not start with a dot.
  package init(_ directory: String) throws(StorageError) {
    do throws(SystemError) {
      entries = try Self.names(in: directory).sorted().compactMap { file in
        guard !file.hasPrefix("."), let dot = file.lastIndex(of: "."), Self.suffixes.contains(String(file[dot...]))
        else { return nil }
        return Entry(name: String(file[..<dot]), path: FileLocation.join(directory, file))
      }
    } catch {
      throw StorageError(error, when: "read the directory", directory)
    }
  }

  private static func names(in path: String) throws(SystemError) -> [String] {
    let fileSystem = SystemFileSystem()
    let directory = try fileSystem.openDirectory(path)
    defer { try? fileSystem.close(directory) }
    return try fileSystem.names(in: directory)
  }

  /// Two files with the same name, which differ in their extensions; `nil` when there are none.
  package var clash: (Entry, Entry)? {
    var known: [String: Entry] = [:]
    for entry in entries {
      if let other = known.updateValue(entry, forKey: entry.name) { return (other, entry) }
    }
    return nil
  }
}
