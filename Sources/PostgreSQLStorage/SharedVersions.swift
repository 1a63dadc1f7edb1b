#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import NIOConcurrencyHelpers

  /// The versions of which the connections of a server tell each other.
  final class SharedVersions: Sendable {
    private struct State {
      var base: Int
      var baseID: String?
      var newest: Int
      var failure: StorageError?
      var stall: ContinuousClock.Instant?
      var commits = 0
      var turns = 0
    }

    /// How the data is read.
    let schema: Schema
    private let state: NIOLockedValueBox<State>

    init(_ version: Int, id: String?, _ schema: Schema) {
      self.schema = schema
      state = NIOLockedValueBox(State(base: version, baseID: id, newest: version))
    }

    /// The version that the server's data is built on; -1 when it is not known to be one of the database.
    var base: Int { state.withLockedValue { $0.base } }

    /// The same, and the id of the commit that made it.
    ///
    /// After a failure the database may be one that lacks the last commits: what it calls by the same number is not the
    /// same then.
    var baseAndID: (version: Int, id: String?) { state.withLockedValue { ($0.base, $0.baseID) } }

    /// Builds on a version, which a commit of this server made or which was found.
    ///
    /// - Parameter id: Of the commit that made it: another database may have another version of the same number.
    func build(on version: Int, id: String?) {
      state.withLockedValue { ($0.base, $0.baseID) = (version, id) }
    }

    /// Records that the data is not known to be built on a version of the database.
    ///
    /// - Parameter version: The version that the data was built on when that was found out; `nil` for whichever.
    func forgetBase(_ version: Int? = nil) {
      state.withLockedValue { state in
        if version == nil || version == state.base { (state.base, state.baseID) = (-1, nil) }
      }
    }

    /// The newest version that was seen.
    var newest: Int {
      get { state.withLockedValue { $0.newest } }
      set { state.withLockedValue { $0.newest = newValue } }
    }

    /// Why the database cannot be asked now; `nil` while it can.
    var failure: StorageError? {
      get { state.withLockedValue { $0.failure } }
      set { state.withLockedValue { $0.failure = newValue } }
    }

    /// Since when the newest version is the same although somebody had the turn whenever it was looked at.
    var stall: ContinuousClock.Instant? {
      get { state.withLockedValue { $0.stall } }
      set { state.withLockedValue { $0.stall = newValue } }
    }

    /// Whether the database is there, as far as is known: even if what it holds cannot be served.
    var isReached: Bool { failure.map { $0.code == .invalidDatabase } ?? true }

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

  /// The names of commits, by which a server finds its own again.
  enum CommitID {
    /// One that nothing else has.
    static var random: String {
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
  }
#endif
