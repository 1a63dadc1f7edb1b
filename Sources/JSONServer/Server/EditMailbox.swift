import JSONStorage
import NIOConcurrencyHelpers

/// Keeps the edits of a source until an engine receives them.
final class EditMailbox: Sendable {
  private struct State {
    var waiting: [SourceEdit] = []
    var receiver: (@Sendable (SourceEdit) -> Void)?
  }

  private let state = NIOLockedValueBox(State())

  /// Passes an edit to the receiver, or keeps it until there is one.
  func deliver(_ edit: SourceEdit) {
    let receiver = state.withLockedValue { state in
      if state.receiver == nil { state.waiting.append(edit) }
      return state.receiver
    }
    receiver?(edit)
  }

  /// Sets the receiver, and passes the kept edits to it.
  func connect(_ receiver: @escaping @Sendable (SourceEdit) -> Void) {
    let waiting = state.withLockedValue { state in
      defer { state = State(receiver: receiver) }
      return state.waiting
    }
    waiting.forEach(receiver)
  }
}
