import JSONServerValues

/// A value for sorting: numbers before texts, then null, then missing values. Times with a zone are sorted as instants.
///
/// In 1.0 false and an empty text count as null.
enum SortValue: Sendable {
  case number(Double)
  case text([UInt8])
  /// A text that is sorted by its collation, with its number, if it is one.
  case word(key: [UInt8], number: Double?)
  case null
  case missing

  init(_ value: ValueToken?, dialect: Dialect) {
    guard let value else {
      self = .missing
      return
    }
    switch value.kind {
    case .null: self = .null
    case .bool where dialect == .v1 && value.bytes[0] == UInt8(ascii: "f"): self = .null
    case .bool: self = .number(value.bytes[0] == UInt8(ascii: "t") ? 1 : 0)
    case .number: self = .number(value.double)
    case .string where dialect == .v1 && value.bytes.count == 2: self = .null
    case .string where dialect == .v1:
      let key = value.withText { text in InstantText.withKey(of: text) { String(decoding: $0, as: UTF8.self) } }
      self = .word(key: Collation.key(for: key), number: Operand.number(key))
    case .string, .array, .object: self = .text(value.withText { text in InstantText.withKey(of: text) { Array($0) } })
    }
  }

  private var rank: Int {
    switch self {
    case .number: 0
    case .text, .word: 1
    case .null: 2
    case .missing: 3
    }
  }

  var isNumber: Bool { rank == 0 }

  /// The bytes by which a text is sorted.
  private var sortedBytes: [UInt8]? {
    switch self {
    case .text(let bytes), .word(let bytes, _): bytes
    case .number, .null, .missing: nil
    }
  }

  /// Returns a negative number, zero or a positive number, as this value comes before, with or after another.
  func order(_ other: SortValue) -> Int {
    if case .number(let left) = self, case .number(let right) = other {
      return left < right ? -1 : left > right ? 1 : 0
    }
    if let left = sortedBytes, let right = other.sortedBytes { return LexicographicOrder.compare(left, right) }
    return rank - other.rank
  }

  /// The order in which JavaScript compares two values: a text beside a number counts as a number, and as equal if it
  /// is not one.
  ///
  /// Not an order among more than two values: `"10"` comes before `"9"`, and both after 9 and before 11.
  func looseOrder(_ other: SortValue) -> Int {
    guard rank + other.rank == 1 else { return order(other) }
    guard let left = number, let right = other.number else { return 0 }
    return left < right ? -1 : left > right ? 1 : 0
  }

  /// The number to which JavaScript converts the value; `nil` for none.
  var number: Double? {
    switch self {
    case .number(let number): number
    case .word(_, let number): number
    case .text(let text): Operand.number(String(decoding: text, as: UTF8.self))
    case .null, .missing: nil
    }
  }

  /// The kinds of values in a column.
  struct Kinds: Sendable {
    private(set) var hasNumbers = false
    private(set) var hasTexts = false
    private(set) var hasNulls = false

    init(_ values: [SortValue]) {
      for value in values { insert(value) }
    }

    /// Whether the column has numbers and texts.
    var isMixed: Bool { hasNumbers && hasTexts }

    mutating func insert(_ value: SortValue) {
      switch value {
      case .number: hasNumbers = true
      case .text, .word: hasTexts = true
      case .null: hasNulls = true
      case .missing: break
      }
    }
  }
}
