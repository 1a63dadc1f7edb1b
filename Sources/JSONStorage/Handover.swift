import Dispatch
import NIOConcurrencyHelpers

/// Hands one value from one thread to another, which waits for it.
final class Handover<Value: Sendable>: Sendable {
  private let value = NIOLockedValueBox<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ value: Value) {
    self.value.withLockedValue { $0 = value }
    given.signal()
  }

  /// Waits for the value. To be called once.
  func take() -> Value {
    while true {
      given.wait()
      if let value = value.withLockedValue({ $0 }) { return value }
    }
  }
}
