import HTTPTypes
import JSONDatabase
import OrderedJSON

extension Engine {
  /// Responds to who registers, signs in or out, or asks for new tokens.
  func perform(_ route: SignInRoute, _ context: RequestContext) throws(RequestError) {
    guard let signIn else { return }
    switch route {
    case .register(let body): try register(body, signIn, context)
    case .signIn(let body):
      let credentials = try Credentials(body?.json)
      guard let user = user(named: credentials.name, by: credentials.member, signIn) else {
        throw RequestError(.malformed, "Cannot find user")
      }
      guard let id = idText(of: user, signIn), JSONValue(user)[SignInState.hiddenName]?.text == credentials.password
      else {
        throw RequestError(.malformed, "Incorrect password")
      }
      respond(to: context, route, response(.json([:]), with: issueTokens(to: user, id: id, signIn), to: user))
    case .refresh(let token):
      guard let token else { throw RequestError(.unauthorized, "Missing refresh token") }
      let pair = try changeState { state throws(RequestError) in
        do throws(Tokens.Refusal) {
          guard isHolder(try Tokens.holder(ofRefresh: token, now: System.now, in: state), signIn) else {
            throw .unknown
          }
          return try signIn.tokens.renew(token, now: System.now, in: &state)
        } catch {
          throw RequestError(error)
        }
      }
      respond(to: context, route, .json(.object(pair.members)))
    case .signOut(let refreshToken):
      try changeState { state throws(RequestError) in
        if let refreshToken, Tokens.revoke(refreshToken, in: &state) { return }
        guard Tokens.revoke(try SignInState.bearerToken(context.request), in: &state) else {
          throw RequestError(Tokens.Refusal.unknown)
        }
      }
      respond(to: context, route, PreparedResponse(status: .noContent))
    }
  }

  /// Responds when the users that a response shows are saved, and the tokens where servers share them.
  private func respond(to context: RequestContext, _ route: SignInRoute, _ response: PreparedResponse) {
    let pending = PendingResponse(requester: .client(context, .signIn(route)), response: response)
    writes.respondWhenShared(pending, showing: signIn?.users, on: self)
  }

  private func register(_ body: WrittenBody?, _ signIn: SignInState, _ context: RequestContext) throws(RequestError) {
    let requester = Requester.client(context, .signIn(.register(body)))
    guard try mayBegin("POST", for: requester) else { return }
    let (written, created, change, base) = try createUser(body, signIn, context)
    let response = response(created, with: issueTokens(to: written.text, id: written.id, signIn), to: written.text)
    writes.enqueueCommit(
      PendingResponse(requester: requester, response: response, change: change), since: base, on: self)
  }

  /// Creates the record of a user who registers.
  ///
  /// - Returns: The record, the response but for its body, the change, and the version of the data before.
  /// - Throws: 403 when changes are refused, and 400 that says what is missing, invalid or taken.
  func createUser(
    _ body: WrittenBody?, _ signIn: SignInState, _ context: RequestContext
  ) throws(RequestError) -> (WrittenRecord, PreparedResponse, DataChange, Database) {
    let credentials = try Credentials(body?.json)
    try requireFreeName(credentials.name, as: credentials.member, signIn)
    let base = writes.database
    let written: WrittenRecord
    do throws(DatabaseError) {
      var changed = base
      let body = (body ?? .empty).json(for: signIn.users, in: base)
      written = try changed.create(body, in: signIn.users, ids: writes.ids)
      writes.take(changed)
    } catch {
      throw RequestError(error)
    }
    var response = PreparedResponse.json([:], status: .created)
    let path = [signIn.users, written.id].map { "/" + PercentEncoding.encodeSegment($0) }.joined()
    response.headerFields[.location] = context.request.base + path
    return (written, response, .created(signIn.users, written.removing(SignInState.hiddenName)), base)
  }

  private func issueTokens(to user: ValidJSON, id: String, _ signIn: SignInState) -> Tokens.Pair {
    let holder = holder(id: id, of: user, signIn)
    return changeState { signIn.tokens.issue(to: holder, now: System.now, in: &$0) }
  }

  /// Whom tokens of a user stand for.
  private func holder(id: String, of user: ValidJSON, _ signIn: SignInState) -> Tokens.Holder {
    let record = JSONValue(user)
    return Tokens.Holder(
      user: id, email: record["email"]?.string ?? record["username"]?.string ?? "",
      slot: isShared ? writes.database.slot(of: id, in: signIn.users) : nil)
  }

  /// Whether the user is still there for whom a token stands. Where servers share the data, somebody else may have the id
  /// now, and the slot when it was the last.
  func isHolder(_ holder: Tokens.Holder, _ signIn: SignInState) -> Bool {
    guard let user = try? writes.database.record(holder.user, in: signIn.users) else { return false }
    return holder.slot == nil || self.holder(id: holder.user, of: user, signIn) == holder
  }

  /// A response with tokens, and the user's record beside them.
  func response(_ response: PreparedResponse, with pair: Tokens.Pair, to user: ValidJSON) -> PreparedResponse {
    var members = pair.members
    members["user"] = JSONValue(user.removing(SignInState.hiddenName))
    var complete = PreparedResponse.json(.object(members), status: response.status)
    complete.headerFields[.location] = response.headerFields[.location]
    return complete
  }

  /// The user whose `email` or `username` is a text.
  private func user(named name: String, by member: String, _ signIn: SignInState) -> ValidJSON? {
    var query = Query()
    query.owner = (FieldPath(member), name)
    let found = try? writes.database.list(signIn.users, query).selection.records
    return found?.first { JSONValue($0)[member]?.string == name }
  }

  private func idText(of user: ValidJSON, _ signIn: SignInState) -> String? {
    let idName = Array(writes.database.schema.idName(of: signIn.users).utf8)
    return user.withToken { $0.member(idName)?.recordID }
  }

  /// - Parameter id: The user who may have the name already.
  /// - Throws: 400, when another user has it.
  private func requireFreeName(
    _ name: String, as member: String, of id: String? = nil, _ signIn: SignInState
  ) throws(RequestError) {
    guard let other = user(named: name, by: member, signIn), id == nil || idText(of: other, signIn) != id else {
      return
    }
    throw RequestError(.malformed, member == "email" ? "Email already exists" : "Username already exists")
  }

  // MARK: Data

  /// What a request for data comes to for whoever sent it: without what they may not have.
  ///
  /// - Throws: 401 and 403, too: since the request arrived, its token may have expired, and a record may be another's now.
  func operation(for endpoint: Endpoint, _ context: RequestContext) throws(RequestError) -> DataOperation {
    guard let signIn else { return DataOperation(endpoint: endpoint, request: context.request, ids: writes.ids) }
    let owner = context.isHidden ? nil : try owner(in: endpoint, context, signIn)
    let limited = owner.map { self.limited(endpoint, to: $0, signIn) } ?? endpoint
    guard endpoint.isWrite else {
      // The other pages of a list are guarded as this one is; a new record's address is without, as in json-server-auth.
      var linked = context.request
      if let prefix = context.guardPrefix { linked.mount.path += "/" + prefix.digits }
      var operation = DataOperation(
        endpoint: limited, request: linked, ids: writes.ids,
        hiding: endpoint.onlyResource.map { $0 != signIn.users } == true
          ? .nothing : .passwordsOfData(of: signIn.users))
      if let owner, case .database = endpoint.target { operation.share = share(of: owner, signIn) }
      return operation
    }
    var operation = DataOperation(endpoint: limited, request: context.request, ids: writes.ids)
    if endpoint.resource == signIn.users {
      try check(endpoint, signIn)
      operation.endpoint = try resolvingPatch(endpoint, signIn)
      operation.hiding = .passwordsOfResult
    }
    if !context.isHidden { operation.rights = rights(to: endpoint, of: owner, context, signIn) }
    return operation
  }

  /// Voids the tokens of users whom a change has deleted.
  func forgetDeletedUsers(by result: EndpointResult) {
    if let signIn, result.hasDeleted(from: signIn.users) { forgetUsers(signIn) }
  }

  /// A request for several records as one for those of them that belong to a user.
  private func limited(_ endpoint: Endpoint, to owner: String, _ signIn: SignInState) -> Endpoint {
    endpoint.resource.map { endpoint.limited(to: owner, by: ownerKey(in: $0, signIn)) } ?? endpoint
  }

  /// Checks what is about to be written to the users, as json-server-auth does.
  ///
  /// - Throws: 400 that says what is missing, invalid or taken.
  private func check(_ endpoint: Endpoint, _ signIn: SignInState) throws(RequestError) {
    guard !endpoint.changesMany else {
      throw RequestError(.malformed, "Users are changed and deleted one by one; name the id, as in /\(signIn.users)/1.")
    }
    var id: String?
    if case .record(_, let named) = endpoint.target { id = named }
    switch endpoint.action {
    case .create(let body), .replace(let body):
      let credentials = try Credentials(body.json)
      try requireFreeName(credentials.name, as: credentials.member, of: id, signIn)
    case .merge(let body):
      let members = JSONValue(body.json)
      try Credentials.check(email: members["email"], password: members["password"])
      let isNamed = members["email"] != nil || members["username"] != nil
      if isNamed, let before = id.flatMap({ try? writes.database.record($0, in: signIn.users) }).map({ JSONValue($0) })
      {
        try Credentials.requireName(
          email: members["email"] ?? before["email"], username: members["username"] ?? before["username"])
      }
      for member in ["email", "username"] {
        if let name = members[member]?.string { try requireFreeName(name, as: member, of: id, signIn) }
      }
    case .createOrMerge: throw RequestError(.malformed, "Users register one by one; send an object.")
    // What a patch comes to is checked when that is known.
    case .read, .patch, .delete: break
    }
  }

  /// A patch of a user as the replacement that it comes to: its operations, which compare and copy members, find no
  /// password, but may set one.
  private func resolvingPatch(_ endpoint: Endpoint, _ signIn: SignInState) throws(RequestError) -> Endpoint {
    guard case (.record(let name, let id), .patch(let patch)) = (endpoint.target, endpoint.action) else {
      return endpoint
    }
    let (before, after): (JSONValue, JSONValue)
    do throws(DatabaseError) {
      before = JSONValue(try writes.database.record(id, in: name))
      var shown = writes.database.hiding(SignInState.hiddenName, of: signIn.users)
      after = JSONValue(try shown.apply(patch, to: id, in: name).text)
    } catch {
      throw RequestError(error)
    }
    var members = after.object ?? JSONObject()
    let email = members["email"] == before["email"] ? nil : members["email"]
    try Credentials.check(email: email, password: members[SignInState.hiddenName])
    if members["email"] != before["email"] || members["username"] != before["username"] {
      try Credentials.requireName(email: members["email"], username: members["username"])
    }
    for member in ["email", "username"] {
      if let name = members[member]?.string { try requireFreeName(name, as: member, of: id, signIn) }
    }
    if members[SignInState.hiddenName] == nil { members[SignInState.hiddenName] = before[SignInState.hiddenName] }
    return Endpoint(endpoint.target, .replace(WrittenBody(ValidJSON(writing: .object(members)))))
  }

  /// Has all access tokens expire; passes on how many did.
  func expireTokens(_ completion: @escaping Completion<Int>) {
    changeState({ Tokens.expire(now: System.now, in: &$0) }, then: completion)
  }

  /// Voids the tokens of users who are gone, before another gets the id of one; where servers share the data, tokens tell
  /// those by themselves.
  func forgetUsers(_ signIn: SignInState) {
    if !isShared { changeState { Tokens.revoke(in: &$0) { !isHolder($0, signIn) } } }
    events.endVoidWatches(on: self)
  }

  /// All data that a user may read: where only owners may, what is the user's.
  private func share(of owner: String, _ signIn: SignInState) -> OwnedShare {
    var share = OwnedShare()
    for name in writes.database.resourceNames {
      guard case .allowedToOwner = rule(for: name, prefix: nil, signIn).decision(on: .read, isSignedIn: true) else {
        continue
      }
      if writes.database.resource(meantBy: name)?.isCollection == true {
        var query = Query()
        let idName = writes.database.schema.idName(of: name)
        query.owner = (name == signIn.users ? FieldPath(idName) : ownerKey(in: name, signIn), owner)
        share.lists[name] = query
      } else if singularOwner(name, signIn) != owner {
        share.hidden.insert(name)
      }
    }
    return share
  }
}

extension Tokens.Pair {
  var members: JSONObject {
    JSONObject([
      ("accessToken", .string(access)), ("refreshToken", .string(refresh)),
      ("expiresIn", .number(JSONNumber(lifetime))),
    ])
  }
}

extension JSONValue {
  /// The text of a string, or of a number as it is written: a fixture may hold passwords as either.
  fileprivate var text: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .null, .bool, .array, .object: nil
    }
  }
}

extension EndpointResult {
  /// Whether records of a resource are gone.
  fileprivate func hasDeleted(from resource: String) -> Bool {
    switch change {
    case .deleted(let name, _, let dependents)?, .deletedMany(let name, _, let dependents)?:
      return name == resource || dependents[resource] != nil
    case .created?, .updated?, .updatedMany?, .reloaded?, .replaced?, nil: return false
    }
  }
}
