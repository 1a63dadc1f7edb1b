import HTTPTypes

extension HTTPFields {
  /// Adds an entry to a field that holds a list, such as `Vary`, unless it is there, in upper or lower case.
  mutating func add(_ entry: String, toList name: HTTPField.Name) {
    guard let index = firstIndex(where: { $0.name == name }) else {
      self[name] = entry
      return
    }
    if !contains(where: { $0.name == name && Self.list($0.value, holds: entry) }) { self[index].value += ", \(entry)" }
  }

  /// Compares byte by byte: splitting the list took as long as finding a record.
  private static func list(_ list: String, holds entry: String) -> Bool {
    var isEntry = true
    var rest = entry.utf8[...]
    for byte in list.utf8 {
      switch byte {
      case UInt8(ascii: ","):
        if isEntry, rest.isEmpty { return true }
        isEntry = true
        rest = entry.utf8[...]
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      default:
        isEntry = isEntry && rest.popFirst().map(lowercased) == lowercased(byte)
      }
    }
    return isEntry && rest.isEmpty
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
