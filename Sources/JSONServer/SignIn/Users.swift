import JSONDatabase
import JSONServerResources
import JSONServerValues

/// The users in one version of the data.
struct Users {
  /// The name of their collection.
  let collection: String
  let database: Database
  /// The paths at which users register, sign in and out.
  let table: SignInTable

  /// The members that name users: no two users have the same value of one.
  var names: [String] { table.names }

  /// The member with a user's id.
  var idName: String { database.schema.idName(of: collection) }

  /// Whether a name in a request means the users.
  func areMeant(by name: String) -> Bool { database.resource(meantBy: name)?.name == collection }

  /// Finds the user who signs in.
  ///
  /// - Throws: 400 for an unknown user and for a wrong password.
  func user(with credentials: Credentials) throws(RequestError) -> (id: String, record: ValidJSON) {
    guard let user = user(named: credentials.name, by: credentials.member) else {
      throw RequestError(.malformed, "Cannot find user")
    }
    guard let id = id(of: user), user.value(DataOperation.hiddenName)?.nameText == credentials.password else {
      throw RequestError(.malformed, "Incorrect password")
    }
    return (id, user)
  }

  /// Creates the record of a user who registers.
  ///
  /// - Returns: The record, and the data with the record.
  /// - Throws: 400 that names the missing, invalid or taken member.
  func register(
    _ body: WrittenBody?, by row: SignInRow, ids: IDGenerator
  ) throws(RequestError) -> (WrittenRecord, Database) {
    _ = try Credentials(body?.json, names: row.members)
    let body = body ?? .empty
    try requireFreeNames(in: body.json.members(named: names))
    var changed = database
    let written = try RequestError.converting(
      changed.create(body.json(for: collection, in: database), in: collection, ids: ids))
    return (written, changed)
  }

  /// The holder of a user's tokens.
  func holder(id: String, of user: ValidJSON) -> Tokens.Holder {
    let record = user.members(named: names)
    return Tokens.Holder(
      user: id, email: names.lazy.compactMap { Credentials.name(record[$0], in: $0) }.first ?? "",
      slot: database.schema.keepsSlots ? database.slot(of: id, in: collection) : nil)
  }

  /// Whether the user of a token still exists. Where records keep their slots, a new user may have got the same id, and even
  /// the same slot if that was the last one; then the email address decides.
  func isHolder(_ holder: Tokens.Holder) -> Bool {
    guard let user = try? database.record(holder.user, in: collection) else { return false }
    return holder.slot == nil || self.holder(id: holder.user, of: user) == holder
  }

  /// The email address or the name of a user; `nil` for an unknown user.
  func name(of id: String) -> String? {
    (try? database.record(id, in: collection)).map { holder(id: id, of: $0).email }
  }

  /// The user with this name.
  private func user(named name: String, by member: String) -> ValidJSON? {
    var query = Query()
    query.criteria.owner = Query.Reference(FieldPath(member), name)
    let found = try? database.list(collection, query).selection.records
    return found?.first { Credentials.name($0.value(member), in: member) == name }
  }

  /// A user whose address differs from another by letter case at most: mail to both reaches one person.
  private func user(at address: String, besides id: String?) -> ValidJSON? {
    var query = Query()
    query.criteria.parameters = [FilterParameter("email:contains", [address])]
    let found = try? database.list(collection, query).selection.records
    return found?.first { user in
      user.value("email")?.string?.lowercased() == address.lowercased() && (id == nil || self.id(of: user) != id)
    }
  }

  private func id(of user: ValidJSON) -> String? { user.recordID(in: idName) }

  // MARK: Changes

  /// Checks a change of users, as json-server-auth does.
  ///
  /// - Parameter isImport: Whether the page imports a list of users. Like the file, the list may have users without a password:
  ///   an export of the page has none.
  /// - Returns: The change to carry out.
  /// - Throws: 400 that names the missing, invalid or taken member.
  func checked(_ endpoint: Endpoint, isImport: Bool) throws(RequestError) -> Endpoint {
    guard !endpoint.changesMany else {
      throw RequestError(.malformed, "Users are changed and deleted one by one; name the id, as in /\(collection)/1.")
    }
    let id: String? = if case .record(_, let id) = endpoint.target { id } else { nil }
    switch endpoint.action {
    case .create(let body), .replace(let body):
      _ = try Credentials(body.json, names: names)
      try requireFreeNames(in: body.json.members(named: names), of: id)
    case .merge(let body):
      let members = body.json.members(named: names + [DataOperation.hiddenName])
      try Credentials.check(email: members["email"], password: members[DataOperation.hiddenName])
      if names.contains(where: { members[$0] != nil }),
        let before = id.flatMap({ try? database.record($0, in: collection) })
      {
        try Credentials.requireName(names) { members[$0] ?? before.value($0) }
      }
      try requireFreeNames(in: members, of: id)
    case .createOrMerge(let bodies) where isImport: try requireFreeNames(inAll: bodies.json.elements ?? [])
    case .createOrMerge: throw RequestError(.malformed, "Users register one by one; send an object.")
    case .patch(let patch): if let id { return try resolving(patch, of: id, in: endpoint) }
    case .read, .delete: break
    }
    return endpoint
  }

  /// Turns a patch of a user into a replacement. So operations that compare and copy members cannot read a password, but
  /// may set it.
  private func resolving(_ patch: Patch, of id: String, in endpoint: Endpoint) throws(RequestError) -> Endpoint {
    let before = JSONValue(try RequestError.converting(database.record(id, in: collection)))
    // An operation that reads a password at any depth fails here.
    var shown = database.hiding(DataOperation.hiddenName, of: collection)
    _ = try RequestError.converting(shown.edit(id, in: collection, by: .patch(patch)))
    // Passwords within other members stay.
    var changed = database
    let own = JSONObject(
      (before.object ?? JSONObject()).filter { $0.name != DataOperation.hiddenName }.map { ($0.name, $0.value) })
    _ = try RequestError.converting(
      changed.edit(id, in: collection, by: .replace(ValidJSON(writing: .object(own)))))
    let after = JSONValue(try RequestError.converting(changed.edit(id, in: collection, by: .patch(patch)).text))
    var members = after.object ?? JSONObject()
    let email = members["email"] == before["email"] ? nil : members["email"]
    try Credentials.check(email: email, password: members[DataOperation.hiddenName])
    if names.contains(where: { members[$0] != before[$0] }) {
      try Credentials.requireName(names) { members[$0] }
    }
    try requireFreeNames(in: members, of: id)
    if members[DataOperation.hiddenName] == nil { members[DataOperation.hiddenName] = before[DataOperation.hiddenName] }
    return Endpoint(endpoint.target, .replace(WrittenBody(ValidJSON(writing: .object(members)))))
  }

  /// The message about a taken name.
  private static func taken(_ member: String) -> String { "\(member.capitalizedFirst) already exists" }

  /// Compares the names with those of all users at once, in O(users).
  ///
  /// - Throws: 400 that names the user, when another user of the list or of the data has one of the names.
  private func requireFreeNames(inAll bodies: [ValidJSON]) throws(RequestError) {
    let known = try RequestError.converting(database.list(collection, Query())).selection.records
    for member in names {
      func name(of user: ValidJSON) -> String? {
        let name = Credentials.name(user.value(member), in: member)
        return member == "email" ? name?.lowercased() : name
      }
      // The ids by name; a new user may have none yet.
      var holders: [String: String] = [:]
      for user in known { if let name = name(of: user) { holders[name] = id(of: user) } }
      for (index, body) in bodies.enumerated() {
        guard let name = name(of: body), !name.isEmpty else { continue }
        let id = id(of: body) ?? ""
        if let holder = holders[name], holder.isEmpty || holder != id {
          throw RequestError(.malformed, "Element \(index + 1) of the array: \(Self.taken(member))")
        }
        holders[name] = id
      }
    }
  }

  /// - Parameter id: The user who may have the names already.
  /// - Throws: 400, when another user has one of them.
  private func requireFreeNames(in members: JSONObject, of id: String? = nil) throws(RequestError) {
    for member in names {
      // Forms also send fields that nobody has filled in.
      guard let name = Credentials.name(members[member], in: member), !name.isEmpty else { continue }
      let other = member == "email" ? user(at: name, besides: id) : user(named: name, by: member)
      guard let other else { continue }
      guard let id, self.id(of: other) == id else { throw RequestError(.malformed, Self.taken(member)) }
    }
  }
}

extension ValidJSON {
  /// A member of an object; `nil` for a missing one.
  fileprivate func value(_ name: String) -> JSONValue? { members(named: [name])[name] }
}
