import JSONServerValues

/// The forms of a collection's ids, or of the values of another member, and the largest number among them: what a new one
/// looks like.
struct IDForms: RowIndex {
  private enum Form: Equatable {
    case number(NumericID)
    /// A string of digits, as a number is written.
    case digits(NumericID)
    case uuid
    case other

    init?(_ value: ValueToken, isID: Bool) {
      switch value.kind {
      case .null: return nil
      case .number: self = NumericID(value).map(Form.number) ?? .other
      case .string:
        if isID, let number = NumericID(digits: value.content) {
          self = .digits(number)
        } else {
          self = value.withText(UUIDText.isUUID) ? .uuid : .other
        }
      case .bool, .array, .object: self = .other
      }
    }

    var number: NumericID? {
      switch self {
      case .number(let number), .digits(let number): number
      case .uuid, .other: nil
      }
    }
  }

  /// The number of slots whose largest number is known: when it goes, these are read again.
  private static let chunkSize = 512

  private let name: [UInt8]
  /// Whether a string of digits is like a number: ids compare by their text.
  private let areIDs: Bool
  private var numbers = 0
  private var digits = 0
  private var uuids = 0
  private var others = 0
  /// The largest number in each chunk of slots, and in all.
  private var maxima: [NumericID?] = []
  private var largest: NumericID?

  /// Reads all rows. O(n).
  init(_ name: String, areIDs: Bool, rows: PersistentRowVector) {
    self.name = Array(name.utf8)
    self.areIDs = areIDs
    rows.forEach { slot, row in
      guard let form = form(of: row) else { return }
      count(form, 1)
      raise(slot, form)
    }
  }

  private var count: Int { numbers + digits + uuids + others }

  /// Whether there are ids, and all are UUIDs.
  var areUUIDs: Bool { uuids > 0 && uuids == count }

  /// Whether all ids are strings of digits.
  var areDigits: Bool { digits > 0 && digits == count }

  /// One more than the largest number, and 1 where there are no ids; `nil` where ids are texts.
  var next: NumericID? {
    if count == 0 { return .integer(1) }
    return numbers > 0 || areDigits ? largest?.next : nil
  }

  /// - Complexity: O(1) for each change, but for reading a chunk where its largest number goes.
  mutating func follow(_ changes: RowChanges) -> Bool {
    var outdated: [Int] = []
    for slot in changes.slots {
      let (old, new) = (changes.before[slot].flatMap(form), changes.after[slot].flatMap(form))
      guard old != new else { continue }
      if let old { count(old, -1) }
      let chunk = slot / Self.chunkSize
      if let number = old?.number, maxima[chunk] == number, outdated.last != chunk { outdated.append(chunk) }
      if let new {
        count(new, 1)
        raise(slot, new)
      }
    }
    for chunk in outdated {
      maxima[chunk] = nil
      changes.after.forEach(in: (chunk * Self.chunkSize)..<((chunk + 1) * Self.chunkSize)) { slot, row in
        if let form = form(of: row) { raise(slot, form) }
      }
    }
    if !outdated.isEmpty { largest = maxima.lazy.compactMap(\.self).max() }
    return true
  }

  private func form(of row: Row) -> Form? { row.withRecord { $0.member(name).flatMap { Form($0, isID: areIDs) } } }

  private mutating func count(_ form: Form, _ step: Int) {
    switch form {
    case .number: numbers += step
    case .digits: digits += step
    case .uuid: uuids += step
    case .other: others += step
    }
  }

  private mutating func raise(_ slot: Int, _ form: Form) {
    guard let number = form.number else { return }
    let chunk = slot / Self.chunkSize
    while maxima.count <= chunk { maxima.append(nil) }
    if maxima[chunk].map({ $0 < number }) ?? true { maxima[chunk] = number }
    if largest.map({ $0 < number }) ?? true { largest = number }
  }
}

/// An id that is a number: an integer with all its digits, or a fraction.
enum NumericID: Sendable, Comparable {
  case integer(Int)
  /// The digits of an integer that is too large for an `Int`.
  case large(String)
  case fraction(Double)

  /// Reads a value; `nil` unless it is a number in a double's range or without an exponent.
  init?(_ value: ValueToken) {
    guard value.kind == .number else { return nil }
    let text = String(decoding: value.bytes, as: UTF8.self)
    if let integer = Int(text) {
      self = .integer(integer)
    } else if let digits = value.isInteger ? text : JSONNumber(text: text)?.integerDigits, digits.first != "-" {
      self = Int(digits).map(NumericID.integer) ?? .large(digits)
    } else {
      guard value.double.isFinite else { return nil }
      self = .fraction(value.double)
    }
  }

  /// Reads digits without leading zeros.
  init?(digits: UnsafeBufferPointer<UInt8>) {
    guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1,
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    self = Int(text).map(NumericID.integer) ?? .large(text)
  }

  static func < (left: NumericID, right: NumericID) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.integer, .large): true
    case (.large, .integer): false
    case (.large(let left), .large(let right)): (left.utf8.count, left) < (right.utf8.count, right)
    case (.integer, .fraction), (.fraction, _), (.large, .fraction): left.double < right.double
    }
  }

  private var double: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .large(let digits): Double(digits) ?? .infinity
    case .fraction(let double): double
    }
  }

  /// The text by which the record is addressed.
  var text: String {
    switch self {
    case .integer(let integer): String(integer)
    case .large(let digits): digits
    case .fraction(let double): JavaScriptNumber.text(of: double)
    }
  }

  /// The id as JSON.
  var value: JSONValue {
    switch self {
    case .integer(let integer): JSONValue(integer)
    case .large(let digits): JSONNumber(text: digits).map(JSONValue.number) ?? .string(digits)
    case .fraction(let double): JSONValue(double)
    }
  }

  /// One more; `nil` where no double can represent the difference.
  var next: NumericID? {
    switch self {
    case .integer(let integer): integer < Int.max ? .integer(integer + 1) : Self.successor(of: String(integer))
    case .large(let digits): Self.successor(of: digits)
    case .fraction(let double): double + 1 > double ? .fraction(double + 1) : nil
    }
  }

  private static func successor(of digits: String) -> NumericID {
    let nines = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "9") }.count
    let rest = digits.utf8.dropLast(nines)
    let start = rest.last.map { Array(rest.dropLast()) + [$0 + 1] } ?? [UInt8(ascii: "1")]
    return .large(String(decoding: start, as: UTF8.self) + String(repeating: "0", count: nines))
  }
}
