import CStorage

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

  /// Creates a file.
  ///
  /// - Returns: Whether the complete file was created; `false` when it exists already.
  static func create(_ path: String, _ text: [UInt8]) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return send(text, to: descriptor)
  }

  /// Replaces a file in one step, so that a reader sees the complete old or new file.
  ///
  /// - Parameter isNew: Whether the file must not exist yet.
  static func replace(_ path: String, _ text: [UInt8], isNew: Bool = false) -> Bool {
    let temporary = "\(path).\(getpid()).tmp"
    guard create(temporary, text) else { return false }
    if isNew, link(temporary, path) == 0 {
      unlink(temporary)
      return true
    }
    if !isNew, rename(temporary, path) == 0 { return true }
    unlink(temporary)
    return false
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
