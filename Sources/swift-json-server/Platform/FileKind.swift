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
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = .missing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: self = .directory
    case S_IFREG: self = status.st_mode & 0o111 == 0 ? .file : .executable
    default: self = .other
    }
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What changes about a file when it is edited or replaced.
struct FileMark: Equatable {
  private var inode: UInt64 = 0
  private var size: Int64 = 0
  private var seconds = 0
  private var nanoseconds = 0

  /// Looks at a file; a missing one has a mark of its own.
  init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = time.tv_sec
    nanoseconds = time.tv_nsec
  }
}
