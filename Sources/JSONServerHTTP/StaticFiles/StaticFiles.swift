import HTTPTypes

/// Serves the files of some directories.
package struct StaticFiles: Sendable {
  private let directories: [StaticDirectory]

  /// The largest number of bytes that are read at once; a larger file is streamed, and read outside of the event loop.
  static let maximumBytesAtOnce = 64 * 1024

  /// Creates a reader of files.
  ///
  /// - Parameters:
  ///   - directories: The directories; the first one with a file serves it.
  ///   - privateFiles: The files that are never served.
  package init(directories: [String], privateFiles: [PrivateFile]) {
    self.directories = directories.map { StaticDirectory(path: $0, privateFiles: privateFiles) }
  }

  /// Responds to a request for a file.
  ///
  /// The response for a directory is its `index.html`, after a redirect when the slash at its end is missing. Ranges
  /// and conditions are those of RFC 9110. The response to HEAD has no body and the length of the file.
  ///
  /// - Returns: `nil`, when there is no such file.
  package func respond(to request: Request, _ target: RequestTarget) -> Response? {
    guard request.method == .get || request.method == .head, Self.mayName(target.segments) else { return nil }
    for directory in directories {
      guard let found = directory.open(target.segments) else { continue }
      if found.isDirectory {
        guard let index = directory.open(target.segments + ["index.html"]), index.isRegular else { continue }
        return target.endsWithSlash
          ? FileResponse(index, name: "index.html").response(to: request)
          : redirect(from: request.mount.path + target.text)
      }
      guard !target.endsWithSlash else { continue }
      return FileResponse(found, name: target.segments.last ?? "").response(to: request)
    }
    return nil
  }

  /// Responds to a request for a page without its extension: `/about` is `about.html`.
  ///
  /// - Returns: `nil`, when there is no such file.
  package func respond(toPage request: Request, _ target: RequestTarget) -> Response? {
    guard !directories.isEmpty, request.method == .get || request.method == .head, Self.mayName(target.segments),
      !target.endsWithSlash, let last = target.segments.last
    else { return nil }
    let name = last + ".html"
    let files = directories.lazy.compactMap { $0.open(target.segments.dropLast() + [name]) }
    return files.first { $0.isRegular }.map { FileResponse($0, name: name).response(to: request) }
  }

  private func redirect(from target: String) -> Response {
    let path = RequestTarget.encodedPath(of: target)
    return Response(status: .movedPermanently, headerFields: [.location: "\(path)/\(target[path.endIndex...])"])
  }

  /// Whether segments may be the names of a file and of the directories above it.
  ///
  /// No segment may hold a slash, a backslash or NUL, or start with a dot, except a first segment ``wellKnown``.
  private static func mayName(_ segments: [String]) -> Bool {
    segments.indices.allSatisfy { index in
      let segment = segments[index].utf8
      return (segment.first != UInt8(ascii: ".") || index == 0 && segments[index] == wellKnown)
        && !segment.contains { $0 == 0 || separators.contains($0) }
    }
  }

  /// The one hidden name that is public (RFC 8615).
  static let wellKnown = ".well-known"

  private static let separators = Array(#"/\"#.utf8)
}

/// A directory whose files are served, and nothing outside it.
package struct StaticDirectory: Sendable {
  let path: String
  let privateFiles: [PrivateFile]

  package init(path: String, privateFiles: [PrivateFile]) {
    self.path = path
    self.privateFiles = privateFiles
  }

  /// Opens the file or directory at decoded segments.
  ///
  /// Links to another place inside of the directory are followed. The resolved path is then opened name by name without
  /// following links, so that replacing a name by a link has no effect.
  ///
  /// - Returns: `nil`, when nothing is there, it is neither a file nor a directory, a name on the way starts with a dot
  ///   and is not a first ``StaticFiles/wellKnown``, it lies outside of the directory, or it is private.
  package func open(_ segments: [String]) -> OpenFile? {
    let candidate = ([path] + segments).joined(separator: "/")
    // One system call decides the usual case, that there is no such file.
    guard OpenFile.Identity(path: candidate) != nil, let root = OpenFile.resolve(path),
      let resolved = OpenFile.resolve(candidate), let names = names(of: resolved, below: root),
      !names.dropFirst(names.first == StaticFiles.wellKnown ? 1 : 0).contains(where: { $0.hasPrefix(".") }),
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
