import JSONStorage
import OrderedJSON

/// What the servers of one database share besides the data: rules, settings, snapshots and tokens.
///
/// Completions are called once, on any thread.
protocol SharedSimulation: Sendable {
  /// Reads the rules and settings.
  func readState(_ completion: @escaping @Sendable (Result<SharedState, StorageError>) -> Void)

  /// Changes what is shared, and tells all servers.
  func change(
    _ change: SharedChange, completion: @escaping @Sendable (Result<SharedChange.Outcome, StorageError>) -> Void)

  /// Counts a request that matches a rule; passes on `nil` when the rule is for no request any more.
  func meet(
    _ kind: Rule.Kind, _ id: Int,
    completion: @escaping @Sendable (Result<SharedRule.Meeting?, StorageError>) -> Void
  )

  /// The snapshots, oldest first.
  func snapshots(_ completion: @escaping @Sendable (Result<[Snapshots.Entry], StorageError>) -> Void)

  /// Keeps the data as it is in the database; passes on the snapshot's name.
  ///
  /// - Parameter name: `nil` for the next of `snapshot-1`, `snapshot-2`, … that is free.
  func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Brings the data in the database back to a snapshot; passes on whether there is such a one.
  ///
  /// - Parameter name: `nil` for what a reset goes back to.
  func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)

  /// Removes a snapshot; passes on whether it was there.
  func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)

  /// Keeps tokens that were just made.
  ///
  /// - Parameter now: Seconds since 1970, here and below.
  func add(_ tokens: [SharedToken], now: Double, completion: @escaping @Sendable (Result<Void, StorageError>) -> Void)

  /// Passes on what is known of a token; `nil` when it is void.
  func token(_ text: String, completion: @escaping @Sendable (Result<SharedToken?, StorageError>) -> Void)

  /// Gives tokens for a refresh token, which is void from then on; passes on whether it was not yet.
  func renew(
    _ text: String, as tokens: [SharedToken], now: Double,
    completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)
}

/// The rules and settings that servers share, at a version of the data.
struct SharedState: Sendable {
  let version: Int
  /// With ids that ascend in the order in which the rules of a kind were added.
  let rules: [(id: Int, rule: SharedRule)]
  /// The settings that were changed.
  let settings: JSONObject
}

/// A change of what servers share.
enum SharedChange: Sendable {
  /// Adds a rule, whose id is larger than those of the server's own rules.
  case add(SharedRule, after: Int)
  /// Removes a rule; all of a kind, when none is named.
  case remove(Rule.Kind, id: Int?)
  case set(JSONObject)
  /// Voids all tokens of the sign-in that one goes back to.
  case revoke(token: String)
  /// Has all access tokens expire.
  case expireTokens(now: Double)

  /// What came of it.
  struct Outcome: Sendable {
    /// The id of a rule that was added, or how many rules or tokens it was about.
    let number: Int
    /// What there is then.
    let state: SharedState
  }
}

/// A token that all servers accept.
struct SharedToken: Sendable {
  let text: String
  let isRefresh: Bool
  /// The sign-in that it goes back to, which ends all its tokens.
  let origin: String
  let holder: Tokens.Holder
  /// The slot of the user's record: whoever gets the id later has another.
  let slot: Int
  /// Seconds since 1970.
  let end: Double
}
