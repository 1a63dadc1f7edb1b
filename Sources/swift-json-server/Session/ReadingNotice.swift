import Dispatch
import JSONServer
import NIOConcurrencyHelpers

/// Shows on a terminal how long a source has been read for, once that takes longer than a moment.
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

  private let line: Line
  private let ticker: Ticker

  /// Starts to wait; `nil` when standard error is no terminal, or nothing is to be shown.
  init?(_ options: ServeOptions) {
    guard !options.quiet, (options.logFormat ?? .text) == .text, Terminal.isError else { return nil }
    let name = LogText.escaped(SharedSource(url: options.source).description)
    let start = ContinuousClock.now
    let line = Line()
    self.line = line
    ticker = Ticker(every: .milliseconds(300)) { line.show(Self.text(name, .now - start)) }
  }

  /// Wipes the notice, for good.
  func end() {
    line.end()
  }

  /// The notice, such as `  Reading database.json, 1.4 s …`.
  static func text(_ name: String, _ duration: Duration) -> String {
    "  Reading \(name), \(LogText.seconds(duration)) …"
  }
}
