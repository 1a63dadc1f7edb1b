package import JSONDatabase
package import JSONServerValues

// Carries calls out on a version of the data.

extension Call {
  private var schema: JSONSchema { document.schema }

  /// Whether the call changes data.
  package var isWrite: Bool { answer == nil && storage.map { ![.list, .read].contains($0.action) } ?? false }

  /// Carries the call out. When the response is a refusal, the data stays as it is.
  package func response(on database: inout Database) -> DocumentResponse {
    if let answer { return answer }
    var changed = database
    do throws(Refusal) {
      let response = try perform(on: &changed)
      if isWrite { database = changed }
      return response
    } catch {
      return document.refusal(index, error.statuses, error.message, error.problems)
    }
  }

  private func perform(on database: inout Database) throws(Refusal) -> DocumentResponse {
    try checkAncestors(database)
    guard let storage, let collection else {
      guard let success = operation.success else { return DocumentResponse(status: 200) }
      let status = Operation.number(of: success.status, or: 200)
      return document.response(status, success, example: example)
    }
    switch storage.action {
    case .list: return list(storage, collection, database)
    case .create: return try create(id: nil, collection, &database)
    case .read: return response(to: try record(collection, database), collection)
    case .replace:
      if let before = try? record(collection, database) {
        return try change(before, to: try written(replacing: before, collection), collection, &database)
      }
      guard !collection.isObject, operation.lists(201) || !operation.lists(404) else { throw missing(collection) }
      return try create(id: id, collection, &database)
    case .merge:
      let before = try record(collection, database)
      return try change(before, to: try written(mergedInto: before, collection), collection, &database)
    case .delete:
      let before = try record(collection, database)
      var children: [String: Int] = [:]
      delete(id ?? "", storage.collection, &database, &children)
      var result = response(to: before, collection)
      result.change = .deleted(collection.name, id: id ?? "", children: children)
      return result
    }
  }

  private func list(
    _ storage: Operation.Storage, _ collection: Collection, _ database: Database
  ) -> DocumentResponse {
    let all = document.records(of: collection, database)
    let hasOwners = !owners(of: collection).isEmpty
    return listResponse(storage, collection, hasOwners ? all.filter { belongs($0, collection) } : all)
  }

  // MARK: Records

  private func missing(_ collection: Collection) -> Refusal {
    Refusal(statuses: [404], message: "\(collection.name) has no record '\(id ?? "")'.")
  }

  /// The record that the path names, below its parent, or the object.
  private func record(_ collection: Collection, _ database: Database) throws(Refusal) -> ValidJSON {
    if collection.isObject, let object = try? database.singular(collection.name) { return object }
    guard let id, let record = try? database.record(id, in: collection.name), belongs(record, collection) else {
      throw missing(collection)
    }
    return record
  }

  /// Whether a record has the members that the path demands.
  private func belongs(_ record: ValidJSON, _ collection: Collection) -> Bool {
    owners(of: collection).allSatisfy { record.plainText(of: $0.member) == $0.value }
  }

  /// The members that hold what the path says about the record's owner, with their texts.
  private func owners(of collection: Collection) -> [(member: String, value: String)] {
    var owners = operation.scopes.map { ($0.member, path[$0.parameter] ?? "") }
    if let ancestor = operation.ancestors.last,
      let parent = collection.parents.first(where: { $0.collection == ancestor.collection })
    {
      owners.append((parent.member, path[ancestor.parameter] ?? ""))
    }
    return owners + [owner].compactMap(\.self)
  }

  private func checkAncestors(_ database: Database) throws(Refusal) {
    // What does not know 404 responds all the same.
    guard !operation.ancestors.isEmpty, operation.reply(404) != nil else { return }
    var outer: (collection: Int, id: String)?
    for ancestor in operation.ancestors {
      let (parent, id) = (document.collections[ancestor.collection], path[ancestor.parameter] ?? "")
      guard let record = try? database.record(id, in: parent.name) else {
        throw Refusal(statuses: [404], message: "\(parent.name) has no record '\(id)'.")
      }
      if let outer, let link = parent.parents.first(where: { $0.collection == outer.collection }) {
        guard record.plainText(of: link.member) == outer.id else {
          throw Refusal(statuses: [404], message: "\(parent.name) has no record '\(id)' below '\(outer.id)'.")
        }
      }
      outer = (ancestor.collection, id)
    }
  }

  // MARK: Writing

  /// The members that the client sent, without those that are read-only.
  private func sent(_ collection: Collection) -> JSONObject {
    let content = (storage?.bodyPath ?? []).reduce(body ?? .object([:])) { $0[$1] ?? .object([:]) }
    var members = JSONObject()
    for (name, value) in content.object ?? JSONObject()
    where !isReadOnly(name, collection) && !collection.hidden.contains(name) {
      members[name] = value
    }
    return members
  }

  /// Whether a member of a request has no effect: by the schema of the request, or by the others where it lacks the member.
  private func isReadOnly(_ name: String, _ collection: Collection) -> Bool {
    let own = (storage?.bodyPath ?? []).reduce(operation.body?.contents.first?.schema ?? []) {
      schema.property($1, of: $0)
    }
    let ids = schema.property(name, of: own)
    return schema.isReadOnly(ids.isEmpty ? schema.property(name, of: collection.schemas) : ids)
  }

  private func create(id: String?, _ collection: Collection, _ database: inout Database) throws(Refusal)
    -> DocumentResponse
  {
    var members = sent(collection)
    if let id { try keepID(&members, id, collection) }
    for (member, value) in owners(of: collection) {
      members[member] = schema.value(of: value, by: document.ownerSchema(of: member, collection))
    }
    dropUnshowable(from: &members, collection, before: nil)
    if !database.resourceNames.contains(collection.name) {
      let text = UTF8Slice(JSONValue.object([collection.name: []]).utf8Text())
      if let empty = try? Database(parsing: text, schema: database.schema, ids: IDGenerator { "" }) {
        database.add(empty)
      }
    }
    if let given = members[collection.idName]?.plainText, (try? database.record(given, in: collection.name)) != nil {
      guard operation.reply(409) == nil else {
        throw Refusal(statuses: [409], message: "\(collection.name) has a record '\(given)' already.")
      }
      // No response of the document could say that the id is taken.
      members[collection.idName] = nil
    }
    if members[collection.idName] == nil { members[collection.idName] = newID(collection, database) }
    if members[collection.idName] != nil { members.moveToFront(collection.idName) }
    fill(&members, collection, isNew: true)
    let status = operation.lists(201) && storage?.action == .replace ? 201 : nil
    return try store(collection, status) { () throws(DatabaseError) in
      func written(_ database: inout Database) throws(DatabaseError) -> WrittenRecord {
        try database.create(ValidJSON(writing: .object(members)), in: collection.name, ids: IDGenerator { "" })
      }
      var version = database
      var record = try written(&version)
      let id: ValidJSON? = record.text.member(Array(collection.idName.utf8))
      // After the largest number that the schema allows, the free ones are left.
      if let id, !schema.allows(JSONValue(id), by: collection.idSchema) {
        let free = (1...).first { (try? database.record(String($0), in: collection.name)) == nil }
        members[collection.idName] = free.map { JSONValue.number(JSONNumber($0)) }
        version = database
        record = try written(&version)
      }
      database = version
      return (record.text, .created(collection.name, record))
    }
  }

  /// A new id; `nil` for a number, which the database chooses.
  private func newID(_ collection: Collection, _ database: Database) -> JSONValue? {
    if collection.countsFromOne(schema) { return nil }
    let count = database.count(of: collection.name)
    // The records have at most so many of the ids.
    for number in count + 1...2 * count + 1 {
      guard let id = collection.newID(number, schema) else { return nil }
      if (try? database.record(id.plainText, in: collection.name)) == nil { return id }
    }
    return nil
  }

  /// Sets the id that the path has. Another id in the body is refused where the document lists 409: its schemas allow it.
  private func keepID(_ members: inout JSONObject, _ id: String, _ collection: Collection) throws(Refusal) {
    if let given = members[collection.idName]?.plainText, given != id, operation.lists(409) {
      throw Refusal(
        statuses: [409],
        message: "The body has the \(collection.idName) '\(given)', and the path '\(id)'; send the same one.")
    }
    members[collection.idName] = schema.value(of: id, by: collection.idSchema)
  }

  /// The members after a PUT: those that it leaves out go, except the ones that a client cannot see or send.
  private func written(replacing before: ValidJSON, _ collection: Collection) throws(Refusal) -> JSONObject {
    var members = sent(collection)
    if !collection.isObject { try keepID(&members, id ?? "", collection) }
    let required = Set(collection.views.flatMap { schema.required(of: $0) })
    for (name, value) in JSONValue(before).object ?? JSONObject() where members[name] == nil {
      let ids = schema.property(name, of: collection.schemas)
      if schema.isReadOnly(ids) || schema.isWriteOnly(ids) || collection.hidden.contains(name)
        || required.contains(name)
        || collection.parents.contains(where: { $0.member == name })
      {
        members[name] = value
      }
    }
    return members
  }

  /// The members after a PATCH.
  private func written(mergedInto before: ValidJSON, _ collection: Collection) throws(Refusal) -> JSONObject {
    var sent = sent(collection)
    if !collection.isObject { try keepID(&sent, id ?? "", collection) }
    let isDeep = request.mediaType == "application/merge-patch+json"
    var members = JSONValue(before).object ?? JSONObject()
    let required = Set(collection.views.flatMap { schema.required(of: $0) })
    for (name, value) in sent {
      let ids = schema.property(name, of: collection.views.flatMap(\.self))
      let isForbidden = value == .null && !ids.isEmpty && !schema.allows(.null, by: ids)
      // What has to be there stays.
      if isForbidden, required.contains(name) { continue }
      let isRemoval = value == .null && (isDeep || isForbidden)
      let merged = isDeep ? value.merged(into: members[name] ?? .null) : value
      // A plain `nil` would be JSON's null here.
      members[name] = isRemoval ? Optional.none : merged
    }
    return members
  }

  private func change(
    _ before: ValidJSON, to changed: JSONObject, _ collection: Collection, _ database: inout Database
  ) throws(Refusal) -> DocumentResponse {
    var members = changed
    dropUnshowable(from: &members, collection, before: before)
    fill(&members, collection, isNew: false)
    let status = storage?.action == .replace && operation.lists(200) ? 200 : nil
    return try store(collection, status) { () throws(DatabaseError) in
      let edit = Edit.replace(ValidJSON(writing: .object(members)))
      guard !collection.isObject else {
        return (try database.edit(singular: collection.name, by: edit), .replaced(collection.name))
      }
      let written = try database.edit(id ?? "", in: collection.name, by: edit)
      return (written.text, .updated(collection.name, written))
    }
  }

  /// Takes back the members that requests may have so, and responses may not. A number becomes a text where they have one.
  private func dropUnshowable(from members: inout JSONObject, _ collection: Collection, before: ValidJSON?) {
    let known = before.map { JSONValue($0) }
    var seen: Set<String> = []
    for name in document.problems(of: .object(members), collection).compactMap(\.place.first)
    where seen.insert(name).inserted {
      let ids = schema.property(name, of: collection.views.flatMap(\.self))
      if let number = members[name], number.double != nil, schema.allows(.string(number.plainText), by: ids) {
        members[name] = .string(number.plainText)
      } else {
        members[name] = known.flatMap { $0[name] }
      }
    }
  }

  /// Fills what the server knows: defaults, read-only members, and members that a response must have.
  private func fill(_ members: inout JSONObject, _ collection: Collection, isNew: Bool) {
    document.fill(&members, collection, isNew: isNew, now: request.now)
  }

  /// Stores a record, checks it by all responses that show it, and returns the response.
  private func store(
    _ collection: Collection, _ status: Int?,
    _ write: () throws(DatabaseError) -> (text: ValidJSON, change: DocumentResponse.Change)
  ) throws(Refusal) -> DocumentResponse {
    do throws(DatabaseError) {
      let (text, change) = try write()
      let problems = document.problems(of: JSONValue(text), collection)
      guard problems.isEmpty else {
        throw DatabaseError(
          .contradiction, "The record would not be as the document's responses say: \(problems.listed()).", problems)
      }
      var result = response(to: text, collection, status: status)
      result.change = change
      return result
    } catch {
      let statuses = error.code == .idTaken ? [409, 422, 400] : [422, 400]
      throw Refusal(statuses: statuses, message: error.message, problems: error.problems)
    }
  }

  /// Deletes a record with its children, and counts these.
  private func delete(_ id: String, _ index: Int, _ database: inout Database, _ children: inout [String: Int]) {
    let collection = document.collections[index]
    for (child, other) in document.collections.enumerated() {
      guard let parent = other.parents.first(where: { $0.collection == index }),
        database.resourceNames.contains(other.name)
      else { continue }
      for record in document.records(of: other, database) where record.plainText(of: parent.member) == id {
        children[other.name, default: 0] += 1
        delete(record.plainText(of: other.idName) ?? "", child, &database, &children)
      }
    }
    _ = try? database.delete(id, in: collection.name)
  }

  // MARK: Responses

  /// The response that shows a record, projected onto the schema of the response.
  private func response(to record: ValidJSON, _ collection: Collection, status: Int? = nil) -> DocumentResponse {
    guard let success = status.flatMap({ operation.reply($0) }) ?? operation.success else {
      return DocumentResponse(status: 200, type: "application/json", body: .record(record))
    }
    let isNew = storage?.action == .create
    let number = status ?? Operation.number(of: success.status, or: isNew ? 201 : 200)
    var response = DocumentResponse(status: number)
    if isNew || status == 201 || !success.headers.isEmpty {
      let id = record.plainText(of: collection.idName)
      let segments = request.segments + (idParameter == nil && !collection.isObject ? [id ?? ""] : [])
      let location = request.base + "/" + segments.map(\.escapedSegment).joined(separator: "/")
      response.headers = document.headers(of: success, ["location": location])
      if isNew || status == 201, id != nil, !response.headers.contains(where: { $0.name.lowercased() == "location" }) {
        response.headers.append(("Location", location))
      }
    }
    guard number != 204 else { return response }
    guard let content = success.content else {
      if success.contents.isEmpty, storage?.action != .delete, operation.replies.allSatisfy({ $0.contents.isEmpty }) {
        (response.type, response.body) = ("application/json", .json(document.shown(JSONValue(record), collection)))
      }
      return response
    }
    guard let way = storage?.resultPath, content.isJSON else {
      let example = content.examples.first { schema.allows($0.value, by: content.schema) }?.value
      var value = example ?? schema.sample(content.schema)
      // A message about a record has its id.
      if var members = value?.object, !schema.property(collection.idName, of: content.schema).isEmpty {
        members[collection.idName] = JSONValue(record)[collection.idName]
        if schema.allows(.object(members), by: content.schema) { value = .object(members) }
      }
      document.fill(&response, content, value)
      return response
    }
    let ids = way.reduce(content.schema) { schema.property($1, of: $0) }
    if way.isEmpty, let shown = document.views.view(of: collection, by: ids, schema).shown(record) {
      response.type = content.servedType
      response.body = .record(shown)
      return response
    }
    let value = document.view(JSONValue(record), collection, ids)
    document.fill(&response, content, document.wrapped(value, in: content.schema, way[...]) { _, _, _ in nil })
    return response
  }
}

extension Document {
  /// All records of a collection.
  func records(of collection: Collection, _ database: Database) -> [ValidJSON] {
    (try? database.list(collection.name, Query()).selection.records).map(Array.init) ?? []
  }

  /// The schema of a member that holds the id of a parent.
  func ownerSchema(of member: String, _ collection: Collection) -> [JSONSchema.ID] {
    let own = schema.property(member, of: collection.schemas)
    let parent = collection.parents.first { $0.member == member }
    return own.isEmpty ? parent.map { collections[$0.collection].idSchema } ?? [] : own
  }

  /// A record without the members that no response shows.
  func shown(_ record: JSONValue, _ collection: Collection) -> JSONValue {
    view(record, collection, collection.views.first ?? [])
  }

  /// A record as some schemas show it: without members that only other schemas have, and with all that must be there.
  func view(_ record: JSONValue, _ collection: Collection, _ ids: [JSONSchema.ID]) -> JSONValue {
    let view = views.view(of: collection, by: ids, schema)
    if view.isWhole(record) { return record }
    let projected = schema.projected(record, by: ids) { view.hidden.contains($0) }
    guard var members = projected.object else { return projected }
    for name in view.required where members[name] == nil {
      members[name] = schema.sample(schema.property(name, of: ids))
    }
    return .object(members)
  }

  /// The problems of a record by all responses that show it.
  package func problems(of record: JSONValue, _ collection: Collection) -> [Problem] {
    var found: [Problem] = []
    for view in collection.views {
      found += schema.problems(of: self.view(record, collection, view), by: view, .response).filter {
        !found.contains($0)
      }
    }
    return found
  }

  /// Fills defaults, read-only members, and members that a response must have.
  ///
  /// - Parameter now: The time; `nil` for first records, which have fixed times.
  func fill(_ members: inout JSONObject, _ collection: Collection, isNew: Bool, now: String?, index: Int = 0) {
    let required = Set(collection.views.flatMap { schema.required(of: $0) })
    for (name, ids) in schema.properties(of: collection.schemas) where name != collection.idName {
      let isReadOnly = schema.isReadOnly(ids)
      let isTime = schema.format(of: ids) == "date-time"
      if isReadOnly, isTime, let now, isNew || ["updat", "modif", "chang"].contains(where: Name(name).text.contains) {
        members[name] = .string(now)
      }
      guard members[name] == nil else { continue }
      if let standard = schema.standard(of: ids) {
        members[name] = standard
      } else if isReadOnly || required.contains(name) {
        members[name] = schema.sample(ids, index)
      }
    }
    // What no response may show, no record needs.
    if !collection.views.isEmpty, collection.views.allSatisfy({ schema.isClosed($0) }) {
      let known = Set(schema.properties(of: collection.schemas).map(\.name)).union(collection.hidden).union([
        collection.idName
      ])
      for name in members.names where !known.contains(name) { members[name] = nil }
    }
  }

  /// Puts a value at the end of a way into a schema's object, whose other members are filled.
  ///
  /// - Parameter known: The value of a member by its name, for what a list knows.
  func wrapped(
    _ value: JSONValue, in ids: [JSONSchema.ID], _ way: ArraySlice<String>,
    _ known: (_ name: String, _ ids: [JSONSchema.ID], _ parent: String) -> JSONValue?, parent: String = ""
  ) -> JSONValue {
    guard let next = way.first else { return value }
    var members = JSONObject()
    let required = schema.required(of: ids)
    for (name, member) in schema.properties(of: ids) {
      if name == next {
        members[name] = wrapped(value, in: member, way.dropFirst(), known, parent: name)
        continue
      }
      members[name] = filled(name, member, isRequired: required.contains(name), known, parent: parent)
    }
    if members[next] == nil { members[next] = wrapped(value, in: [], way.dropFirst(), known, parent: next) }
    return .object(members)
  }

  private func filled(
    _ name: String, _ ids: [JSONSchema.ID], isRequired: Bool,
    _ known: (_ name: String, _ ids: [JSONSchema.ID], _ parent: String) -> JSONValue?, parent: String
  ) -> JSONValue? {
    if let value = known(name, ids, parent) {
      if value != .null || schema.allows(.null, by: ids) { return value }
      if !isRequired { return nil }
    }
    if schema.isObject(ids) {
      var members = JSONObject()
      let required = schema.required(of: ids)
      for (inner, ids) in schema.properties(of: ids) {
        members[inner] = filled(inner, ids, isRequired: required.contains(inner), known, parent: name)
      }
      if !members.isEmpty, schema.allows(.object(members), by: ids, .response) { return .object(members) }
    }
    return isRequired || !schema.examples(of: ids).isEmpty || schema.standard(of: ids) != nil ? schema.sample(ids) : nil
  }
}

extension ValidJSON {
  /// The text of a member, as a path has it.
  func plainText(of name: String) -> String? {
    let value: ValidJSON? = member(Array(name.utf8))
    return value.map { JSONValue($0).plainText }
  }
}

extension JSONObject {
  /// Makes a member the first.
  mutating func moveToFront(_ name: String) {
    guard let value = self[name], names.first != name else { return }
    self = JSONObject([(name, value)] + map { ($0.name, $0.value) }.filter { $0.0 != name })
  }
}
