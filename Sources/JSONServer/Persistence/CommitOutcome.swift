import JSONStorage
import NIOConcurrencyHelpers

/// Waits for the files of one commit; a commit ends as its worst file does.
final class CommitOutcome: Sendable {
  private struct State {
    var remaining: Int
    var worst = Commit.done
    var published: Set<String> = []
  }

  private let state: NIOLockedValueBox<State>
  private let completion: @Sendable (_ worst: Commit, _ published: Set<String>) -> Void

  /// - Parameters:
  ///   - count: How many files are written.
  ///   - completion: Called once, with how the worst file ended and the resources whose files hold the version.
  init(count: Int, _ completion: @escaping @Sendable (_ worst: Commit, _ published: Set<String>) -> Void) {
    state = NIOLockedValueBox(State(remaining: count))
    self.completion = completion
    if count == 0 { completion(.done, []) }
  }

  /// Records how the file of a resource ended. To be called once for each file.
  func add(_ commit: Commit, _ resource: String) {
    let finished = state.withLockedValue { state -> State? in
      state.remaining -= 1
      if commit.severity < 2 { state.published.insert(resource) }
      if commit.severity > state.worst.severity { state.worst = commit }
      return state.remaining == 0 ? state : nil
    }
    if let finished { completion(finished.worst, finished.published) }
  }
}

extension Commit {
  /// 0: the file holds the version, durably; 1: it holds it; 2: it does not; 3: it holds somebody else's edit.
  fileprivate var severity: Int {
    switch self {
    case .done: 0
    case .failed(let error): error.code == .durabilityUnknown ? 1 : 2
    case .edited: 3
    }
  }
}

/// Waits for the copies of the files of one version; fails when one of them does.
final class HistoryOutcome: Sendable {
  private struct State {
    var remaining: Int
    var result: Result<String, StorageError>?
  }

  private let state: NIOLockedValueBox<State>
  private let completion: @Sendable (Result<String, StorageError>) -> Void

  /// - Parameters:
  ///   - count: How many files there are to wait for, at least one.
  ///   - completion: Called once, with the path of a copy or the error of one that could not be made.
  init(count: Int, _ completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
    state = NIOLockedValueBox(State(remaining: count))
    self.completion = completion
  }

  /// Records how the copy of one file ended.
  func add(_ result: Result<String, StorageError>) {
    let finished = state.withLockedValue { state -> Result<String, StorageError>? in
      state.remaining -= 1
      if case .failure = state.result {} else { state.result = result }
      return state.remaining == 0 ? state.result : nil
    }
    if let finished { completion(finished) }
  }
}
