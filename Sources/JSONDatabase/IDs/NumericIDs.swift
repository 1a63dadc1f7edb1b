import HeapModule
import JSONServerValues

/// The largest numeric id of a collection, or number of another member, kept current as records come and go.
///
/// Every number that ever was an id: a removed record's number is dropped when it comes up, so that no write pays more than
/// O(log n). Copies share the numbers that were read.
struct NumericIDs: RowIndex {
  private let idName: [UInt8]
  /// The numbers that were read, ascending.
  private let read: [NumericID]
  /// How many of them have not come up and been removed.
  private var readCount: Int
  /// The numbers that were added since.
  private var added = Heap<NumericID>()

  /// Reads the ids of all rows. O(n) where they ascend, else O(n log n).
  init(idName: String, rows: PersistentRowVector) {
    let name = Array(idName.utf8)
    var numbers: [NumericID] = []
    rows.forEach { _, row in
      if let number = NumericID(of: row, idName: name) { numbers.append(number) }
    }
    self.idName = name
    read = numbers.sorted()
    readCount = numbers.count
  }

  /// The number of kept numbers, including those of deleted records.
  var count: Int { readCount + added.count }

  /// The largest number that has come up and was not removed.
  var largest: NumericID? {
    guard readCount > 0 else { return added.max }
    return added.max.map { max($0, read[readCount - 1]) } ?? read[readCount - 1]
  }

  mutating func removeLargest() {
    if let largest = added.max, readCount == 0 || largest >= read[readCount - 1] {
      added.removeMax()
    } else if readCount > 0 {
      readCount -= 1
    }
  }

  mutating func follow(_ changes: RowChanges) -> Bool {
    changes.forEach { _, old, new in
      guard let number = new.flatMap({ NumericID(of: $0, idName: idName) }),
        old.flatMap({ NumericID(of: $0, idName: idName) }) != number
      else { return }
      added.insert(number)
    }
    // Those of removed records are dropped when they are the majority.
    return count <= 2 * changes.after.count + RecordCollection.toleratedCount
  }
}

/// An id that is a number: an integer with all its digits, or a fraction.
enum NumericID: Sendable, Comparable {
  case integer(Int)
  case fraction(Double)

  /// Reads a row's id; `nil` for text, for none and for a number that is not finite.
  init?(of row: Row, idName: [UInt8]) {
    guard let number = row.withRecord({ $0.member(idName).flatMap(NumericID.init) }) else { return nil }
    self = number
  }

  /// Reads a value; `nil` unless it is a finite number.
  init?(_ value: ValueToken) {
    guard value.kind == .number else { return nil }
    if let integer = Int(String(decoding: value.bytes, as: UTF8.self)) ?? Int(exactly: value.double) {
      self = .integer(integer)
    } else {
      guard value.double.isFinite else { return nil }
      self = .fraction(value.double)
    }
  }

  static func < (left: NumericID, right: NumericID) -> Bool {
    if case .integer(let left) = left, case .integer(let right) = right { return left < right }
    return left.double < right.double
  }

  private var double: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .fraction(let double): double
    }
  }

  /// The text by which the record is addressed.
  var text: String {
    switch self {
    case .integer(let integer): String(integer)
    case .fraction(let double): JavaScriptNumber.text(of: double)
    }
  }

  /// The id as JSON.
  var value: JSONValue {
    switch self {
    case .integer(let integer): JSONValue(integerLiteral: integer)
    case .fraction(let double): JSONValue(floatLiteral: double)
    }
  }

  /// One more; `nil` where no number can represent the difference.
  var next: NumericID? {
    switch self {
    case .integer(let integer): integer < Int.max ? .integer(integer + 1) : nil
    case .fraction(let double): double + 1 > double ? .fraction(double + 1) : nil
    }
  }
}
