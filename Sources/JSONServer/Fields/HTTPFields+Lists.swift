import HTTPTypes

extension HTTPFields {
  /// Adds an entry to a field that holds a list, such as `Vary`, unless it is there, in upper or lower case.
  mutating func add(_ entry: String, toList name: HTTPField.Name) {
    guard let index = firstIndex(where: { $0.name == name }) else {
      append(HTTPField(name: name, value: entry))
      return
    }
    if !contains(where: { $0.name == name && Self.list($0.value, holds: entry) }) { self[index].value += ", \(entry)" }
  }

  private static func list(_ list: String, holds entry: String) -> Bool {
    list.utf8.split(separator: UInt8(ascii: ",")).contains { item in
      item.lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map(lowercased)
        .elementsEqual(entry.utf8.lazy.map(lowercased))
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
