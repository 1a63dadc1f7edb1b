// Copies of a database, of which there may be a thousand, share rows and ids; indexes they would not.

extension Database {
  /// Reads all ids, so that copies of the database share what is found. O(number of records) the first time.
  package mutating func readIDs() {
    let dialect = schema.dialect
    for position in collectionPositions { change(position) { $0.readIDs(dialect) } }
  }

  /// Gives up all indexes, which are made again when a query needs one.
  package mutating func forgetIndexes() {
    for position in collectionPositions { change(position) { $0.forgetIndexes() } }
  }
}
