import Dispatch
import JSONServerValues

/// An open file or directory, which is closed when nobody refers to it any more.
final class FileDescriptor {
  let number: Int32
  let fileSystem: FileSystem
  private var isClosed = false

  init(_ number: Int32, of fileSystem: FileSystem) {
    self.number = number
    self.fileSystem = fileSystem
  }

  deinit {
    try? close()
  }

  /// Closes the file now, to find out whether everything was written.
  func close() throws(SystemError) {
    if isClosed { return }
    isClosed = true
    try fileSystem.close(number)
  }
}

/// The purpose for which a file is opened.
enum FileAccess: Sendable, Hashable {
  /// Reading a file that exists.
  case reading
  /// Reading and writing a file that exists, in place.
  case writing
  /// Reading and writing a file that is created with permissions 0600; fails when it exists.
  case creating
  /// The same with permissions 0644, minus the process's umask.
  case creatingReadable
  /// Reading and writing a file that is created if it is missing.
  case locking
}

/// The part of the status that changes when a file changes.
struct FileStamp: Sendable, Hashable {
  /// A moment as the file system recorded it.
  struct Time: Sendable, Hashable {
    let seconds: Int64
    let nanoseconds: Int64

    /// Whether a change after `now` would have a different time.
    ///
    /// Kernels take file times from a clock that ticks every 1 to 10 ms, and some file systems store whole seconds: a
    /// file that changes again within a tick keeps its time. So a recent time proves nothing.
    func isSettled(at now: Time) -> Bool { age(at: now) > (nanoseconds == 0 ? .seconds(2) : .milliseconds(20)) }

    /// The time that has passed since; negative for a time that is still to come.
    func age(at now: Time) -> Duration {
      // Durations hold the difference of any two times; a file may claim to be from any year.
      Duration.seconds(now.seconds) - .seconds(seconds) + .nanoseconds(now.nanoseconds - nanoseconds)
    }
  }

  let device: UInt64
  let inode: UInt64
  let size: Int
  let modified: Time
  let changed: Time

  /// Whether another stamp shows the same bytes, when only names were changed in between.
  ///
  /// A rename updates the change time, so this time is not compared.
  func matchesAcrossRename(_ other: FileStamp) -> Bool {
    device == other.device && inode == other.inode && size == other.size && modified == other.modified
  }
}

/// The status of a file.
struct FileStatus: Sendable, Hashable {
  let stamp: FileStamp
  /// The permission bits, including set-user-ID and similar ones.
  let permissions: UInt32
  let owner: UInt32
  let group: UInt32
  let links: Int
  let isRegular: Bool
}

/// The result of reading a whole file.
struct FileReading {
  let text: UTF8Slice
  let hash: ContentHash
  let status: FileStatus
  let hasAccessList: Bool
  /// Whether the stamp changes with every later change of the file.
  let isSettled: Bool
}

extension FileSystem {
  /// Reads a whole file.
  ///
  /// A file that changes while it is read is read again, up to five times. After that the stamp is the one before
  /// reading, so that the next check finds a difference.
  func contents(of name: String, in directory: FileDescriptor) throws(SystemError) -> FileReading {
    try contents(of: try open(name, in: directory, for: .reading))
  }

  func contents(of file: FileDescriptor) throws(SystemError) -> FileReading {
    var attempt = 1
    while true {
      let status = try status(of: file)
      let now = WallClock.now
      let text = try text(of: file, expecting: status.stamp.size)
      let isWhole = try self.status(of: file).stamp == status.stamp && text.count == status.stamp.size
      if isWhole || attempt == 5 {
        return FileReading(
          text: text,
          hash: ContentHash(of: UnsafeRawBufferPointer(text.bytes)),
          status: status,
          hasAccessList: hasAccessList(file),
          isSettled: status.stamp.changed.isSettled(at: now)
        )
      }
      attempt += 1
    }
  }

  private func text(of file: FileDescriptor, expecting size: Int) throws(SystemError) -> UTF8Slice {
    let storage = try UTF8Buffer(capacity: size) { buffer, count throws(SystemError) in
      while count < size {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let read = try self.read(file, into: rest, at: count)
        guard read > 0 else { return }
        count += read
      }
    }
    return UTF8Slice(storage)
  }

  /// Hashes a file without keeping its bytes.
  func hash(of file: FileDescriptor) throws(SystemError) -> ContentHash {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hasher = ContentHasher()
    var offset = 0
    while true {
      let count = try read(file, into: buffer, at: offset)
      guard count > 0 else { return hasher.finish() }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// Copies a range of bytes to the same position in another file; fails when the source has fewer.
  func copy(_ range: Range<Int>, from source: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(buffer.count, range.upperBound - offset)
      let count = try read(source, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
      guard count > 0 else { throw SystemError.nothingWritten }
      try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target, at: offset)
      offset += count
    }
  }

  /// Writes all bytes, in as many calls as necessary.
  func writeAll(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), to: file, at: offset + written)
      guard count > 0 else { throw SystemError.nothingWritten }
      written += count
    }
  }

  /// Forces the names in a directory to the medium. Does nothing where only files can be synchronized, as on CIFS.
  func synchronizeDirectory(_ directory: FileDescriptor) throws(SystemError) {
    do {
      try synchronize(directory)
    } catch {
      guard error.isUnsupported else { throw error }
    }
  }

  /// Writes a content to a file, atomically; replaces an existing file, also behind a symbolic link.
  ///
  /// - Parameters:
  ///   - model: The file whose mode and owner the new file gets; by default the file that it replaces.
  ///   - isNew: Whether the file must not exist yet.
  ///   - durably: Whether the file must survive a power cut when this returns.
  /// - Returns: The file's real path.
  func writeFile(
    _ content: some FileContent, to path: String, like model: FileModel? = nil, isNew: Bool = false, durably: Bool
  ) throws(SystemError) -> String {
    let target = try FileLocation(path, in: self)
    let directory = try openDirectory(target.directory)
    let newFile = try writeNewFile(
      content, named: target.temporaryName(), in: directory, like: model ?? self.model(target.name, in: directory),
      durably: durably)
    do throws(SystemError) {
      if isNew {
        try renameWithoutReplacing(newFile.name, to: target.name, in: directory)
      } else {
        try rename(newFile.name, to: target.name, in: directory)
      }
    } catch {
      try? unlink(newFile.name, in: directory)
      throw error
    }
    if durably { try synchronizeDirectory(directory) }
    return target.path
  }
}

extension FileContent {
  /// Writes the bytes to a file, atomically; an existing file is replaced and keeps its mode and owner. Blocks.
  ///
  /// - Parameter isNew: Whether the file must not exist yet.
  package func write(to path: String, isNew: Bool) throws(StorageError) {
    do throws(SystemError) {
      _ = try FileSystem().writeFile(self, to: path, isNew: isNew, durably: false)
    } catch {
      throw StorageError(error, when: "write", path)
    }
  }

  /// Writes the bytes to a file, atomically and durably, on a thread of its own; an existing file is replaced and keeps
  /// its mode and owner.
  ///
  /// - Parameter completion: Called once, on any thread, with the real path of the file.
  package func write(to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
    CurrentProcess.ignoreFileSignals()
    DispatchQueue(label: "swift-json-server.snapshot").async {
      let result = Result { () throws(SystemError) in try FileSystem().writeFile(self, to: path, durably: true) }
      completion(result.mapError { StorageError($0, when: "write", path) })
    }
  }
}
