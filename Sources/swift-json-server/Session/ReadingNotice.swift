import Dispatch
import JSONServer
import NIOConcurrencyHelpers

/// Shows on a terminal which source is being read, how large it is, how much of it was read and for how long that has
/// gone on, once that takes longer than a moment.
///
/// The notice is one line that replaces itself and is wiped at the end.
final class ReadingNotice {
  private enum State {
    case waiting
    case shown
    case ended
  }

  /// The line on the terminal, which the ticker's queue writes and the reading's end wipes.
  private final class Line: Sendable {
    private let state = NIOLockedValueBox(State.waiting)

    func show(_ text: String) {
      state.withLockedValue { state in
        guard state != .ended else { return }
        state = .shown
        Self.send(text)
      }
    }

    func end() {
      state.withLockedValue { state in
        if state == .shown { Self.send("") }
        state = .ended
      }
    }

    private static func send(_ text: String) {
      FileText.send(Array((Terminal.lineClearing + text).utf8), to: LogStream.error.rawValue)
    }
  }

  /// Is to be called with how many bytes more were read.
  let onRead: @Sendable (Int) -> Void
  private let line: Line
  private let ticker: Ticker

  /// Starts to wait; `nil` when standard error is no terminal, or nothing is to be shown.
  init?(_ options: ServeOptions) {
    guard !options.quiet, (options.logFormat ?? .text) == .text, Terminal.isError else { return nil }
    let name = LogText.escaped(SharedSource(url: options.source).description)
    let size = FileKind(of: options.source) == .directory ? 0 : FileMark(of: options.source).size
    let start = ContinuousClock.now
    let line = Line()
    let read = NIOLockedValueBox<Int64>(0)
    self.line = line
    onRead = { count in read.withLockedValue { $0 += Int64(count) } }
    ticker = Ticker(every: .milliseconds(300)) {
      line.show(Self.text(name, read.withLockedValue { $0 }, of: size, .now - start))
    }
  }

  /// Wipes the notice, for good.
  func end() {
    line.end()
  }

  /// The notice, such as `  Reading database.json, 40 % of 301 MB, 1.4 s …`.
  ///
  /// - Parameters:
  ///   - read: How many bytes were read.
  ///   - size: In bytes; 0 when it is not known.
  static func text(_ name: String, _ read: Int64, of size: Int64, _ duration: Duration) -> String {
    let share = read > 0 ? "\(min(read * 100 / max(size, 1), 100)) % of " : ""
    let parts = [name, size > 0 ? share + LogText.size(Int(size)) : nil, LogText.seconds(duration)]
    return "  Reading \(parts.compactMap(\.self).joined(separator: ", ")) …"
  }
}
