import Dispatch

/// Small files that are looked at from time to time for edits.
struct WatchedFiles {
  private var marks: [String: FileMark]

  init(_ paths: [String]) {
    marks = Dictionary(paths.map { ($0, FileMark(of: $0)) }) { $1 }
  }

  /// Looks at further files from now on.
  mutating func add(_ paths: [String]) {
    for path in paths where marks[path] == nil { marks[path] = FileMark(of: path) }
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

/// Calls a closure again and again, on a queue of its own, until it goes.
final class Ticker {
  private let source: any DispatchSourceTimer

  init(every interval: DispatchTimeInterval = .seconds(1), _ onTick: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ticker"))
    source.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
    source.setEventHandler(handler: onTick)
    source.resume()
  }

  deinit {
    source.cancel()
  }
}
