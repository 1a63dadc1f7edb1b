import HeapModule
import OrderedJSON

/// The largest numeric id of a collection, kept current as records come and go.
///
/// A heap of every number that ever was an id: a removed record's number is dropped when it comes up, so that no write
/// pays more than O(log n).
struct NumericIDs: Sendable {
  private let idName: [UInt8]
  private var heap: Heap<NumericID>

  /// Reads the ids of all rows. O(n).
  init(idName: String, rows: PersistentRowVector) {
    let name = Array(idName.utf8)
    var numbers: [NumericID] = []
    rows.forEach { _, row in
      if let number = NumericID(of: row, idName: name) { numbers.append(number) }
      return true
    }
    self.idName = name
    heap = Heap(numbers)
  }

  /// The largest number that has come to the top and was not removed.
  var largest: NumericID? { heap.max }

  mutating func removeLargest() {
    _ = heap.popMax()
  }

  mutating func insert(_ row: Row) {
    if let number = NumericID(of: row, idName: idName) { heap.insert(number) }
  }
}

/// An id that is a number: an integer with all its digits, or a fraction.
enum NumericID: Sendable, Comparable {
  case integer(Int)
  case fraction(Double)

  /// Reads a row's id; `nil` for text, for none and for a number that is not finite.
  init?(of row: Row, idName: [UInt8]) {
    let number: NumericID? = row.withRecord { record in
      guard let id = record.member(idName), id.kind == .number else { return nil }
      if let integer = Int(String(decoding: id.bytes, as: UTF8.self)) ?? Int(exactly: id.double) {
        return .integer(integer)
      }
      return id.double.isFinite ? .fraction(id.double) : nil
    }
    guard let number else { return nil }
    self = number
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
