import CStorage
import JSONServerValues
import JSONStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads and writes whole files for the command line.
enum FileText {
  /// Returns the bytes of a file, or `nil` when it cannot be read.
  static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return contents(from: descriptor)
  }

  /// Returns the remaining bytes, or `nil` when reading fails.
  static func contents(from descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let piece = piece(from: descriptor) {
      if piece.isEmpty { return bytes }
      bytes += piece
    }
    return nil
  }

  /// Waits for bytes, and returns up to 64 KiB: none at the end, `nil` when reading fails.
  static func piece(from descriptor: Int32) -> [UInt8]? {
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, initialized in
      repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
      initialized = max(count, 0)
    }
    return count < 0 ? nil : piece
  }

  /// Writes a file in one step, so that a reader sees the complete old or new file. An existing file keeps its mode.
  ///
  /// - Parameter isNew: Whether the file must not exist yet.
  /// - Throws: ``CommandFailure`` with what the system says.
  static func save(_ text: [UInt8], to path: String, isNew: Bool = false) throws(CommandFailure) {
    do throws(StorageError) {
      try UTF8Slice(text).write(to: path, isNew: isNew)
    } catch {
      throw CommandFailure(.cannotCreate, error.message)
    }
  }

  /// Prints the result of a command on standard output.
  ///
  /// - Throws: ``CommandFailure`` when the output is closed or its disk is full.
  static func print(_ text: [UInt8]) throws(CommandFailure) {
    guard send(text, to: STDOUT_FILENO) else {
      throw CommandFailure(.cannotCreate, "Standard output cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  static func print(_ text: String, terminator: String = "\n") throws(CommandFailure) {
    try print(Array((text + terminator).utf8))
  }

  static func remove(_ path: String) {
    unlink(path)
  }

  /// Writes all bytes; blocks until the reader takes them.
  @discardableResult
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      // Apple's systems refuse more than INT_MAX bytes at once.
      let size = min(bytes.count - written, 1 << 30)
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: written), size) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Another process that shares the terminal or pipe may have made it non-blocking.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&request, 1, 1000)
  }
}

/// The kind of a file, after following links.
enum FileKind: Hashable {
  case missing
  case file
  case executable
  case directory
  /// A pipe, a device or the like.
  case other

  init(of path: String) {
    var status = storage_status()
    guard storage_status_behind(path, &status) == 0 else {
      self = .missing
      return
    }
    switch mode_t(status.mode) & S_IFMT {
    case S_IFDIR: self = .directory
    case S_IFREG: self = status.mode & 0o111 == 0 ? .file : .executable
    default: self = .other
    }
  }
}

/// The part of the status that changes when a file is edited or replaced.
struct FileMark: Equatable {
  private var inode: UInt64 = 0
  private(set) var size: Int64 = 0
  private var seconds: Int64 = 0
  private var nanoseconds: Int64 = 0

  /// Reads the status of a file; a missing file has a mark of its own.
  init(of path: String) {
    var status = storage_status()
    guard storage_status_behind(path, &status) == 0 else { return }
    inode = status.inode
    size = status.size
    seconds = status.modified_seconds
    nanoseconds = status.modified_nanoseconds
  }
}
