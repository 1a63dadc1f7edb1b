import CStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file or directory that is open for reading, and closed with the last reference.
package final class OpenFile: Sendable {
  /// The identity of a file, under any path.
  struct Identity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
  }

  let identity: Identity
  let isDirectory: Bool
  package let isRegular: Bool
  /// The size in bytes when it was opened.
  package let size: Int
  /// The last change in milliseconds since 1970.
  let modified: Int64
  private let descriptor: Int32

  private init?(descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    var status = storage_status()
    guard storage_status_of(descriptor, &status) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    identity = Identity(status)
    isDirectory = mode_t(status.mode) & S_IFMT == S_IFDIR
    isRegular = mode_t(status.mode) & S_IFMT == S_IFREG
    size = Int(status.size)
    modified = status.modified_seconds * 1000 + status.modified_nanoseconds / 1_000_000
  }

  /// Opens a path as it is; `nil` when that fails.
  package convenience init?(path: String) {
    self.init(descriptor: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
  }

  /// Opens a name in a directory. A symlink is not followed, and a pipe does not block.
  convenience init?(_ name: String, in directory: OpenFile) {
    self.init(descriptor: openat(directory.descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW))
  }

  deinit {
    close(descriptor)
  }

  /// Reads up to a number of bytes from an offset; fewer at the end of the file, none after an error.
  package func read(from offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count, let start = buffer.baseAddress {
        let result = storage_read_at(
          descriptor, start + initialized, count - initialized, Int64(offset + initialized))
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { return }
        initialized += Int(result)
      }
    }
  }
}

extension OpenFile {
  /// The bytes of a regular file; `nil` for anything else.
  package static func contents(of path: String) -> [UInt8]? {
    guard let file = OpenFile(path: path), file.isRegular else { return nil }
    return file.read(from: 0, count: file.size)
  }
}

extension OpenFile.Identity {
  /// The identity of the file at a path, after following symlinks; `nil` when nothing is there.
  init?(path: String) {
    var status = storage_status()
    guard storage_status_behind(path, &status) == 0 else { return nil }
    self.init(status)
  }

  fileprivate init(_ status: storage_status) {
    device = status.device
    inode = status.inode
  }
}

extension OpenFile {
  /// The path with every symlink resolved; `nil` when nothing is there.
  static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
