package import OrderedJSON

extension Database {
  /// The members by which records of one collection refer to those of another, where any record has one.
  ///
  /// - Complexity: O(number of collections squared), reading records until one with the member is found.
  package var relations: [(parent: String, child: String, key: String)] {
    mutating get {
      var found: [(parent: String, child: String, key: String)] = []
      for parent in resourceNames {
        for position in collectionPositions where entries[position].name != parent {
          let key = foreignKey(in: position, to: parent, singular: nil)
          var isUsed = false
          change(position) { isUsed = $0.hasMember(key) }
          if isUsed, case .collection? = resource(named: parent) {
            found.append((parent, entries[position].name, key.name))
          }
        }
      }
      return found
    }
  }
}

extension Collection {
  /// The first records, in stored order, at most so many.
  package func firstRecords(_ count: Int) -> [Text] {
    var records: [Text] = []
    rows.forEach { _, row in
      if records.count < count { records.append(row.record) }
      return records.count < count
    }
    return records
  }
}
