#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import NIOConcurrencyHelpers

  /// The versions of which the connections of a server tell each other.
  @dynamicMemberLookup
  final class SharedVersions: Sendable {
    struct State: Sendable {
      /// How the data is read.
      let schema: Schema
      /// The version that the server's data is built on; -1 when it is not known to be one of the database. And the id of
      /// the commit that made it: after a failure the database may be one that lacks the last commits, and another version
      /// has the same number.
      var base: (version: Int, id: String?)
      /// The newest version that was seen.
      var newest: Int
      /// Why the database cannot be asked now; `nil` while it can.
      var failure: StorageError?
      /// Since when the newest version is the same although somebody had the turn whenever it was looked at.
      var stall: ContinuousClock.Instant?
      /// How many commits are under way, each of which ends with what others have written before it.
      var commits = 0
      /// How many turns are waited for, which bring what others have written, too.
      var turns = 0

      /// Whether the database is there, as far as is known: even if what it holds cannot be served.
      var isReached: Bool { failure.map { $0.code == .invalidDatabase } ?? true }
      /// Whether others have written what the server's data does not hold.
      var isBehind: Bool { newest > base.version }
    }

    private let state: NIOLockedValueBox<State>

    init(_ loaded: LoadedDatabase, _ schema: Schema) {
      state = NIOLockedValueBox(
        State(schema: schema, base: (loaded.version, loaded.commitID), newest: loaded.version))
    }

    subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
      state.withLockedValue { $0[keyPath: path] }
    }

    func change(_ body: (inout State) -> Void) { state.withLockedValue { body(&$0) } }

    /// Records that the data is not known to be built on a version of the database.
    ///
    /// - Parameter version: The version that the data was built on when that was found out.
    func forgetBase(_ version: Int) {
      change { if $0.base.version == version { $0.base = (-1, nil) } }
    }
  }

  /// The names of commits, by which a server finds its own again.
  enum CommitID {
    /// One that nothing else has.
    static var random: String {
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
  }
#endif
