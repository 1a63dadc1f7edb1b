import JSONServerValues
import Synchronization

/// How some schemas show the records of a collection.
struct RecordView: Sendable {
  /// The members that are left out.
  let hidden: Set<String>
  /// The members beside which all others are left out, too; `nil` for none.
  private let known: Set<String>?
  let required: [String]
  /// Whether all members that are shown are so as they are stored.
  private let isFlat: Bool
  /// The names in UTF-8.
  private let bytes: (hidden: [[UInt8]], known: [[UInt8]]?, required: [[UInt8]])

  fileprivate init(_ collection: Collection, _ ids: [JSONSchema.ID], _ schema: JSONSchema) {
    let own = schema.properties(of: ids)
    let (writeOnly, names) = (own.filter { schema.isWriteOnly($0.ids) }.map(\.name), Set(own.map(\.name)))
    var hidden = collection.hidden
    hidden.formUnion(schema.properties(of: collection.schemas).filter { schema.isWriteOnly($0.ids) }.map(\.name))
    // What only other schemas have.
    for view in own.isEmpty ? [] : collection.views { hidden.formUnion(schema.properties(of: view).map(\.name)) }
    self.hidden = hidden.subtracting(names).union(writeOnly)
    known = schema.isClosed(ids) ? names : nil
    required = schema.required(of: ids).filter { !schema.isWriteOnly(schema.property($0, of: ids)) }
    isFlat = !own.contains { schema.leavesOut($0.ids) }
    bytes = (self.hidden.map { Array($0.utf8) }, known?.map { Array($0.utf8) }, required.map { Array($0.utf8) })
  }

  /// Whether the record is shown as it is stored.
  func isWhole(_ record: JSONValue) -> Bool {
    guard isFlat, let object = record.object, required.allSatisfy({ object[$0] != nil }) else { return false }
    return object.allSatisfy { !hidden.contains($0.name) && known?.contains($0.name) != false }
  }

  /// The record as it is shown; `nil` where it has to be made of its values.
  func shown(_ record: ValidJSON) -> ValidJSON? {
    guard isFlat else { return nil }
    return record.withToken { object in
      guard bytes.required.allSatisfy({ object.member($0) != nil }), let reader = ObjectReader(object) else {
        return nil
      }
      if bytes.hidden.isEmpty, bytes.known == nil { return record }
      let others = reader.filter { member in
        bytes.hidden.contains(where: member.isNamed) || bytes.known?.contains(where: member.isNamed) == false
      }
      return others.isEmpty ? record : ValidJSON(object, removing: Set(others.map { Array($0.nameText.utf8) }))
    }
  }
}

/// The views that were asked for.
final class RecordViews: Sendable {
  private struct Key: Hashable {
    let collection: String
    let ids: [JSONSchema.ID]
  }

  private let known = Mutex<[Key: RecordView]>([:])

  func view(of collection: Collection, by ids: [JSONSchema.ID], _ schema: JSONSchema) -> RecordView {
    let key = Key(collection: collection.name, ids: ids)
    if let view = known.withLock({ $0[key] }) { return view }
    let view = RecordView(collection, ids, schema)
    known.withLock { $0[key] = view }
    return view
  }
}
