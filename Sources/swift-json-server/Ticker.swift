import Dispatch

/// Calls a closure every second, on a queue of its own, until it goes.
final class Ticker {
  private let source: any DispatchSourceTimer

  init(_ onTick: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ticker"))
    source.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
    source.setEventHandler(handler: onTick)
    source.resume()
  }

  deinit {
    source.cancel()
  }
}
