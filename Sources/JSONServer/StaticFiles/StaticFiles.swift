import HTTPTypes

/// Serves the files of some directories.
struct StaticFiles: Sendable {
  private let directories: [StaticDirectory]

  /// The largest number of bytes that are read at once; a larger file is streamed, and read outside of the event loop.
  static let maximumBytesAtOnce = 64 * 1024

  /// Creates a reader of files.
  ///
  /// - Parameters:
  ///   - directories: The directories; the first one with a file serves it.
  ///   - privateFiles: The files that are never served.
  init(directories: [String], privateFiles: [PrivateFile]) {
    self.directories = directories.map { StaticDirectory(path: $0, privateFiles: privateFiles) }
  }

  /// Responds to a request for a file.
  ///
  /// The response for a directory is its `index.html`, after a redirect when the slash at its end is missing. Ranges
  /// and conditions are those of RFC 9110. The response to HEAD has no body and the length of the file.
  ///
  /// - Returns: `nil`, when there is no such file.
  func respond(to request: Request) -> Response? {
    guard request.method == .get || request.method == .head, let path = StaticPath(target: request.target) else {
      return nil
    }
    for directory in directories {
      guard let found = directory.open(path.segments) else { continue }
      if found.isDirectory {
        guard let index = directory.open(path.segments + ["index.html"]), index.isRegular else { continue }
        return path.isDirectory
          ? FileResponse(index, name: "index.html").response(to: request)
          : redirect(from: request.mount.path + request.target)
      }
      guard !path.isDirectory else { continue }
      return FileResponse(found, name: path.segments.last ?? "").response(to: request)
    }
    return nil
  }

  /// Responds to a request for a page without its extension: `/about` is `about.html`.
  ///
  /// - Returns: `nil`, when there is no such file.
  func respond(toPage request: Request) -> Response? {
    guard !directories.isEmpty, request.method == .get || request.method == .head,
      let path = StaticPath(target: request.target), !path.isDirectory, let last = path.segments.last
    else { return nil }
    let name = last + ".html"
    let files = directories.lazy.compactMap { $0.open(path.segments.dropLast() + [name]) }
    return files.first { $0.isRegular }.map { FileResponse($0, name: name).response(to: request) }
  }

  private func redirect(from target: String) -> Response {
    let path = target.prefix { $0 != "?" }
    return Response(status: .movedPermanently, headerFields: [.location: "\(path)/\(target[path.endIndex...])"])
  }
}

/// The path of a request as the name of a file, decoded once.
private struct StaticPath: Hashable {
  /// The names from the served directory on.
  let segments: [String]

  /// Whether the path ends with a slash, as a directory's does.
  let isDirectory: Bool

  /// Reads the path of a target.
  ///
  /// - Returns: `nil` for a path that never names a file: with a bad escape, an encoded slash, a backslash, NUL, an
  ///   empty segment (a redirect to `//host` would lead to another server), or a segment that starts with a dot,
  ///   including `.` and `..`, except a first segment ``wellKnown``.
  init?(target: String) {
    let path = Array(target.utf8).prefix { $0 != UInt8(ascii: "?") }
    guard path.first == UInt8(ascii: "/") else { return nil }
    var parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    isDirectory = parts.last?.isEmpty ?? true
    if isDirectory { _ = parts.popLast() }
    var segments: [String] = []
    for part in parts {
      guard let segment = PercentEncoding.decode(part, plusIsSpace: false), let first = segment.utf8.first,
        first != UInt8(ascii: ".") || segments.isEmpty && segment == Self.wellKnown,
        !segment.utf8.contains(where: { $0 == 0 || Self.separators.contains($0) })
      else { return nil }
      segments.append(segment)
    }
    self.segments = segments
  }

  /// The one hidden name that is public (RFC 8615).
  static let wellKnown = ".well-known"

  private static let separators = Array(#"/\"#.utf8)
}

/// A directory whose files are served, and nothing outside it.
struct StaticDirectory: Sendable {
  let path: String
  let privateFiles: [PrivateFile]

  /// Opens the file or directory at decoded segments.
  ///
  /// Links to another place inside of the directory are followed. The resolved path is then opened name by name without
  /// following links, so that replacing a name by a link has no effect.
  ///
  /// - Returns: `nil`, when nothing is there, it is neither a file nor a directory, a name on the way starts with a dot
  ///   and is not a first ``StaticPath/wellKnown``, it lies outside of the directory, or it is private.
  func open(_ segments: [String]) -> OpenFile? {
    let candidate = ([path] + segments).joined(separator: "/")
    // One system call decides the usual case, that there is no such file.
    guard OpenFile.Identity(path: candidate) != nil, let root = OpenFile.resolve(path),
      let resolved = OpenFile.resolve(candidate), let names = names(of: resolved, below: root),
      !names.dropFirst(names.first == StaticPath.wellKnown ? 1 : 0).contains(where: { $0.hasPrefix(".") }),
      var file = OpenFile(path: root)
    else { return nil }
    var directory = file
    for name in names {
      guard let next = OpenFile(name, in: file) else { return nil }
      (directory, file) = (file, next)
    }
    if file.isDirectory { return file }
    let isPrivate = privateFiles.contains { $0.includes(file, named: names.last ?? "", in: directory) }
    return file.isRegular && !isPrivate ? file : nil
  }

  private func names(of path: String, below root: String) -> [String]? {
    let names = path.split(separator: "/")
    let rootNames = root.split(separator: "/")
    guard names.starts(with: rootNames) else { return nil }
    return names.dropFirst(rootNames.count).map(String.init)
  }
}

/// Files that neither static files nor the bodies of stubs show: those that the configuration names.
package enum PrivateFile: Sendable, Hashable {
  /// A file, under any name.
  case file(String)
  /// The files in a directory, but not below it, whose names begin and end in this way.
  case files(in: String, prefix: String = "", suffixes: [String])

  /// Whether an opened file is private.
  fileprivate func includes(_ file: OpenFile, named name: String, in directory: OpenFile) -> Bool {
    switch self {
    case .file(let path): return OpenFile.Identity(path: path) == file.identity
    case .files(let path, let prefix, let suffixes):
      // Where letter case does not matter, a file can be opened by other names, too.
      let name = name.lowercased()
      return name.hasPrefix(prefix) && suffixes.contains(where: name.hasSuffix)
        && OpenFile.Identity(path: path) == directory.identity
    }
  }
}
