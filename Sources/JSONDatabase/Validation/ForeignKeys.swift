import OrderedJSON

/// The members by which records refer to those of other collections, and the ids they may hold.
struct ForeignKeys {
  private let collections: [CollectionSurvey]
  private let schema: Schema

  init(_ collections: [CollectionSurvey], schema: Schema) {
    self.collections = collections
    self.schema = schema
  }

  /// Reports which records refer to one that does not exist, by the members that embedding and deletions follow.
  func check(_ collection: CollectionSurvey, _ findings: inout FindingList) {
    let parents = parents(of: collection)
    guard !parents.isEmpty else { return }
    for (index, record) in collection.records.enumerated() {
      guard var reader = ObjectReader(record.value) else { continue }
      while let member = reader.next() {
        guard let parent = parents[ByteExactKey(member.nameText)] else { continue }
        for value in Self.references(member.value) where !parent.ids.contains(ByteExactKey(value.idText)) {
          let message =
            "record \(index + 1) of '\(collection.name)' refers to \(Self.text(value)) of '\(parent.name)', which is not "
            + "there"
          findings.add(.warning, message, at: collection.offset(of: value, in: record))
        }
      }
    }
  }

  /// The collections that a collection's records refer to, by the members that hold the ids.
  private func parents(of child: CollectionSurvey) -> [ByteExactKey: CollectionSurvey] {
    var parents: [ByteExactKey: CollectionSurvey] = [:]
    for parent in collections {
      let keys = schema.foreignKeys(in: child.name, to: parent.name).map { ByteExactKey($0) }
      if let key = keys.first(where: child.memberNames.contains) { parents[key] = parent }
    }
    return parents
  }

  /// The values of a member that refer to records: itself, or the elements of a list; null does not.
  private static func references(_ value: ValueToken) -> [ValueToken] {
    (ArrayReader(value).map { Array($0) } ?? [value]).filter { !$0.isNull }
  }

  /// How a message shows a value: a text as it is, anything else as JSON, cut where it is long.
  private static func text(_ value: ValueToken) -> String {
    let text = value.kind == .string ? value.text : String(decoding: value.bytes, as: UTF8.self)
    return text.count > 40 ? text.prefix(40) + "…" : text
  }
}
