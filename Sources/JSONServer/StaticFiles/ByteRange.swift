/// The part of a file that a `Range` field asks for (RFC 9110, section 14.2).
enum ByteRange: Hashable {
  /// All of it: also when the field is malformed, or asks for several ranges, which a server may answer so.
  case whole
  /// Some bytes, at least one.
  case part(Range<Int>)
  /// Bytes that the file does not have.
  case unsatisfiable

  /// Reads a field for a file of a size.
  init(_ field: String, size: Int) {
    self = .whole
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return }
    let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(ByteSet.digits.contains) }) else { return }
    switch (bounds[0].isEmpty, bounds[1].isEmpty) {
    case (true, true): return
    case (true, false):
      let count = min(Int(bounds[1]) ?? Int.max, size)
      self = count > 0 ? .part((size - count)..<size) : .unsatisfiable
    case (false, let isOpen):
      let first = Int(bounds[0]) ?? Int.max
      let last = isOpen ? Int.max : Int(bounds[1]) ?? Int.max
      guard first <= last else { return }
      self = first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
    }
  }
}
