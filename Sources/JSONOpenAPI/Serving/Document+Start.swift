import JSONDatabase
package import JSONServerValues

extension Document {
  /// One operation of the table that the start prints.
  package struct Row: Sendable {
    package let method: String
    package let path: String
    /// `stored list`, `stored item`, `stored object`, `example`, `sample`, `empty` or `refused`.
    package let kind: String
    /// The resource of stored data, or the reason of a refusal.
    package let detail: String?
  }

  /// What each operation is.
  package var rows: [Row] {
    operations.map { operation in
      let (kind, detail): (String, String?) =
        switch operation.kind {
        case .stored(let storage):
          (
            collections[storage.collection].isObject
              ? "stored object" : storage.isOfItem ? "stored item" : "stored list",
            collections[storage.collection].name
          )
        case .example: ("example", nil)
        case .sample: ("sample", nil)
        case .empty: ("empty", nil)
        case .refused(let fault): ("refused", fault.description)
        }
      return Row(method: operation.method, path: operation.path, kind: kind, detail: detail)
    }
  }

  /// The first records by the names of their collections, and what is not served as the document says.
  package func start() -> (data: JSONObject, notes: [DocumentFault]) {
    var notes: [DocumentFault] = []
    let placed = files.placer()
    func note(_ message: String, _ index: Int) {
      notes.append(placed(.init(node: places[index], message: message)))
    }
    // A part to which several places refer is named once.
    var named: Set<DocumentFault> = []
    for fault in faults.map(placed) where named.insert(fault).inserted { notes.append(fault) }
    for (index, operation) in operations.enumerated() {
      let name = "\(operation.method) \(operation.path)"
      switch operation.kind {
      case .refused(let fault):
        notes.append(fault)
        continue
      case .stored(let storage) where storage.action == .list:
        let idle = idleParameters(of: operation, collections[storage.collection])
        if !idle.isEmpty { note("\(name): \(idle.joined(separator: ", ")) have no effect.", index) }
      case .stored, .example, .sample, .empty: break
      }
      if !operation.security.contains(where: \.isEmpty), !operation.security.isEmpty, operation.reply(401) == nil,
        operation.reply(403) == nil
      {
        note("\(name) lists no response with 401; a request without credentials gets problem+json.", index)
      }
      if let storage = operation.storage, storage.isOfItem, storage.action != .replace,
        !collections[storage.collection].isObject, operation.reply(404) == nil
      {
        note("\(name) lists no response with 404; a request for a missing record gets problem+json.", index)
        continue
      }
      let isChecked = !operation.parameters.isEmpty || operation.body != nil
      if isChecked, !operation.replies.contains(where: { $0.status.hasPrefix("4") || $0.status == "default" }) {
        note("\(name) lists no response with 4xx; a request that it forbids gets problem+json.", index)
      }
    }
    if !schema.ignored.isEmpty {
      note("Of the schemas, \(schema.ignored.joined(separator: ", ")) are not followed; everything else is checked.", 0)
    }
    var data = JSONObject()
    for (index, collection) in collections.enumerated() {
      data[collection.name] =
        collection.isObject ? object(collection, index) : .array(records(collection, index, data, note))
    }
    return (data, notes)
  }

  /// The examples of a collection's records, each with the operation that shows it.
  private func examples(_ index: Int) -> [(value: JSONValue, operation: Int)] {
    var found: [(value: JSONValue, operation: Int)] = []
    for action in [Operation.Storage.Action.list, .read] {
      for position in stored[index] {
        let operation = operations[position]
        guard let storage = operation.storage, storage.action == action, let way = storage.resultPath,
          let content = operation.success?.content
        else { continue }
        for example in content.examples.map(\.value) + schema.examples(of: content.schema) {
          let value = way.reduce(example as JSONValue?) { $0?[$1] }
          found += (action == .list ? value?.array ?? [] : [value].compactMap(\.self)).map { ($0, position) }
        }
      }
    }
    return found + collections[index].views.flatMap { schema.examples(of: $0) }.map { ($0, stored[index].first ?? 0) }
  }

  private func records(
    _ collection: Collection, _ index: Int, _ data: JSONObject, _ note: (_ message: String, _ operation: Int) -> Void
  ) -> [JSONValue] {
    let owners = collection.parents.compactMap { parent -> (member: String, ids: [JSONValue])? in
      let other = collections[parent.collection]
      let ids = (data[other.name]?.array ?? []).compactMap { $0[other.idName] }
      return ids.isEmpty ? nil : (parent.member, ids)
    }
    // Nobody reaches a record of a parent that is not there, unless another path leads to it.
    let needsParent = stored[index].allSatisfy { !operations[$0].ancestors.isEmpty }
    var scopes: [(member: String, value: JSONValue)] = []
    for operation in stored[index].map({ operations[$0] }) {
      for (parameter, member) in operation.scopes {
        let ids = operation.parameters.first { $0.name == parameter && $0.location == .path }?.schema ?? []
        if let value = schema.sample(ids) { scopes.append((member, value)) }
      }
    }
    func complete(_ value: JSONValue, _ number: Int, isSample: Bool) -> JSONValue? {
      guard var members = value.object else { return nil }
      if isSample || members[collection.idName] == nil {
        members[collection.idName] = collection.newID(number + 1, schema) ?? .number(JSONNumber(number + 1))
        members.moveToFront(collection.idName)
      }
      for (member, ids) in owners {
        let isKnown = members[member].map { held in ids.contains { $0.plainText == held.plainText } }
        if isSample || isKnown == nil || needsParent && isKnown == false { members[member] = ids[0] }
      }
      for (member, value) in scopes where members[member] == nil { members[member] = value }
      fill(&members, collection, isNew: true, now: nil, index: number)
      return .object(members)
    }
    var records: [JSONValue] = []
    var (seen, left): (Set<String>, Set<String>) = ([], [])
    for (value, operation) in examples(index) {
      let record = complete(value, records.count, isSample: false)
      let problems = record.map { self.problems(of: $0, collection) } ?? [Problem([], "is no object")]
      guard let record, problems.isEmpty else {
        let message =
          "An example of '\(collection.name)' is left out, since it is not as the document says: \(problems.listed())."
        if left.insert(message).inserted { note(message, operation) }
        continue
      }
      if seen.insert(record[collection.idName]?.plainText ?? "").inserted { records.append(record) }
    }
    guard records.isEmpty, owners.count == collection.parents.count else { return records }
    let views = collection.views.flatMap(\.self)
    let samples = (0..<3).compactMap { number in
      (schema.sample(views, number, isWhole: true) ?? schema.sample(collection.views.first ?? [], number, isWhole: true))
        .flatMap { complete($0, number, isSample: true) }
    }
    return samples.filter {
      problems(of: $0, collection).isEmpty && seen.insert($0[collection.idName]?.plainText ?? "").inserted
    }
  }

  private func object(_ collection: Collection, _ index: Int) -> JSONValue {
    let values =
      examples(index).map(\.value) + [schema.sample(collection.views.first ?? [], isWhole: true) ?? .object([:])]
    for value in values {
      guard var members = value.object else { continue }
      fill(&members, collection, isNew: true, now: nil)
      if problems(of: .object(members), collection).isEmpty { return .object(members) }
    }
    return .object([:])
  }
}
