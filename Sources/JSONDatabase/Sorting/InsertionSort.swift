/// Sorts few elements by the same steps as V8's `Array.prototype.sort`.
///
/// Any stable sort gives the same result where the comparison is an order. Where it is not, as in JavaScript when
/// numbers and words mix, the steps decide; the same steps give json-server's result.
enum InsertionSort {
  /// From this many elements on V8 merges sorted runs instead.
  static let limit = 64

  /// Sorts by a comparison that is negative, zero or positive; equal elements keep their order. O(n²).
  static func sort<Element>(_ elements: inout [Element], by compare: (Element, Element) -> Int) {
    guard elements.count > 1 else { return }
    for next in sortedPrefix(of: &elements, by: compare)..<elements.count {
      let element = elements[next]
      var low = 0
      var high = next
      while low < high {
        let middle = low + (high - low) / 2
        if compare(element, elements[middle]) < 0 { high = middle } else { low = middle + 1 }
      }
      elements.remove(at: next)
      elements.insert(element, at: low)
    }
  }

  /// Finds how many elements at the start are in order already; those in strictly descending order are reversed.
  private static func sortedPrefix<Element>(
    of elements: inout [Element], by compare: (Element, Element) -> Int
  ) -> Int {
    let isFalling = compare(elements[1], elements[0]) < 0
    var count = 2
    while count < elements.count, (compare(elements[count], elements[count - 1]) < 0) == isFalling { count += 1 }
    if isFalling { elements[..<count].reverse() }
    return count
  }
}
