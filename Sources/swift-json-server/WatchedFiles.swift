/// Small files that are looked at from time to time for edits.
struct WatchedFiles {
  private var marks: [String: FileMark]

  init(_ paths: [String]) {
    marks = Dictionary(paths.map { ($0, FileMark(of: $0)) }) { $1 }
  }

  /// Returns the files that were edited since the last look.
  mutating func edited() -> Set<String> {
    var edited: Set<String> = []
    for (path, mark) in marks {
      let now = FileMark(of: path)
      guard now != mark else { continue }
      marks[path] = now
      edited.insert(path)
    }
    return edited
  }
}
