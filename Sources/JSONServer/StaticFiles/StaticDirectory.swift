/// A directory whose files are served, and nothing outside it.
struct StaticDirectory: Sendable {
  private let path: String
  private let forbidden: [String]

  init(_ path: String, forbidden: [String]) {
    self.path = path
    self.forbidden = forbidden
  }

  /// Opens the file or directory at decoded segments.
  ///
  /// Symlinks that lead to another place inside are followed. The resolved path is then opened name by name without
  /// following any, so that one swapped in meanwhile leads nowhere.
  ///
  /// - Returns: `nil`, when nothing is there, it is neither a file nor a directory, a name on the way starts with a
  ///   dot and is not a first ``StaticPath/wellKnown``, it lies outside, or it is forbidden.
  func open(_ segments: [String]) -> OpenFile? {
    let candidate = ([path] + segments).joined(separator: "/")
    // One system call decides the usual case, that there is no such file.
    guard OpenFile.Identity(path: candidate) != nil, let root = OpenFile.resolve(path),
      let resolved = OpenFile.resolve(candidate), let names = names(of: resolved, below: root),
      !names.dropFirst(names.first == StaticPath.wellKnown ? 1 : 0).contains(where: { $0.hasPrefix(".") }),
      var file = OpenFile(path: root)
    else { return nil }
    for name in names {
      guard let next = OpenFile(name, in: file) else { return nil }
      file = next
    }
    guard file.isRegular || file.isDirectory, !isForbidden(file, at: resolved) else { return nil }
    return file
  }

  private func names(of path: String, below root: String) -> [String]? {
    let names = path.split(separator: "/")
    let rootNames = root.split(separator: "/")
    guard names.starts(with: rootNames) else { return nil }
    return names.dropFirst(rootNames.count).map(String.init)
  }

  /// Whether a file is a forbidden one, even under another name, or lies inside a forbidden directory.
  private func isForbidden(_ file: OpenFile, at path: String) -> Bool {
    forbidden.contains { forbidden in
      if OpenFile.Identity(path: forbidden) == file.identity { return true }
      guard let resolved = OpenFile.resolve(forbidden) else { return false }
      return names(of: path, below: resolved) != nil
    }
  }
}
