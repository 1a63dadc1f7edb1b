package import JSONServerValues

/// The state of a server besides the data, as JSON: rules for requests and how often they were met, settings, tokens.
///
/// It is no part of the data, so that no file, document or query shows it. A store that several servers share keeps it
/// beside the data, with the same commits.
package struct ServerState: Sendable {
  /// The subject of a row.
  package enum Kind: String, Sendable {
    case rule, count, setting, token
    /// The last number that something was given.
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
    /// `nil` where there is nothing any more.
    package let value: JSONValue?

    package init(_ key: Key, _ value: JSONValue?) {
      (self.key, self.value) = (key, value)
    }
  }

  private var values: [Kind: [String: JSONValue]] = [:]
  /// The changes that may not be saved yet, oldest first.
  private var changed: [Key] = []
  /// How many changes are forgotten that were made before those.
  private var forgotten = 0

  package init() {}

  /// Creates the state that a store holds.
  package init(_ rows: [Row]) {
    apply(rows)
  }

  package subscript(kind: Kind, name: String) -> JSONValue? {
    get { values[kind]?[name] }
    set {
      values[kind, default: [:]][name] = newValue
      changed.append(Key(kind, name))
    }
  }

  /// All of a kind, by name.
  package subscript(kind: Kind) -> [String: JSONValue] { values[kind] ?? [:] }

  /// All places that hold something.
  package var keys: [Key] { values.flatMap { kind, values in values.keys.map { Key(kind, $0) } } }

  /// How many changes were made.
  package var mark: Int { forgotten + changed.count }

  /// The values at the places that have changed since an earlier state, each once.
  ///
  /// - Parameter mark: The ``mark`` of that state.
  /// - Complexity: O(number of changes).
  package func rows(since mark: Int) -> [Row] {
    Set(changed.dropFirst(max(0, mark - forgotten))).map { Row($0, self[$0.kind, $0.name]) }
  }

  /// Records that the changes up to a ``mark`` are saved, and not asked for any more.
  package mutating func forgetChanges(upTo mark: Int) {
    let count = max(0, mark - forgotten)
    changed.removeFirst(count)
    forgotten += count
  }

  /// Takes over what others have saved.
  package mutating func apply(_ rows: [Row]) {
    for row in rows { values[row.key.kind, default: [:]][row.key.name] = row.value }
  }
}
