import JSONDatabase
import NIOConcurrencyHelpers
import Synchronization

/// A version of the data as a request may see it.
struct DataView: Sendable {
  var database: Database
  /// What no response shows.
  var passwords: HiddenMember

  init(_ database: consuming Database, hiding passwords: consuming HiddenMember = .nothing) {
    self.database = database
    self.passwords = passwords
  }
}

/// A version of the data on its way to another thread and back.
///
/// Only one of the two has it at a time, so that what becomes of it can be taken over without a copy.
final class DataInTransit: Sendable {
  private let view: NIOLockedValueBox<DataView?>
  private let cancelled = Atomic(false)

  init(_ view: consuming DataView) {
    self.view = NIOLockedValueBox(view)
  }

  /// Whether nobody wants the result any more.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Takes the version out; `nil` when nobody wants the result any more.
  func take() -> DataView? {
    view.withLockedValue { view in
      defer { view = nil }
      return isCancelled ? nil : view
    }
  }

  func put(_ version: consuming DataView) {
    let version = version
    view.withLockedValue { $0 = version }
  }

  /// Records that the client has gone: what has not begun does not begin, and what has ends soon.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    view.withLockedValue { $0 = nil }
  }
}
