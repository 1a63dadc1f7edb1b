import JSONDatabase
import JSONServerResources
import JSONServerValues

extension Users {
  /// Whether a request must be limited to the user's own records of a resource that only owners may use.
  ///
  /// - Throws: 403 for a request for records of others.
  func isLimited(
    _ endpoint: Endpoint, _ resource: Database.ReadResource, to user: String
  ) throws(RequestError) -> Bool {
    let name = resource.name
    guard resource.level == 0 else {
      // Embedded records may be read when they are users, such as the authors of readable records, and when the member
      // that names their owner refers to the user's own record.
      switch endpoint.target {
      case .database: return true
      case .record(collection, user)
      where resource.level == 1 && resource.key == ownerKey(in: name) && !endpoint.isWrite:
        return false
      case _ where name == collection: return false
      default: throw .foreign
      }
    }
    switch (endpoint.target, endpoint.action) {
    case (.database, _): return true
    case (.collection, .read):
      if let parent = endpoint.list?.query.criteria.parent, parent.key == ownerKey(in: name), parent.id.string != user {
        throw .foreign
      }
      return true
    case (.collection, .create(let body)):
      // The id of the parent replaces the foreign key in the body, even if the parent does not exist.
      let (key, parent) = (ownerKey(in: name), endpoint.parent)
      let isKey = parent.map { (try? database.foreignKey(in: name, to: $0.resource)) == key } ?? false
      guard (isKey ? parent?.id : claim(body.json, in: name)) == user else { throw .unsigned }
    case (.collection, .createOrMerge(let bodies)):
      for body in bodies.json.elements ?? [] {
        guard claim(body, in: name) == user else { throw .unsigned }
        let id = body.recordID(in: database.schema.idName(of: name))
        if let id, !isOwn(id, in: name, of: user) { throw .foreign }
      }
    case (.collection, .merge(let body)), (.collection, .replace(let body)):
      if name != collection { try requireClaims(of: body, in: name, by: user) }
      // ``ChangeRights`` finds the records when the change is carried out.
      return true
    case (.collection, .patch), (.collection, .delete): return true
    case (.record(collection, let id), .patch):
      guard id == user else { throw .foreign }
    case (.record(_, let id), .patch(let patch)):
      // A missing record, and a patch that does not fit, are refused later.
      guard let before = try? database.record(id, in: name) else { break }
      try requireKept(patch, of: before, in: name, keeping: database.schema.idName(of: name), by: user)
    case (.record(_, let id), let action):
      guard isOwn(id, in: name, of: user) else { throw .foreign }
      guard name != collection else { break }
      if case .replace(let body) = action, claim(body.json, in: name) != user { throw .unsigned }
      if case .merge(let body) = action { try requireClaims(of: body, in: name, by: user) }
    case (.object, .patch(let patch)):
      guard let before = try? database.singular(name) else { break }
      try requireKept(patch, of: before, in: name, keeping: nil, by: user)
    case (.object, let action):
      guard singularOwner(name) == user else { throw .foreign }
      switch action {
      case .merge(let body): try requireClaims(of: body, in: name, by: user)
      case .create(let body), .createOrMerge(let body), .replace(let body):
        guard claims(body.json, in: name).first == user else { throw .unsigned }
      case .read, .patch, .delete: break
      }
    }
    return false
  }

  /// - Throws: 403, when the members name another user as owner.
  private func requireClaims(of body: WrittenBody, in name: String, by user: String) throws(RequestError) {
    guard claims(body.json, in: name).allSatisfy({ $0 == user }) else { throw .unsigned }
  }

  /// - Throws: 403, when the record does not belong to the user before and after the patch.
  private func requireKept(
    _ patch: Patch, of before: ValidJSON, in name: String, keeping idName: String?, by user: String
  ) throws(RequestError) {
    guard claim(before, in: name) == user else { throw .foreign }
    guard database.schema.keeps(user, at: ownerKey(in: name), in: before, patch, keeping: idName) else {
      throw .unsigned
    }
  }

  /// The member that holds the id of the owner of a collection's records.
  func ownerKey(in name: String) -> FieldPath {
    let usual = FieldPath("userId")
    guard let key = try? database.foreignKey(in: name, to: collection, isSingle: true), key != usual else {
      return usual
    }
    let names = database.memberNames(of: name)
    return !names.contains(key.name) && names.contains(usual.name) ? usual : key
  }

  /// Whether a record belongs to a user; `true` for a missing record, which is refused later.
  private func isOwn(_ id: String, in name: String, of user: String) -> Bool {
    if name == collection { return id == user }
    guard let record = try? database.record(id, in: name) else { return true }
    return owner(of: record, in: name) == user
  }

  /// The owner of a stored record. Of a name that is given twice, the first value counts; a list of ids names nobody.
  func owner(of record: ValidJSON, in name: String) -> String? {
    record.recordID(in: ownerMember(of: name))
  }

  /// The member that holds the id of a record's owner; for users, the id itself.
  func ownerMember(of name: String) -> String {
    name == collection ? idName : ownerKey(in: name).name
  }

  /// The path of ``ownerMember(of:)``.
  func ownerPath(in name: String) -> FieldPath { name == collection ? FieldPath(idName) : ownerKey(in: name) }

  /// The owner of a single resource.
  func singularOwner(_ name: String) -> String? {
    (try? database.singular(name)).flatMap { owner(of: $0, in: name) }
  }

  /// The user whom a new record names as its owner.
  private func claim(_ record: ValidJSON, in name: String) -> String? { claims(record, in: name).first ?? nil }

  /// The users whom members name as owner: none without the member, and `nil` for `null`.
  ///
  /// Of a name that is given twice, the last value counts, as when the record is written.
  private func claims(_ members: ValidJSON, in name: String) -> [String?] {
    let value = ObjectDraft(members)?[ownerKey(in: name).name]
    return value.map { [$0.withToken(\.recordID)] } ?? []
  }
}
