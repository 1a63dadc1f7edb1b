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
  private let sources: [any DispatchSourceSignal]

  /// Catches the signals from now on.
  ///
  /// - Parameter onSignal: Called on a queue of its own for each.
  init(onSignal: @escaping @Sendable (Int32) -> Void) {
    // A client or a pipe that goes away is an error of one write, never the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "signals")
    sources = Self.stopping.map { number in
      // The default action would end the process before the source hears of the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { onSignal(number) }
      source.resume()
      return source
    }
  }

  static let stopping = [SIGINT, SIGTERM, SIGHUP]
}
