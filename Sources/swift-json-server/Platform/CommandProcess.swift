import CStorage
import Dispatch
import JSONDatabase
import JSONServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the command sets in its own process, and hears of who started it.
enum CommandProcess {
  /// The variable that lets the command end with its standard input. The package plugin sets it, whose server would
  /// otherwise go on when `swift package` is interrupted.
  static let endOfInputVariable = "JSON_SERVER_STOP_AT_END_OF_INPUT"

  /// Makes room for the connections of a server: a shell on macOS grants 256 files.
  static func raiseOpenFileLimit() {
    // When the system denies it, the old limit stays, and fewer connections are served.
    _ = system_raise_open_file_limit(65_536)
  }

  /// Whether the command is asked to end with its standard input.
  static var endsWithInput: Bool { getenv(endOfInputVariable) != nil }

  /// Calls a closure with the signal that stands for it when standard input ends, if that is asked for.
  static func onEndOfInput(_ body: @escaping @Sendable (_ signal: Int32) -> Void) {
    guard endsWithInput else { return }
    DispatchQueue(label: "end of input").async {
      _ = FileText.contents(from: STDIN_FILENO)
      body(SIGTERM)
    }
  }
}

/// The signals that ask the command to stop.
final class Signals {
  private let source: any DispatchSourceRead

  /// Catches the signals from now on; `nil` when the process has no descriptors left.
  ///
  /// - Parameters:
  ///   - onFirst: Called for the first, on a queue of its own.
  ///   - onSecond: Called before a second one ends the process at once.
  init?(onFirst: @escaping @Sendable (Int32) -> Void, onSecond: @escaping @Sendable () -> Void) {
    // A client or a pipe that goes away is an error of one write, never the end of the process.
    storage_ignore_signals()
    let stopping = [SIGINT, SIGTERM, SIGHUP]
    // The pipe keeps what comes before anyone reads it.
    let descriptor = system_catch_signals(stopping, Int32(stopping.count))
    guard descriptor >= 0 else { return nil }
    let caught = CaughtSignals(onFirst: onFirst, onSecond: onSecond)
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "signals"))
    source.setEventHandler {
      var number: UInt8 = 0
      while read(descriptor, &number, 1) == 1 { caught.take(Int32(number)) }
    }
    source.resume()
  }

  deinit {
    source.cancel()
  }
}

/// Tells the first signal from the second. Belongs to the queue of the signals.
private final class CaughtSignals {
  private let onFirst: @Sendable (Int32) -> Void
  private let onSecond: @Sendable () -> Void
  private var isStopping = false

  init(onFirst: @escaping @Sendable (Int32) -> Void, onSecond: @escaping @Sendable () -> Void) {
    self.onFirst = onFirst
    self.onSecond = onSecond
  }

  func take(_ number: Int32) {
    if isStopping {
      onSecond()
      _exit(128 + number)
    }
    isStopping = true
    onFirst(number)
  }
}

extension Timestamp {
  /// `14:05:09`, in the time zone of the machine.
  var clock: String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { CivilTime.twoDigits(Int($0)) }.joined(separator: ":")
  }
}
