import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The signals that ask the command to stop.
final class Signals {
  static let stopping = [SIGINT, SIGTERM, SIGHUP]

  private let sources: [any DispatchSourceSignal]

  /// Catches the signals from now on, until the object goes.
  ///
  /// - Parameters:
  ///   - onFirst: Called for the first, on a queue of its own.
  ///   - onSecond: Called before a second one ends the process at once.
  init(onFirst: @escaping @Sendable (Int32) -> Void, onSecond: @escaping @Sendable () -> Void) {
    // A client or a pipe that goes away is an error of one write, never the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "signals")
    let caught = CaughtSignals(onFirst: onFirst, onSecond: onSecond)
    sources = Self.stopping.map { number in
      // The default action would end the process before the source hears of the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        caught.take(number)
      }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
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
