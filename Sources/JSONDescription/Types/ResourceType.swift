import OrderedJSON

/// What the records of a resource have in common.
package struct ResourceType: Sendable, Hashable {
  package let name: String
  package let kind: ResourceKind
  package let idName: String
  package let count: Int
  /// The shape of a record, its id included.
  package let record: ObjectType

  /// Infers the shape of a resource's records from a sample of them; what is not an object is ignored.
  ///
  /// - Complexity: O(*n*) in the size of the sample.
  package init(_ sample: ResourceSample) {
    name = sample.name
    kind = sample.kind
    idName = sample.idName
    count = sample.count
    record = ObjectType(of: sample.records.compactMap(\.object))
  }

  /// Whether every id that was seen is an integer; an empty collection will number its records too.
  package var hasIntegerIDs: Bool {
    guard let id = record[idName]?.type else { return record.members.isEmpty }
    return id.alternatives == [.integer]
  }

  /// The members except the id: what a client decides.
  package var content: ObjectType {
    guard kind == .collection else { return record }
    return ObjectType(members: record.members.filter { $0.name != idName })
  }
}
