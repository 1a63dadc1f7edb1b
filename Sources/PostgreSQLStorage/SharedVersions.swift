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
    /// The id of the commit that created the version.
    let commit: String?

    /// A unique id for a commit.
    static var newCommit: String {
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
  }

  /// The database and its versions, which the connections of a server share.
  @dynamicMemberLookup
  final class SharedVersions: Sendable {
    struct State: Sendable {
      /// The schema by which the data is read.
      let schema: Schema
      /// The version that the server's data is built on.
      var base: (id: VersionID, database: Database)
      /// The newest version that was seen.
      var newest: Int
      /// The reason why the database cannot be queried; `nil` while it can.
      var failure: StorageError?
      /// The time since which the newest version is unchanged although every check found that somebody had the turn.
      var stall: ContinuousClock.Instant?
      /// Why nobody can write through this server's connections, as far as can be read; `nil` where all is as it should be.
      var obstacle: String?
      /// Why the database has refused the last commit, whatever it wrote; `nil` after a success.
      var refusal: String?
      /// The number of commits in progress, each of which ends with the earlier writes of others.
      var commits = 0 {
        didSet { commitStart = commits == 0 ? nil : commitStart ?? .now }
      }
      /// The time since which there are commits in progress.
      private(set) var commitStart: ContinuousClock.Instant?

      /// How long it is still expected that a commit brings the writes of others: what takes longer may be waiting for them.
      var expectation: Duration { commitStart.map { max(.zero, .milliseconds(500) - (.now - $0)) } ?? .zero }

      /// The reason why the database is not reachable, as far as is known; `nil` also if its data cannot be served.
      var unreachable: StorageError? { failure?.code == .invalidDatabase ? nil : failure }
      /// Whether the database is reachable, as far as is known, even if its data cannot be served.
      var isReached: Bool { unreachable == nil }
      /// Whether the server's data lacks writes of others.
      var isBehind: Bool { newest > base.id.number }
    }

    let address: DatabaseAddress
    private let state: NIOLockedValueBox<State>

    init(_ address: DatabaseAddress, _ id: VersionID, _ database: Database, _ schema: Schema) {
      self.address = address
      state = NIOLockedValueBox(State(schema: schema, base: (id, database), newest: id.number))
    }

    subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
      state.withLockedValue { $0[keyPath: path] }
    }

    func change(_ body: (inout State) -> Void) { state.withLockedValue { body(&$0) } }

    /// Records that the version on which the data is built is unknown.
    ///
    /// - Parameter id: The version on which the data was built when this was found out; `nil` for any version.
    func forgetBase(_ id: VersionID? = nil) {
      change { if id == nil || id == $0.base.id { $0.base.id = VersionID(number: -1, commit: nil) } }
    }
  }
#endif
