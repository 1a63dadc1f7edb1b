import CStorage
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
