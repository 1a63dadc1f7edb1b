import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What stands at a path, links followed.
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

/// What changes about a file when it is edited or replaced.
struct FileMark: Equatable {
  private var inode: UInt64 = 0
  private(set) var size: Int64 = 0
  private var seconds: Int64 = 0
  private var nanoseconds: Int64 = 0

  /// Looks at a file; a missing one has a mark of its own.
  init(of path: String) {
    var status = storage_status()
    guard storage_status_behind(path, &status) == 0 else { return }
    inode = status.inode
    size = status.size
    seconds = status.modified_seconds
    nanoseconds = status.modified_nanoseconds
  }
}
