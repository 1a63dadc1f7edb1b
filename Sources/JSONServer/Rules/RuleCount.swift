import JSONServerValues

/// The kind and the id of a rule.
struct RuleKey: Hashable, Sendable {
  let kind: Rule.Kind
  let id: Int

  init(_ kind: Rule.Kind, _ id: Int) {
    (self.kind, self.id) = (kind, id)
  }

  /// Reads the name of a row; `nil` for what another version of the program has written.
  init?(name: String) {
    let parts = name.split(separator: "/")
    guard parts.count == 2, let kind = Rule.Kind(rawValue: String(parts[0])), let id = Int(parts[1]) else { return nil }
    self.init(kind, id)
  }

  /// The name of the rule's rows in the state that servers share.
  var name: String { "\(kind.rawValue)/\(id)" }
}

/// The number of requests that a rule has affected: a rule of the server's own, or one that servers share.
struct RuleCount: Sendable {
  /// The number of further requests that the rule affects; `nil` for no limit.
  private(set) var timesLeft: Int?
  /// The number of requests that the rule has affected.
  private(set) var timesMet = 0
  /// The number of these requests before the rule's responses last began with the first one.
  private var begun = 0

  /// The count of a new rule.
  init(upTo times: Int?) { timesLeft = times }

  /// The number of requests since the rule's responses last began with the first one.
  var timesMetAnew: Int { timesMet - begun }

  /// Whether the rule affects no further request.
  var isUsedUp: Bool { timesLeft == 0 }

  /// Counts a request.
  mutating func add() {
    timesMet += 1
    timesLeft = timesLeft.map { $0 - 1 }
  }

  /// Lets the rule's responses begin with the first one again.
  mutating func beginAnew() { begun = timesMet }
}

extension RuleCount {
  /// Reads a row.
  init(_ row: JSONValue) {
    self.init(upTo: row["left"]?.int)
    (timesMet, begun) = (row["met"]?.int ?? 0, row["begun"]?.int ?? 0)
  }

  /// The count as a row.
  var row: JSONValue {
    ["met": JSONValue(timesMet), "left": timesLeft.map { JSONValue($0) } ?? .null, "begun": JSONValue(begun)]
  }
}
