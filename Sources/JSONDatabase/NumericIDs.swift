import HeapModule
import OrderedJSON

/// The largest numeric id of a collection, kept up as records come and go.
///
/// A heap of every number that ever was an id: a removed record's number is dropped when it comes up, so that no write
/// pays more than O(log n).
struct NumericIDs: Sendable {
  private let idName: [UInt8]
  private var heap: Heap<Int>

  /// Reads the ids of all rows. O(n).
  init(idName: String, rows: RowVector) {
    let name = Array(idName.utf8)
    var numbers: [Int] = []
    rows.forEach { _, row in
      if let number = Self.number(of: row, idName: name) { numbers.append(number) }
      return true
    }
    self.idName = name
    heap = Heap(numbers)
  }

  /// The largest number that has come up and was not removed.
  var largest: Int? { heap.max }

  mutating func removeLargest() {
    _ = heap.popMax()
  }

  mutating func insert(_ row: Row) {
    if let number = Self.number(of: row, idName: idName) { heap.insert(number) }
  }

  /// A row's id as an integer; `nil` for text, for a fraction, for none and for one beyond `Int`.
  private static func number(of row: Row, idName: [UInt8]) -> Int? {
    row.withRecord { record in
      guard let id = ObjectReader.value(named: idName, in: record), id.kind == .number else { return nil }
      return Int(String(decoding: id.bytes, as: UTF8.self)) ?? Int(exactly: id.double)
    }
  }
}
