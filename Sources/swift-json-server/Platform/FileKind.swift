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
