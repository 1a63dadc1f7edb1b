import HeapModule

/// The largest numeric id of a collection, kept up as records come and go.
///
/// A heap of every number that ever was an id: a removed record's number is dropped when it comes up, so that no write
/// pays more than O(log n).
struct NumericIDs: Sendable {
  private let idName: [UInt8]
  private var heap: Heap<NumericID>

  /// Reads the ids of all rows. O(n).
  init(idName: String, rows: RowVector) {
    let name = Array(idName.utf8)
    var numbers: [NumericID] = []
    rows.forEach { _, row in
      if let number = NumericID(of: row, idName: name) { numbers.append(number) }
      return true
    }
    self.idName = name
    heap = Heap(numbers)
  }

  /// The largest number that has come up and was not removed.
  var largest: NumericID? { heap.max }

  mutating func removeLargest() {
    _ = heap.popMax()
  }

  mutating func insert(_ row: Row) {
    if let number = NumericID(of: row, idName: idName) { heap.insert(number) }
  }
}
