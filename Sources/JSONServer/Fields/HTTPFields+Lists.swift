import HTTPTypes

extension HTTPFields {
  /// Adds an entry to a field that holds a list, such as `Vary`, unless it is there, in upper or lower case.
  mutating func add(_ entry: String, toList name: HTTPField.Name) {
    guard let list = self[name] else {
      self[name] = entry
      return
    }
    let isListed = list.split(separator: ",").contains { item in
      item.lowercased().filter { $0 != " " && $0 != "\t" } == entry.lowercased()
    }
    if !isListed { self[name] = "\(list), \(entry)" }
  }
}
