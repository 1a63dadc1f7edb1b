#if PostgreSQL
  import NIOConcurrencyHelpers

  /// What the connections of a server tell each other.
  final class SharedVersions: Sendable {
    private struct State {
      var base: Int
      var newest: Int
      var failure: DatabaseFailure?
      var commits = 0
      var turns = 0
    }

    private let state: NIOLockedValueBox<State>

    init(_ version: Int) {
      state = NIOLockedValueBox(State(base: version, newest: version))
    }

    /// The version that the server's data is built on; -1 after a commit whose outcome is unknown.
    var base: Int {
      get { state.withLockedValue { $0.base } }
      set { state.withLockedValue { $0.base = newValue } }
    }

    /// The newest version that was seen.
    var newest: Int {
      get { state.withLockedValue { $0.newest } }
      set { state.withLockedValue { $0.newest = newValue } }
    }

    /// Why the database cannot be asked now; `nil` while it can.
    var failure: DatabaseFailure? {
      get { state.withLockedValue { $0.failure } }
      set { state.withLockedValue { $0.failure = newValue } }
    }

    /// Whether others have written what the server's data does not hold.
    var isBehind: Bool { state.withLockedValue { $0.newest > $0.base } }

    /// Whether a commit is under way, which ends with what others have written before it.
    var isCommitting: Bool { state.withLockedValue { $0.commits > 0 } }

    /// Whether a commit is under way, or the turn is waited for, which brings what others have written, too.
    var isWriting: Bool { state.withLockedValue { $0.commits + $0.turns > 0 } }

    /// Counts the commits under way.
    func addCommit(_ count: Int) { state.withLockedValue { $0.commits += count } }

    /// Counts the turns that are waited for.
    func addTurn(_ count: Int) { state.withLockedValue { $0.turns += count } }
  }
#endif
