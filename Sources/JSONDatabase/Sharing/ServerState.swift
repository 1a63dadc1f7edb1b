package import JSONServerValues

/// The state of a server besides the data, as JSON: rules and their counts of requests, settings, tokens.
///
/// The state is not part of the data, so no file, document or query shows it. A store that several servers share stores it
/// beside the data, with the same commits.
package struct ServerState: Sendable {
  /// The subject of a row.
  package enum Kind: String, Sendable {
    case rule, count, setting, token
    /// The response to a request that a client may repeat, by the client's key.
    case response
    /// The last number that was assigned.
    case number
  }

  package struct Key: Hashable, Sendable {
    package let kind: Kind
    package let name: String

    package init(_ kind: Kind, _ name: String) {
      (self.kind, self.name) = (kind, name)
    }
  }

  /// The value at one place.
  package struct Row: Sendable {
    package let key: Key
    /// `nil` if the value was removed.
    package let value: JSONValue?

    package init(_ key: Key, _ value: JSONValue?) {
      (self.key, self.value) = (key, value)
    }
  }

  /// Whether a store saves the state.
  package let isSaved: Bool
  private var values: [Kind: [String: JSONValue]] = [:]
  /// The changes that may not be saved yet, oldest first.
  private var changed: [Key] = []
  /// The number of older changes, which are dropped.
  private var forgotten = 0

  /// Creates an empty state of a server that does not save it.
  package init() { isSaved = false }

  /// Creates the state that a store holds.
  package init(saved rows: [Row]) {
    isSaved = true
    apply(rows)
  }

  package subscript(kind: Kind, name: String) -> JSONValue? {
    get { values[kind]?[name] }
    set {
      values[kind, default: [:]][name] = newValue
      changed.append(Key(kind, name))
    }
  }

  /// All values of a kind, by name.
  package subscript(kind: Kind) -> [String: JSONValue] { values[kind] ?? [:] }

  /// All places with a value.
  package var keys: [Key] { values.flatMap { kind, values in values.keys.map { Key(kind, $0) } } }

  /// The number of changes so far.
  package var mark: Int { forgotten + changed.count }

  /// The values at the places that have changed since an earlier state, without duplicates.
  ///
  /// - Parameter mark: The ``mark`` of that state.
  /// - Complexity: O(number of changes).
  package func rows(since mark: Int) -> [Row] {
    Set(changed.dropFirst(max(0, mark - forgotten))).map { Row($0, self[$0.kind, $0.name]) }
  }

  /// The places that have changed since an earlier state. Where nothing is saved, this drops the changes.
  ///
  /// - Parameter mark: The ``mark`` of that state.
  package mutating func keys(changedSince mark: Int) -> [Key] {
    defer { if !isSaved { forgetChanges(upTo: self.mark) } }
    return rows(since: mark).map(\.key)
  }

  /// Records that the changes up to a ``mark`` are saved, and drops them.
  package mutating func forgetChanges(upTo mark: Int) {
    let count = max(0, mark - forgotten)
    changed.removeFirst(count)
    forgotten += count
  }

  /// Applies the changes that other servers have saved.
  package mutating func apply(_ rows: [Row]) {
    for row in rows { values[row.key.kind, default: [:]][row.key.name] = row.value }
  }
}
