import Dispatch

/// Calls a closure again and again, on a queue of its own, until it goes.
final class Ticker {
  private let source: any DispatchSourceTimer

  init(every interval: DispatchTimeInterval = .seconds(1), _ onTick: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ticker"))
    source.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
    source.setEventHandler(handler: onTick)
    source.resume()
  }

  deinit {
    source.cancel()
  }
}
