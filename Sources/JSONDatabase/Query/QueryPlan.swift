import JSONServerValues

/// The sizes at which a query reads records instead of using an index, and at which another thread does the work.
///
/// All of them stand here, since they hold only together: what is read instead of using an index must be quick, too.
enum QueryPlan {
  // MARK: Another thread
  // Work on the event loop delays every other request: each of these takes about a millisecond.

  /// The largest number of rows that are always read immediately.
  static let quickRows = 2_000
  /// The largest number of bytes of rows that are always read immediately.
  static let quickBytes = 4 << 20
  /// The largest number of related records that are always looked up immediately.
  static let quickRelations = 500
  /// The largest number of records that are always changed immediately.
  static let quickChanges = 100
  /// The largest record that is always written immediately, in bytes.
  static let quickRecord = 128 * 1024
  /// The largest number of resources that are examined for each request.
  static let quickResources = 200

  /// The largest number of rows that are always tested or sorted immediately, which takes longer than reading them.
  static func quickMatches(of rows: PersistentRowVector) -> Int {
    min(quickRows / 2, quickBytes / max(rows.byteCount / max(rows.count, 1), 1))
  }

  // MARK: Indexes

  /// The largest number of records that are read instead of using another index: an index may have as many slots as there
  /// are records, and reading a record takes some hundred times as long as joining a slot.
  static func fewMatches(of rows: PersistentRowVector) -> Int { min(rows.count / 256, quickMatches(of: rows)) }

  /// The largest number of records that are sorted rather than picked from the order of all: picking may walk through the
  /// whole order, and sorting a record takes some ten times as long as a step.
  static func sortedMatches(of rows: PersistentRowVector) -> Int { rows.count / 64 }

  /// The largest number of changed rows that an index follows even when time is short.
  static let followedImmediately = 200
  /// The largest number of changed rows that an index follows: with more, making the index again costs less.
  static func followed(of rows: PersistentRowVector) -> Int { max(2_000, rows.count / 8) }

  /// The largest number of indexes of one kind: each takes memory for each record, and time with each change.
  static let maximumIndexes = 16
  /// The largest number of paths for which the existence of values is known, at a few bytes each.
  static let maximumPaths = 256

  // MARK: Patterns

  /// The largest number of steps through the instructions of the patterns of a query: seconds would hold up the threads
  /// that others need, and a pattern that needs so many is seldom meant.
  static let maximumSteps = 20_000_000

  // MARK: Several threads

  /// The largest number of parts of some work: a few for each thread, since a thread may be busy with other work.
  static let maximumParts = 16
  /// The smallest number of elements in a part: fewer are read before another thread has begun.
  static let minimumPart = 1_000
}
