import Dispatch
import JSONServer
import NIOConcurrencyHelpers

/// A line on standard error that shows the progress of what takes longer than a moment. On a terminal, each text replaces
/// the last one, and the end clears the line; elsewhere, a line is printed every five seconds.
final class ProgressLine {
  /// The number of texts so far; `nil` after the end.
  private let count = NIOLockedValueBox<Int?>(0)
  private let ticker: Ticker

  /// Starts to wait.
  ///
  /// - Parameter text: Returns the text; called every half second, on a queue of its own.
  init(_ text: @escaping @Sendable () -> String) {
    ticker = Ticker(every: .milliseconds(500)) { [count] in
      count.withLockedValue { count in
        guard let number = count else { return }
        if Terminal.isError {
          Self.send(Terminal.lineClearing + text())
        } else if number.isMultiple(of: 10) {
          Self.send(text() + "\n")
        }
        count = number + 1
      }
    }
  }

  /// Clears the line on a terminal, and prints nothing from now on.
  func end() {
    count.withLockedValue { count in
      if let number = count, number > 0, Terminal.isError { Self.send(Terminal.lineClearing) }
      count = nil
    }
  }

  private static func send(_ text: String) {
    FileText.send(Array(text.utf8), to: LogStream.error.rawValue)
  }
}

/// Shows the progress of reading a source on a terminal: name, size, percentage and time.
struct ReadingNotice {
  /// To be called with the number of further bytes that were read.
  let onRead: @Sendable (Int) -> Void
  private let line: ProgressLine

  /// Starts to wait; `nil` when standard error is not a terminal, or nothing should be shown.
  init?(_ options: ServeCommand) {
    guard !options.running.quiet, (options.running.logFormat ?? .text) == .text, Terminal.isError else { return nil }
    let name = LogText.escaped(options.shownSource)
    let size = FileKind(of: options.source) == .directory ? 0 : FileMark(of: options.source).size
    let start = ContinuousClock.now
    let read = NIOLockedValueBox<Int64>(0)
    onRead = { count in read.withLockedValue { $0 += Int64(count) } }
    line = ProgressLine { Self.text(name, read.withLockedValue { $0 }, of: size, .now - start) }
  }

  /// Clears the notice, and ends it.
  func end() { line.end() }

  /// The notice, such as `  Reading database.json, 40 % of 301 MB, 1.4 s …`.
  ///
  /// - Parameters:
  ///   - read: The number of bytes that were read.
  ///   - size: The size in bytes; 0 when it is unknown.
  static func text(_ name: String, _ read: Int64, of size: Int64, _ duration: Duration) -> String {
    let share = read > 0 ? "\(min(read * 100 / max(size, 1), 100)) % of " : ""
    let parts = [name, size > 0 ? share + LogText.size(Int(size)) : nil, LogText.seconds(duration)]
    return "  Reading \(parts.compactMap(\.self).joined(separator: ", ")) …"
  }
}
