import HTTPTypes

extension HTTPFields {
  /// Adds an entry to a field that holds a list, such as `Vary`, unless it is there, in upper or lower case.
  mutating func add(_ entry: String, toList name: HTTPField.Name) {
    var first: Int?
    for index in indices where self[index].name == name {
      if Self.list(self[index].value, holds: entry) { return }
      first = first ?? index
    }
    if let first { self[first].value += ", \(entry)" } else { self[name] = entry }
  }

  /// Compares byte by byte: splitting the list took as long as finding a record.
  private static func list(_ list: String, holds entry: String) -> Bool {
    list.withBytes { list in
      entry.withBytes { entry in
        var start = 0
        while start < list.count {
          var end = start
          while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
          if isEqual(list[start..<end].drop(while: isSpace), entry) { return true }
          start = end + 1
        }
        return false
      }
    }
  }

  /// Whether two entries are equal but for upper and lower case, and for any space at the end of one.
  private static func isEqual(
    _ entry: Slice<UnsafeBufferPointer<UInt8>>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    entry.count >= other.count && zip(entry, other).allSatisfy { lowercased($0) == lowercased($1) }
      && entry.dropFirst(other.count).allSatisfy(isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
