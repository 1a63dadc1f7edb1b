#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON files of a directory, each of which holds the resource of its name.
struct DirectoryListing {
  struct Entry: Hashable {
    /// The resource: the file's name without its extension.
    let name: String
    let path: String
  }

  /// Sorted by path.
  let entries: [Entry]

  init(_ directory: String) throws(ServerError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      throw ServerError(.sourceUnreadable, "The directory '\(directory)' cannot be read: \(error)")
    }
    entries = names.sorted().compactMap { file in
      guard !file.hasPrefix("."), let dot = file.lastIndex(of: "."), [".json", ".json5"].contains(file[dot...])
      else { return nil }
      return Entry(name: String(file[..<dot]), path: directory + "/" + file)
    }
  }

  /// Two files that claim one resource; `nil` when there are none.
  var clash: (Entry, Entry)? {
    var known: [String: Entry] = [:]
    for entry in entries {
      if let other = known.updateValue(entry, forKey: entry.name) { return (other, entry) }
    }
    return nil
  }
}
