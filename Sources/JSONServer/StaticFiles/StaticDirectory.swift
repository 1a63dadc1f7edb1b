/// A directory whose files are served, and nothing outside it.
struct StaticDirectory: Sendable {
  private let path: String
  private let privateFiles: [PrivateFile]

  init(_ path: String, privateFiles: [PrivateFile]) {
    self.path = path
    self.privateFiles = privateFiles
  }

  /// Opens the file or directory at decoded segments.
  ///
  /// Symlinks that lead to another place inside are followed. The resolved path is then opened name by name without
  /// following any, so that one swapped in meanwhile leads nowhere.
  ///
  /// - Returns: `nil`, when nothing is there, it is neither a file nor a directory, a name on the way starts with a
  ///   dot and is not a first ``StaticPath/wellKnown``, it lies outside, or it is private.
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

/// What static files and the bodies of stubs never show: files that the configuration names.
package enum PrivateFile: Sendable, Hashable {
  /// A file, under any name.
  case file(String)
  /// The files that lie in a directory, and not below it, whose names begin and end so.
  case files(in: String, prefix: String = "", suffixes: [String])

  /// Whether a file is private, which was opened by a name in a directory.
  fileprivate func includes(_ file: OpenFile, named name: String, in directory: OpenFile) -> Bool {
    switch self {
    case .file(let path): return OpenFile.Identity(path: path) == file.identity
    case .files(let path, let prefix, let suffixes):
      // Where letter case makes no difference, a file is opened by other names, too.
      let name = name.lowercased()
      return name.hasPrefix(prefix) && suffixes.contains(where: name.hasSuffix)
        && OpenFile.Identity(path: path) == directory.identity
    }
  }
}
