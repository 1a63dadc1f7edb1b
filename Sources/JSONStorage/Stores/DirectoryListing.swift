/// The JSON files of a directory.
package struct DirectoryListing: Sendable {
  package struct Entry: Sendable, Hashable {
    /// The file's name without its extension.
    package let name: String
    package let path: String

    /// Whether the name is a symbolic link.
    var isLink: Bool { (try? FileSystem().linkTarget(path)) != nil }

    /// The place of the file; `nil` when its directory is missing.
    var location: FileLocation? { try? FileLocation(path, in: FileSystem()) }

    /// The stamp of the file, if it changes with every later change.
    var settledStamp: FileStamp? { DirectoryListing.settledStamp(of: path) }
  }

  /// Sorted by path.
  package let entries: [Entry]

  /// The extensions of these files.
  package static let suffixes = [".json", ".json5"]

  /// The name of a file without the extension of a JSON file; `nil` for another name.
  package static func stem(of file: some StringProtocol) -> String? {
    suffixes.first(where: file.hasSuffix).map { String(file.dropLast($0.count)) }
  }

  /// The stamp of a file or directory, if it changes with every later change.
  static func settledStamp(of path: String) -> FileStamp? {
    let now = WallClock.now
    let stamp = try? FileSystem().status(behind: path).stamp
    return stamp?.changed.isSettled(at: now) == true ? stamp : nil
  }

  /// Lists the files whose names end in `.json` or `.json5` and do not start with a dot.
  package init(_ directory: String) throws(StorageError) {
    do throws(SystemError) {
      let fileSystem = FileSystem()
      let names = try fileSystem.names(in: try fileSystem.openDirectory(directory))
      entries = names.sorted().compactMap { file in
        guard !file.hasPrefix("."), let name = Self.stem(of: file) else { return nil }
        return Entry(name: name, path: FileLocation.join(directory, file))
      }
    } catch {
      throw StorageError(error, when: "read the directory", directory)
    }
  }

  /// The files of a directory, of which no two are the same resource.
  ///
  /// - Throws: ``StorageError`` for a directory that cannot be served, with the files that clash.
  static func served(in directory: String) throws(StorageError) -> [Entry] {
    let entries = try DirectoryListing(directory).entries
    guard !entries.isEmpty else {
      throw StorageError(
        .invalidFile, "The directory '\(directory)' has no .json file; add one, such as posts.json with [].")
    }
    var known: [String: Entry] = [:]
    for entry in entries {
      if let other = known.updateValue(entry, forKey: entry.name) {
        throw StorageError(
          .invalidFile, "'\(other.path)' and '\(entry.path)' are both the resource '\(entry.name)'; keep one of them.")
      }
    }
    return entries
  }
}

extension [DirectoryListing.Entry] {
  /// The entries with links at the end, so that a file is served by its own name.
  var linksLast: [DirectoryListing.Entry] { filter { !$0.isLink } + filter(\.isLink) }
}
