import Dispatch
import JSONServer
import NIOConcurrencyHelpers

/// Prints lines on standard output and standard error, in their order, on a queue of its own.
///
/// Callers never wait for a slow terminal or pipe: when ``capacity`` lines are waiting, the writer drops further lines
/// and prints their number later. Each line is written immediately, also to a pipe.
final class LogWriter: Sendable {
  /// Makes a line on the writer's queue.
  private typealias Line = @Sendable () -> (LogStream, String)

  private struct Waiting {
    var lines: [Line] = []
    var dropped = 0
  }

  private static let capacity = 20_000

  let style: LogStyle
  private let isQuiet: Bool
  private let formatter: EventFormatter
  private let waiting = NIOLockedValueBox(Waiting())
  private let queue = DispatchQueue(label: "log")
  private let send: @Sendable ([UInt8], LogStream) -> Void

  /// Creates a writer with the format and the colors of the options.
  ///
  /// - Parameter send: Prints lines; may block while the reader is slow.
  init(
    _ options: ServeCommand,
    send: @escaping @Sendable ([UInt8], LogStream) -> Void = { FileText.send($0, to: $1.rawValue) }
  ) {
    self.send = send
    isQuiet = options.running.quiet
    style = LogStyle(isColored: options.running.color ?? Terminal.isOutput)
    formatter = EventFormatter(format: options.running.logFormat ?? .text, style: style)
  }

  /// Prints text on standard output.
  func print(_ text: String) {
    add { (.output, text) }
  }

  /// Prints text on standard error.
  func printError(_ text: String) {
    add { (.error, text) }
  }

  /// Prints an event as a line; a quiet server logs only warnings, such as of lost data, and errors.
  func log(_ event: ServerEvent) {
    switch event {
    case .invalid, .warning: break
    case .responded, .reloaded, .restored, .deleted, .working, .hint: if isQuiet { return }
    }
    let (formatter, time) = (formatter, Timestamp.now)
    guard case .responded(let exchange) = event else { return add { formatter.line(for: event, at: time) } }
    let request = RespondedRequest(exchange)
    add { formatter.line(for: request, at: time) }
  }

  /// Returns when all lines are printed, and after two seconds at the latest.
  func flush() {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    _ = end.wait(timeout: .now() + 2)
  }

  private func add(_ line: @escaping Line) {
    let isFirst = waiting.withLockedValue { waiting in
      guard waiting.lines.count < Self.capacity else {
        waiting.dropped += 1
        return false
      }
      waiting.lines.append(line)
      return waiting.lines.count == 1
    }
    if isFirst { queue.async { self.drain() } }
  }

  private func drain() {
    let taken = waiting.withLockedValue { waiting in
      let taken = waiting
      waiting = Waiting()
      return taken
    }
    var text: [UInt8] = []
    var stream = LogStream.output
    for line in taken.lines {
      let (next, line) = line()
      if next != stream {
        send(text, stream)
        text.removeAll(keepingCapacity: true)
        stream = next
      }
      text += line.utf8
      text.append(UInt8(ascii: "\n"))
    }
    if taken.dropped > 0 { text += "… \(taken.dropped) lines are not shown\n".utf8 }
    send(text, stream)
  }
}

/// The stream of a line, by its file descriptor.
enum LogStream: Int32 {
  case output = 1
  case error = 2
}
