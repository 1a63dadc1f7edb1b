#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import NIOConcurrencyHelpers

  /// A version of the data.
  ///
  /// After a failover the database may lack the last commits. Another commit then has the same number, but another id.
  struct VersionID: Hashable, Sendable {
    /// The number; -1 when the version is unknown.
    let number: Int
    /// The id of the commit that made the version.
    let commit: String?

    /// An id for a commit that nothing else has.
    static var newCommit: String {
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
  }

  /// The versions of which the connections of a server tell each other.
  @dynamicMemberLookup
  final class SharedVersions: Sendable {
    struct State: Sendable {
      /// How the data is read.
      let schema: Schema
      /// The version that the server's data is built on.
      var base: (id: VersionID, database: Database)
      /// The newest version that was seen.
      var newest: Int
      /// Why the database cannot be asked now; `nil` while it can.
      var failure: StorageError?
      /// Since when the newest version is the same although somebody had the turn whenever it was looked at.
      var stall: ContinuousClock.Instant?
      /// How many commits are under way, each of which ends with what others have written before it.
      var commits = 0

      /// Whether the database is there, as far as is known: even if what it holds cannot be served.
      var isReached: Bool { failure.map { $0.code == .invalidDatabase } ?? true }
      /// Whether others have written what the server's data does not hold.
      var isBehind: Bool { newest > base.id.number }
    }

    private let state: NIOLockedValueBox<State>

    init(_ loaded: LoadedDatabase, _ database: Database, _ schema: Schema) {
      state = NIOLockedValueBox(State(schema: schema, base: (loaded.id, database), newest: loaded.id.number))
    }

    subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
      state.withLockedValue { $0[keyPath: path] }
    }

    func change(_ body: (inout State) -> Void) { state.withLockedValue { body(&$0) } }

    /// Records that the data is not known to be built on a version of the database.
    ///
    /// - Parameter id: The version that the data was built on when that was found out; `nil` for whichever.
    func forgetBase(_ id: VersionID? = nil) {
      change { if id == nil || id == $0.base.id { $0.base.id = VersionID(number: -1, commit: nil) } }
    }
  }
#endif
