/// Where a file really is, and the names of what a store keeps beside it.
struct FileLocation: Sendable, Hashable {
  /// The path of the directory, free of symbolic links.
  let directory: String

  /// The name of the file in it.
  let name: String

  var path: String { Self.join(directory, name) }
  /// A directory, since one can tell git to leave it alone.
  var lockDirectoryName: String { ".\(name).lock" }
  var lockName: String { "\(lockDirectoryName)/process" }
  /// What tells git that.
  var lockIgnoreName: String { "\(lockDirectoryName)/.gitignore" }
  var recoveryName: String { ".\(name).recovery" }
  var historyName: String { ".\(name).history" }

  /// A name for a save that was too late.
  func conflictName(at time: String) -> String { ".\(name).conflict-\(time)" }

  /// A new name for a version that is being written.
  func temporaryName() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return ".\(name).\(String(repeating: "0", count: 16 - digits.count))\(digits).tmp"
  }

  /// Whether ``temporaryName()`` could have produced a name.
  ///
  /// The digits are counted so that the temporary files of `db.json` are not mistaken for those of a file named `db`.
  func isTemporary(_ other: String) -> Bool {
    let (prefix, suffix) = (".\(name).", ".tmp")
    guard other.hasPrefix(prefix), other.hasSuffix(suffix) else { return false }
    let digits = other.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    return digits.count == 16 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}

extension FileLocation {
  /// Finds the file behind a path, which may be a chain of symbolic links; the file itself may be missing.
  ///
  /// - Throws: ``SystemError`` when its directory is missing, or for a loop of links.
  init(_ path: String, in fileSystem: any FileSystem) throws(SystemError) {
    var path = path
    for _ in 0..<40 {
      let parts = Self.split(path)
      let directory = try fileSystem.realPath(parts.directory)
      guard let target = try Self.linkTarget(Self.join(directory, parts.name), in: fileSystem) else {
        self.init(directory: directory, name: parts.name)
        return
      }
      path = target.hasPrefix("/") ? target : Self.join(directory, target)
    }
    throw SystemError.tooManyLinks
  }

  private static func linkTarget(_ path: String, in fileSystem: any FileSystem) throws(SystemError) -> String? {
    do {
      return try fileSystem.linkTarget(path)
    } catch {
      guard error.isMissing || error.isNotSymbolicLink else { throw error }
      return nil
    }
  }

  /// Splits a path into the directory and the last name.
  static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = path[..<slash]
    return (directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...]))
  }
}
