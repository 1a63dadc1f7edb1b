import JSONDatabase
import NIOConcurrencyHelpers

/// A version of the data on its way to another thread and back.
///
/// Only one of the two has it at a time, so that what is found out about it can be taken over without a copy.
final class LargeRead: Sendable {
  private struct State {
    var database: Database?
    var isCancelled = false
  }

  private let state: NIOLockedValueBox<State>

  init(of database: consuming Database) {
    state = NIOLockedValueBox(State(database: database))
  }

  /// Takes the version out; `nil` when nobody wants the result any more.
  func take() -> Database? {
    state.withLockedValue { state in
      defer { state.database = nil }
      return state.isCancelled ? nil : state.database
    }
  }

  func put(_ database: consuming Database) {
    let database = database
    state.withLockedValue { $0.database = database }
  }

  /// Records that the client has gone: what has not begun does not begin.
  func cancel() {
    state.withLockedValue { state in
      state.isCancelled = true
      state.database = nil
    }
  }
}

/// What of a version of the data was not saved when a read of it began.
struct ReadVersion: Sendable {
  /// Whether all of it was.
  let isSaved: Bool
  private let retractions: Int

  init(_ writes: WriteCoordinator) {
    isSaved = writes.isSaved
    retractions = writes.retractions
  }

  /// Whether something of it was taken back since.
  func isRetracted(in writes: WriteCoordinator) -> Bool {
    !isSaved && retractions != writes.retractions
  }
}
