import Dispatch
import NIOConcurrencyHelpers

/// Collects what other threads send and waits for it, no longer than a deadline.
final class Inbox<Value: Sendable>: Sendable {
  struct Timeout: Error {}

  private let values = NIOLockedValueBox<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  func send(_ value: Value) {
    values.withLockedValue { $0.append(value) }
    count.signal()
  }

  /// Takes the oldest value.
  func next(within seconds: Double = 10) throws -> Value {
    guard count.wait(timeout: .now() + seconds) == .success, let value = values.withLockedValue({ $0.first }) else {
      throw Timeout()
    }
    values.withLockedValue { _ = $0.removeFirst() }
    return value
  }

  var isEmpty: Bool { values.withLockedValue { $0.isEmpty } }
}
