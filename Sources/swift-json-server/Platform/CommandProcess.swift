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

/// The settings of the command's own process, and its relation to the process that started it.
enum CommandProcess {
  /// The variable that makes the command end with its standard input. The package plugin sets it: otherwise its server
  /// would go on after `swift package` is interrupted.
  static let endOfInputVariable = "JSON_SERVER_STOP_AT_END_OF_INPUT"

  /// Raises the limit of open files for the connections of a server: a shell on macOS grants 256 files.
  static func raiseOpenFileLimit() {
    // If the system refuses, the old limit stays, and the server accepts fewer connections.
    _ = system_raise_open_file_limit(65_536)
  }

  /// Whether the command ends with its standard input.
  static var endsWithInput: Bool { getenv(endOfInputVariable) != nil }

  /// Calls a closure with a signal when standard input ends, if the variable is set.
  static func onEndOfInput(_ body: @escaping @Sendable (_ signal: Int32) -> Void) {
    guard endsWithInput else { return }
    DispatchQueue(label: "end of input").async {
      _ = FileText.contents(from: STDIN_FILENO)
      body(SIGTERM)
    }
  }
}

/// The signals that stop the command.
final class Signals {
  private let source: any DispatchSourceRead

  /// Catches the signals from now on; `nil` when the process has no descriptors left.
  ///
  /// - Parameters:
  ///   - onFirst: Called for the first signal, on a queue of its own. Returns whether the command stops by itself; by
  ///     default this signal and otherwise a second one end the process and its programs immediately.
  ///   - onEnd: Called before that.
  init?(
    onFirst: @escaping @Sendable (Int32) -> Bool = { _ in false }, onEnd: @escaping @Sendable () -> Void = {}
  ) {
    // A closed connection or pipe is an error of one write, never the end of the process.
    storage_ignore_signals()
    let stopping = [SIGINT, SIGTERM, SIGHUP]
    // The pipe keeps signals that come before anyone reads it.
    let descriptor = system_catch_signals(stopping, Int32(stopping.count))
    guard descriptor >= 0 else { return nil }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "signals"))
    var isStopping = false
    source.setEventHandler {
      var number: UInt8 = 0
      while read(descriptor, &number, 1) == 1 {
        if isStopping || !onFirst(Int32(number)) {
          onEnd()
          ChildProcess.sendToAll(Int32(number))
          _exit(128 + Int32(number))
        }
        isStopping = true
      }
    }
    source.resume()
  }

  deinit {
    source.cancel()
  }
}

extension Timestamp {
  /// The time in the machine's time zone: `14:05:09`.
  var clock: String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { CivilTime.twoDigits(Int($0)) }.joined(separator: ":")
  }
}
