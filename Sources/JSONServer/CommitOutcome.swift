import Synchronization

/// Waits for the files of one commit; the commit is as bad as its worst file.
final class CommitOutcome: Sendable {
  private struct State {
    var missing: Int
    var worst = Commit.done
  }

  private let state: Mutex<State>
  private let completion: @Sendable (Commit) -> Void

  init(count: Int, _ completion: @escaping @Sendable (Commit) -> Void) {
    state = Mutex(State(missing: count))
    self.completion = completion
    if count == 0 { completion(.done) }
  }

  func add(_ commit: Commit) {
    let finished = state.withLock { state -> Commit? in
      state.missing -= 1
      if case .done = state.worst { state.worst = commit }
      return state.missing == 0 ? state.worst : nil
    }
    if let finished { completion(finished) }
  }
}
