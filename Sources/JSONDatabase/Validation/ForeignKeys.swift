import OrderedJSON

/// The members by which records refer to those of other collections, and the ids they may hold.
struct ForeignKeys {
  /// The collections that are referred to, by the member's name.
  private let parents: [ByteExactKey: CollectionSurvey]

  /// Records the spellings by which relations are found: `postId` and `post_id` for `posts`.
  init(_ collections: [CollectionSurvey], schema: Schema) {
    var parents: [ByteExactKey: CollectionSurvey] = [:]
    for collection in collections {
      let singular = Inflection.singular(of: collection.name)
      for suffix in ["_id", "Id", schema.foreignKeySuffix] { parents[ByteExactKey(singular + suffix)] = collection }
    }
    self.parents = parents
  }

  /// Reports which records refer to one that does not exist.
  func check(_ collection: CollectionSurvey, _ findings: inout FindingList) {
    for (index, record) in collection.records.enumerated() {
      guard var reader = ObjectReader(record.value) else { continue }
      while let member = reader.next() {
        guard let parent = parents[ByteExactKey(member.nameText)] else { continue }
        let value = member.value
        guard !value.isNull, !parent.ids.contains(ByteExactKey(value.idText)) else { continue }
        let message =
          "record \(index + 1) of '\(collection.name)' refers to \(value.text) of '\(parent.name)', which is not there"
        findings.add(.warning, message, at: collection.offset(of: value, in: record))
      }
    }
  }
}
