import JSONServerValues

/// The real location of a file, and the names of the store's own files beside it.
struct FileLocation: Sendable {
  /// The path of the directory, free of symbolic links.
  let directory: String

  /// The name of the file in it.
  let name: String

  /// The name within the names below. A long name is cut, and has its hash instead of its end, so that all of them fit
  /// into the 255 bytes that file systems allow.
  private let stem: String

  init(directory: String, name: String) {
    self.directory = directory
    self.name = name
    stem = name.utf8.count <= Self.longestStem ? name : Self.shortened(name)
  }

  private static var longestStem: Int { 255 - ".".utf8.count - ".conflict-0000-00-00T00-00-00.000Z~999".utf8.count }

  private static func shortened(_ name: String) -> String {
    let hash = ContentHash(of: Array(name.utf8)).value
    let end = "~\(hash.hexadecimal)"
    var start = name[...]
    while start.utf8.count > longestStem - end.utf8.count { start.removeLast() }
    return start + end
  }

  var path: String { Self.join(directory, name) }
  /// A directory, since a directory can have a `.gitignore` of its own.
  var lockDirectoryName: String { ".\(stem).lock" }
  var recoveryName: String { ".\(stem).recovery" }
  var historyName: String { ".\(stem).history" }

  /// A name for a late save.
  func conflictName(at time: String) -> String { ".\(stem).conflict-\(time)" }

  /// A new name for a version that is being written.
  func temporaryName() -> String {
    ".\(stem).\(UInt64.random(in: .min ... .max).hexadecimal).tmp"
  }

  /// Whether ``temporaryName()`` may have returned a name.
  ///
  /// The digits are counted, so that a temporary file of `db.json` does not count as one of a file named `db`.
  func isTemporary(_ other: String) -> Bool {
    let (prefix, suffix) = (".\(stem).".utf8, ".tmp".utf8)
    let digits = other.utf8.dropFirst(prefix.count).dropLast(suffix.count)
    return other.utf8.starts(with: prefix) && other.utf8.suffix(suffix.count).elementsEqual(suffix)
      && digits.count == 16 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}

extension FileLocation: Hashable {
  /// By bytes: on Linux, two names may differ only in how a letter with an accent is composed.
  static func == (left: FileLocation, right: FileLocation) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

  func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension FileLocation {
  /// Finds the file behind a path, which may be a chain of symbolic links; the file itself may be missing.
  ///
  /// - Throws: ``SystemError`` when its directory is missing, or for a loop of links.
  init(_ path: String, in fileSystem: FileSystem) throws(SystemError) {
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

  private static func linkTarget(_ path: String, in fileSystem: FileSystem) throws(SystemError) -> String? {
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

extension FileSystem {
  /// Renames a file unless the new name exists. A file system that cannot do this in one step checks first.
  func renameWithoutReplacing(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    do {
      try renameExclusively(name, to: newName, in: directory)
    } catch {
      guard error.isUnsupported else { throw error }
      if (try? status(newName, in: directory)) != nil { throw SystemError.nameExists }
      try rename(name, to: newName, in: directory)
    }
  }
}

extension WallClock {
  /// Whether a name consists of a part as ``name(_:)`` gives it, and a suffix.
  static func isName(_ name: String, suffix: String) -> Bool {
    let form = "0000-00-00T00-00-00.000Z".utf8
    let (time, rest) = (name.utf8.prefix(form.count), name.utf8.dropFirst(form.count))
    let number = rest.dropLast(suffix.utf8.count)
    return time.count == form.count && zip(form, time).allSatisfy { $0 == UInt8(ascii: "0") ? isDigit($1) : $0 == $1 }
      && rest.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
      && (number.isEmpty || number.first == UInt8(ascii: "~") && number.dropFirst().allSatisfy(isDigit))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Names a file by the time of day.
  ///
  /// - Parameter give: Called with that part of the name; called again with a number added while the name exists.
  static func name(_ give: (_ part: String) throws(SystemError) -> String) throws(SystemError) -> String {
    let time = fileNamePart(of: now)
    var number = 1
    while true {
      do {
        // "~" sorts after ".", so that the second version of a millisecond comes after the first.
        return try give(number == 1 ? time : "\(time)~\(number)")
      } catch {
        number += 1
        guard error.isExisting, number < 1000 else { throw error }
      }
    }
  }
}
