import CStorage
import Dispatch

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
    // Whoever denies it has the limit that there is, and as many connections fewer.
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
