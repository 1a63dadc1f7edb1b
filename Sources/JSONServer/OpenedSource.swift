import JSONDatabase

/// A source that was opened: what it holds and what keeps its changes.
struct OpenedSource: Sendable {
  /// `nil` for a source in memory.
  let persistence: (any Persistence)?
  let database: Database
  /// What a person should know.
  let warnings: [String]
}
