import Dispatch
import NIOConcurrencyHelpers

/// Says what is being read, once that takes longer than a moment: on a terminal in one line that replaces itself, else in a
/// line now and then.
final class RecordingProgress: Sendable {
  private struct State {
    var text = ""
    var ticks = 0
    var isShown = false
    var hasEnded = false
  }

  private let state = NIOLockedValueBox(State())

  /// Says what is being read from now on.
  func show(_ address: String, page: Int, records: Int) {
    let text = "Reading \(address), page \(page), \(records) records so far …"
    state.withLockedValue { $0.text = text }
  }

  /// Starts to say it, until the ticker goes.
  func start() -> Ticker {
    Ticker(every: .milliseconds(500)) { [self] in
      state.withLockedValue { state in
        guard !state.hasEnded else { return }
        defer { state.ticks += 1 }
        if Terminal.isError {
          state.isShown = true
          Self.send(Terminal.lineClearing + state.text)
        } else if state.ticks % 10 == 0 {
          Self.send(state.text + "\n")
        }
      }
    }
  }

  /// Wipes what is on the terminal, for good.
  func end() {
    state.withLockedValue { state in
      if state.isShown { Self.send(Terminal.lineClearing) }
      state.hasEnded = true
    }
  }

  private static func send(_ text: String) {
    FileText.send(Array(text.utf8), to: LogStream.error.rawValue)
  }
}
