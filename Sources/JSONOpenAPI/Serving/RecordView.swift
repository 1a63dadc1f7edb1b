import JSONServerValues
import Synchronization

/// How some schemas show the records of a collection.
struct RecordView: Sendable {
  /// Whether members are shown, and whether they have to be there, by their names.
  let members: [String: (isShown: Bool, isRequired: Bool)]
  /// Whether other members are shown.
  let isOpen: Bool
  let required: [String]
  /// Whether all members that are shown are so as they are stored.
  let isFlat: Bool

  /// Whether the record is shown as it is stored.
  func isWhole(_ record: JSONValue) -> Bool {
    guard isFlat, let object = record.object else { return false }
    return object.allSatisfy { (members[$0.name]?.isShown ?? isOpen) } && required.allSatisfy { object[$0] != nil }
  }

  /// The record as it is shown; `nil` where it has to be made of its values.
  func shown(_ record: ValidJSON) -> ValidJSON? {
    guard isFlat else { return nil }
    return record.withToken { object in
      guard var reader = ObjectReader(object) else { return nil }
      var (hidden, missing) = (Set<[UInt8]>(), required.count)
      while let member = reader.next() {
        let name = member.nameText
        let (isShown, isRequired) = members[name] ?? (isOpen, false)
        if isRequired, isShown { missing -= 1 }
        if !isShown { hidden.insert(Array(name.utf8)) }
      }
      guard missing <= 0 else { return nil }
      return hidden.isEmpty ? record : ValidJSON(object, removing: hidden)
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

extension RecordView {
  fileprivate init(_ collection: Collection, _ ids: [JSONSchema.ID], _ schema: JSONSchema) {
    let own = schema.properties(of: ids)
    required = schema.required(of: ids).filter { !schema.isWriteOnly(schema.property($0, of: ids)) }
    isOpen = !schema.isClosed(ids)
    isFlat = !own.contains { schema.leavesOut($0.ids) }
    var members: [String: (isShown: Bool, isRequired: Bool)] = [:]
    for name in collection.hidden { members[name] = (false, false) }
    for (name, ids) in schema.properties(of: collection.schemas) where schema.isWriteOnly(ids) {
      members[name] = (false, false)
    }
    // What only other schemas have.
    for view in own.isEmpty ? [] : collection.views {
      for (name, _) in schema.properties(of: view) { members[name] = (false, false) }
    }
    for (name, ids) in own { members[name] = (!schema.isWriteOnly(ids), false) }
    for name in required { members[name] = (members[name]?.isShown ?? isOpen, true) }
    self.members = members
  }
}
