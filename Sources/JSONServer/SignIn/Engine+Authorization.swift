import HTTPTypes
import JSONDatabase
import OrderedJSON

extension Engine {
  /// sign-in: refuses what a request may not have, whatever the data is.
  ///
  /// Whose records it is about is found out when it is carried out, which may be later: ``owner(in:_:_:)``.
  ///
  /// - Returns: The request as it goes on, without a guard at the start of its path. What leads to no resource goes on as
  ///   it is.
  /// - Throws: 401 and 403.
  func authorize(_ context: RequestContext, _ signIn: SignInState) throws(RequestError) -> RequestContext {
    let unguarded = try removingGuard(context)
    let (request, target) = (unguarded.request, unguarded.target)
    // Whoever registers has not signed in.
    if request.method == .post, target.path.segments.count == 1, isUsers(target.path.segments[0], signIn) {
      return unguarded
    }
    if configuration.hasResetRoutes, AdminRoute.resetRoute(of: request, target.path.segments) != nil {
      try requireAllResources(context, signIn)
      return context
    }
    let endpoint: Endpoint
    do throws(RequestError) {
      endpoint = try self.endpoint(of: unguarded)
    } catch {
      return unguarded
    }
    _ = try permission(for: endpoint, unguarded, signIn)
    return unguarded
  }

  /// Finds out whose records alone a request may see, by the data as it is now.
  ///
  /// - Returns: The user's id; `nil` when it may see all.
  /// - Throws: 401 and 403.
  func owner(
    in endpoint: Endpoint, _ context: RequestContext, _ signIn: SignInState
  ) throws(RequestError) -> String? {
    var owner: String?
    if let (user, resources) = try permission(for: endpoint, context, signIn) {
      for (name, level) in resources {
        if try isLimited(endpoint, name, level, context, to: user, signIn) { owner = user }
      }
    }
    return owner
  }

  /// Finds out who sent a request, when that matters, and what of it is for owners alone.
  ///
  /// - Returns: The user, and the resources of which only what is the user's may be read or changed; `nil` for none.
  /// - Throws: 401 and 403.
  private func permission(
    for endpoint: Endpoint, _ context: RequestContext, _ signIn: SignInState
  ) throws(RequestError) -> (user: String, resources: [(name: String, level: Int)])? {
    var permission: (user: String, resources: [(name: String, level: Int)])?
    for (name, level) in try resources(of: endpoint) {
      let rule = rule(for: name, prefix: context.guardPrefix, signIn)
      let access: Guard.Access = endpoint.isWrite && name == endpoint.resource ? .write : .read
      switch rule.decision(on: access, isSignedIn: false) {
      case .allowed: continue
      case .refused: throw Self.readOnly
      case .allowedToOwner, .signInFirst: break
      }
      let user = try self.user(of: context.request, signIn)
      switch rule.decision(on: access, isSignedIn: true) {
      case .allowed: continue
      case .refused, .signInFirst: throw Self.readOnly
      case .allowedToOwner: permission = (user, (permission?.resources ?? []) + [(name, level)])
      }
    }
    return permission
  }

  /// The guard of a resource, with those in the routes file.
  func rule(for resource: String, prefix: Guard?, _ signIn: SignInState) -> Guard {
    let names = policies.guards.filter { writes.database.resource(meantBy: $0.key)?.name == resource }
    let listed = names.values.reduce(nil as Guard?) { $0?.intersection($1) ?? $1 }
    return signIn.guard(of: resource, listed: listed, prefix: prefix)
  }

  /// Refuses a request that replaces all data, unless whoever sent it may write all of it.
  ///
  /// - Throws: 401, and 403 that names a resource that they may not write.
  func requireAllResources(_ context: RequestContext, _ signIn: SignInState) throws(RequestError) {
    _ = try user(of: context.request, signIn)
    for name in writes.database.resourceNames {
      guard case .allowed = rule(for: name, prefix: nil, signIn).decision(on: .write, isSignedIn: true) else {
        throw RequestError(
          .forbidden,
          "POST \(context.request.path) changes all data, and not everybody who signs in may write '\(name)' (--guard)."
        )
      }
    }
  }

  static var unsigned: RequestError {
    RequestError(.forbidden, "Private resource creation: request body must have a reference to the owner id")
  }

  static var foreign: RequestError {
    RequestError(.forbidden, "Private resource access: entity must have a reference to the owner id")
  }

  private static var readOnly: RequestError { RequestError(.forbidden, "Read only") }

  /// Returns the id of the user who sent a request, whose record is still there.
  func user(of request: Request, _ signIn: SignInState) throws(RequestError) -> String {
    let token = try SignInState.bearerToken(request)
    do throws(Tokens.Refusal) {
      return try user(of: token, signIn)
    } catch {
      throw RequestError(error)
    }
  }

  /// Returns the id of the user for whom an access token stands, and whose record is still there.
  func user(of token: String, _ signIn: SignInState) throws(Tokens.Refusal) -> String {
    let holder = try Tokens.holder(of: token, now: System.now, in: writes.state)
    guard isHolder(holder, signIn) else { throw .unknown }
    return holder.user
  }

  /// Lets a request wait whose token this server does not know, when another may just have given it.
  ///
  /// - Returns: Whether it waits.
  func awaitToken(
    of context: RequestContext, _ goOn: @escaping @Sendable (isolated Engine) -> Void
  ) -> Bool {
    guard isShared, configuration.reads == .local, let token = try? SignInState.bearerToken(context.request),
      writes.state[.token, token] == nil
    else { return false }
    writes.whenCurrent(on: self) { engine, failure in
      if let failure { return engine.finalize(context, RequestError(failure).response()) }
      goOn(engine)
    }
    return true
  }

  /// Whether a name in a request means the users.
  func isUsers(_ name: String, _ signIn: SignInState) -> Bool {
    writes.database.resource(meantBy: name)?.name == signIn.users
  }

  /// Takes a guard off the start of a path: `/640/posts` is `/posts`, guarded by 640.
  func removingGuard(_ context: RequestContext) throws(RequestError) -> RequestContext {
    let segments = context.target.path.segments
    guard segments.count > 1, let prefix = Guard(segments[0]), writes.database.resource(meantBy: segments[0]) == nil,
      writes.database.resource(meantBy: segments[1]) != nil
    else { return context }
    let slash = UInt8(ascii: "/")
    let rest = context.request.target.utf8.drop { $0 == slash }.drop { $0 != slash }
    return try context.removing(prefix, leaving: String(Substring(rest)))
  }

  /// The resources that a request for data reads or changes: its own first, then those that it reads for it, each with
  /// the number of levels that its records are inside others.
  private func resources(of endpoint: Endpoint) throws(RequestError) -> [(name: String, level: Int)] {
    guard let name = endpoint.resource else { return writes.database.resourceNames.map { ($0, 0) } }
    guard !endpoint.relations.isEmpty else { return [(name, 0)] }
    do throws(DatabaseError) {
      return [(name, 0)] + (try writes.database.resources(readBy: endpoint.relations, in: name))
    } catch {
      throw RequestError(error)
    }
  }

  // MARK: Owners

  /// Whether a request for what only owners may use has to be limited to what is a user's; one that is about nothing else
  /// has not.
  ///
  /// - Parameters:
  ///   - name: The resource.
  ///   - level: The number of levels that its records are inside others.
  /// - Throws: 403, when it is about what belongs to others.
  private func isLimited(
    _ endpoint: Endpoint, _ name: String, _ level: Int, _ context: RequestContext, to user: String,
    _ signIn: SignInState
  ) throws(RequestError) -> Bool {
    let (foreign, unsigned) = (Self.foreign, Self.unsigned)
    let database = writes.database
    guard level == 0 else {
      // Beside a record, others' records may be read when they are users, as the authors of what somebody may read, and
      // when they refer to the user's own record itself.
      switch endpoint.target {
      case .database: return true
      case .record(signIn.users, user) where level == 1 && !endpoint.isWrite: return false
      case _ where name == signIn.users: return false
      default: throw foreign
      }
    }
    switch (endpoint.target, endpoint.action) {
    case (.database, _): return true
    case (.collection, .read):
      // A user's changes could not be told from those of others.
      guard name != signIn.users, !ListParameters.isWatch(context.target.parameters) else { throw foreign }
      if let parent = endpoint.list?.query.parent, parent.key == ownerKey(in: name, signIn), parent.id != user {
        throw foreign
      }
      return true
    case (.collection, .create(let body)):
      // A parent's id takes the place of what the body says, also where the parent is not there.
      let (key, parent) = (ownerKey(in: name, signIn), endpoint.parent)
      let isKey = parent.map { (try? database.foreignKey(in: name, to: $0.resource)) == key } ?? false
      guard (isKey ? parent?.id : claim(body.json, in: name, signIn)) == user else { throw unsigned }
    case (.collection, .createOrMerge(let bodies)):
      let idName = Array(database.schema.idName(of: name).utf8)
      for body in bodies.json.elements ?? [] {
        guard claim(body, in: name, signIn) == user else { throw unsigned }
        let id = body.withToken { $0.member(idName)?.recordID }
        if let id, !isOwn(id, in: name, of: user, signIn) { throw foreign }
      }
    case (.collection, .merge(let body)), (.collection, .replace(let body)):
      if name != signIn.users { try requireClaims(of: body, in: name, by: user, signIn) }
      // Which records it is about is found out where it is carried out: ``ChangeRights``.
      return true
    case (.collection, .patch), (.collection, .delete): return true
    case (.record(signIn.users, let id), .patch):
      guard id == user else { throw foreign }
    case (.record(_, let id), .patch(let patch)):
      // What is not there or does not fit is refused by whoever carries it out.
      guard let before = try? database.record(id, in: name) else { break }
      try requireKept(patch, of: before, in: name, keeping: database.schema.idName(of: name), by: user, signIn)
    case (.record(_, let id), let action):
      guard isOwn(id, in: name, of: user, signIn) else { throw foreign }
      guard name != signIn.users else { break }
      if case .replace(let body) = action, claim(body.json, in: name, signIn) != user { throw unsigned }
      if case .merge(let body) = action { try requireClaims(of: body, in: name, by: user, signIn) }
    case (.object, .patch(let patch)):
      guard let before = try? database.singular(name) else { break }
      try requireKept(patch, of: before, in: name, keeping: nil, by: user, signIn)
    case (.object, let action):
      guard singularOwner(name, signIn) == user else { throw foreign }
      switch action {
      case .merge(let body): try requireClaims(of: body, in: name, by: user, signIn)
      case .create(let body), .createOrMerge(let body), .replace(let body):
        guard claims(body.json, in: name, signIn).first == user else { throw unsigned }
      case .read, .patch, .delete: break
      }
    }
    return false
  }

  /// - Throws: 403, when members name another owner than a user.
  private func requireClaims(
    of body: WrittenBody, in name: String, by user: String, _ signIn: SignInState
  ) throws(RequestError) {
    guard claims(body.json, in: name, signIn).allSatisfy({ $0 == user }) else { throw Self.unsigned }
  }

  /// - Throws: 403, when what is patched is not a user's, or would not be then.
  private func requireKept(
    _ patch: Patch, of before: ValidJSON, in name: String, keeping idName: String?, by user: String,
    _ signIn: SignInState
  ) throws(RequestError) {
    guard claim(before, in: name, signIn) == user else { throw Self.foreign }
    guard writes.database.schema.keeps(user, at: ownerKey(in: name, signIn), in: before, patch, keeping: idName) else {
      throw Self.unsigned
    }
  }

  /// The member of a collection's records that holds the id of their owner.
  func ownerKey(in name: String, _ signIn: SignInState) -> FieldPath {
    let usual = FieldPath("userId")
    guard let key = try? writes.database.foreignKey(in: name, to: signIn.users), key != usual else { return usual }
    let names = writes.database.memberNames(of: name)
    return !names.contains(key.name) && names.contains(usual.name) ? usual : key
  }

  /// Whether a record belongs to a user; one that does not exist is left to who looks for it.
  private func isOwn(_ id: String, in name: String, of user: String, _ signIn: SignInState) -> Bool {
    if name == signIn.users { return id == user }
    guard let record = try? writes.database.record(id, in: name) else { return true }
    return owner(of: record, in: name, signIn) == user
  }

  /// The user to whom a stored record belongs: of a name given twice the first value counts, and a list of ids is nobody.
  private func owner(of record: ValidJSON, in name: String, _ signIn: SignInState) -> String? {
    let key = ownerMember(of: name, signIn)
    return record.withToken { $0.member(Array(key.utf8))?.recordID }
  }

  /// The member that holds the id of a record's owner, also where that is the record itself.
  func ownerMember(of name: String, _ signIn: SignInState) -> String {
    name == signIn.users ? writes.database.schema.idName(of: name) : ownerKey(in: name, signIn).name
  }

  func singularOwner(_ name: String, _ signIn: SignInState) -> String? {
    (try? writes.database.singular(name)).flatMap { owner(of: $0, in: name, signIn) }
  }

  /// The user that a record which is about to be written names as its owner.
  private func claim(_ record: ValidJSON, in name: String, _ signIn: SignInState) -> String? {
    claims(record, in: name, signIn).first ?? nil
  }

  /// The users that members name as the owner: none when they do not say, and one that nobody is for `null`.
  ///
  /// Of a name given twice the last value counts, as when it is written.
  func claims(_ members: ValidJSON, in name: String, _ signIn: SignInState) -> [String?] {
    let value = ObjectDraft(members)?[ownerKey(in: name, signIn).name]
    return value.map { [$0.withToken(\.recordID)] } ?? []
  }
}
