import HTTPTypes
import JSONDatabase
import JSONServerValues

/// The rights of clients, from the data, the tokens and the guards at one moment.
///
/// A class, so that a server without sign-in passes on only `nil`.
final class Authorization {
  let users: Users
  /// The guards of resources, by name.
  private let guards: [String: Guard]
  /// The guards of the routes file, by the names as written there.
  private let listedGuards: [String: Guard]
  /// The tokens.
  private let state: ServerState

  private var database: Database { users.database }

  init(_ users: Users, guards: [String: Guard], listed listedGuards: [String: Guard], _ state: ServerState) {
    (self.users, self.guards, self.listedGuards, self.state) = (users, guards, listedGuards, state)
  }

  /// Refuses a request that has no right to any record of its resource.
  ///
  /// ``owner(in:_:)`` checks the owners of records later, when the request is carried out.
  ///
  /// - Parameter hasResetRoutes: Whether some requests outside of the admin interface replace all data.
  /// - Returns: The request without a guard at the start of its path. A request for an unknown resource is returned
  ///   unchanged.
  /// - Throws: 401 and 403.
  func authorize(_ context: RequestContext, hasResetRoutes: Bool) throws(RequestError) -> RequestContext {
    let unguarded = try removingGuard(context)
    let (request, segments) = (unguarded.request, unguarded.target.path.segments)
    // A client that registers cannot have signed in.
    if request.method == .post, segments.count == 1, users.areMeant(by: segments[0]) { return unguarded }
    if hasResetRoutes, AdminRoute.resetRoute(of: request, segments) != nil {
      try requireAllResources(context)
      return context
    }
    if let endpoint = try? unguarded.endpoint(in: database) {
      if let reading = endpoint.listReading { _ = try permission(for: reading, unguarded) }
      _ = try permission(for: endpoint, unguarded)
    }
    return unguarded
  }

  /// Removes a guard from the start of a path: `/640/posts` becomes `/posts`, guarded by 640.
  func removingGuard(_ context: RequestContext) throws(RequestError) -> RequestContext {
    let segments = context.target.path.segments
    guard segments.count > 1, let prefix = Guard(segments[0]), database.resource(meantBy: segments[0]) == nil,
      database.resource(meantBy: segments[1]) != nil
    else { return context }
    let slash = UInt8(ascii: "/")
    let rest = context.request.target.utf8.drop { $0 == slash }.drop { $0 != slash }
    return try context.removing(prefix, leaving: String(Substring(rest)))
  }

  /// Refuses a request that replaces all data, unless its sender may write all data.
  ///
  /// - Throws: 401, and 403 that names a resource which the sender may not write.
  func requireAllResources(_ context: RequestContext) throws(RequestError) {
    _ = try user(of: context.request)
    for name in database.resourceNames {
      guard case .allowed = self.guard(of: name).decision(on: .write, isSignedIn: true) else {
        throw RequestError(
          .forbidden,
          """
          POST \(context.request.path) changes all data, and not everybody who signs in may write '\(name)' \
          (Server.SignIn.guards).
          """)
      }
    }
  }

  /// The guard of a resource: the rights that all its guards give.
  ///
  /// - Parameter prefix: The guard at the start of the path. It replaces the resource's default guard, but never the
  ///   guard of the users.
  func `guard`(of resource: String, prefix: Guard? = nil) -> Guard {
    let listed = listedGuards.filter { database.resource(meantBy: $0.key)?.name == resource }.values
    let chosen = listed + [guards[resource]].compactMap(\.self)
    let own = chosen.isEmpty && resource == users.collection ? [.ownOnly] : chosen
    let all = own + [prefix].compactMap(\.self)
    return all.first.map { all.dropFirst().reduce($0) { $0.intersection($1) } } ?? .signedIn
  }

  // MARK: Users

  /// Returns the id of the user who sent a request; the user's record must exist.
  func user(of request: Request) throws(RequestError) -> String { try user(of: SignInState.bearerToken(request)) }

  /// Returns the id of the user of an access token; the user's record must exist.
  func user(of token: String) throws(RequestError) -> String {
    do throws(Tokens.Refusal) {
      let holder = try Tokens.holder(of: token, in: state)
      guard users.isHolder(holder) else { throw .unknown }
      return holder.user
    } catch {
      throw RequestError(error)
    }
  }

  /// Returns the user to whose records a request is limited.
  ///
  /// - Returns: The user's id; `nil` when the request may see all records.
  /// - Throws: 401 and 403.
  func owner(in endpoint: Endpoint, _ context: RequestContext) throws(RequestError) -> String? {
    if let reading = endpoint.listReading { _ = try self.owner(in: reading, context) }
    var owner: String?
    if let (user, resources) = try permission(for: endpoint, context) {
      for resource in resources where try users.isLimited(endpoint, resource, context, to: user) { owner = user }
    }
    return owner
  }

  /// Returns the sender of a request, if it matters, and the resources that only owners may use.
  ///
  /// - Returns: The user, and the resources of which the user may read or change only own records; `nil` for none.
  /// - Throws: 401 and 403.
  private func permission(
    for endpoint: Endpoint, _ context: RequestContext
  ) throws(RequestError) -> (user: String, resources: [Database.ReadResource])? {
    var permission: (user: String, resources: [Database.ReadResource])?
    for resource in try resources(of: endpoint) {
      let needed = self.guard(of: resource.name, prefix: context.guardPrefix)
      let access: Guard.Access = endpoint.isWrite && resource.name == endpoint.resource ? .write : .read
      switch needed.decision(on: access, isSignedIn: false) {
      case .allowed: continue
      case .refused: throw Self.readOnly
      case .allowedToOwner, .signInFirst: break
      }
      let user = try user(of: context.request)
      switch needed.decision(on: access, isSignedIn: true) {
      case .allowed: continue
      case .refused, .signInFirst: throw Self.readOnly
      case .allowedToOwner: permission = (user, (permission?.resources ?? []) + [resource])
      }
    }
    return permission
  }

  /// The resources that a request reads or changes: first its own, then related ones.
  private func resources(of endpoint: Endpoint) throws(RequestError) -> [Database.ReadResource] {
    guard let name = endpoint.resource else { return database.resourceNames.map { ($0, 0, nil) } }
    guard !endpoint.relations.isEmpty else { return [(name, 0, nil)] }
    let related = try RequestError.converting(database.resources(readBy: endpoint.relations, in: name))
    return [(name, 0, nil)] + related
  }

  // MARK: Data

  /// Limits a request for data to the records that its sender may see and change.
  ///
  /// - Throws: 401 and 403: since the request arrived, its token may have expired, and a record may have a new owner.
  func restrict(_ operation: inout DataOperation, of context: RequestContext) throws(RequestError) {
    let endpoint = operation.endpoint
    let owner = context.isHidden ? nil : try owner(in: endpoint, context)
    if let owner, let name = endpoint.resource {
      operation.endpoint = endpoint.limited(to: owner, by: users.ownerKey(in: name))
    }
    guard endpoint.isWrite else {
      // The links to other pages of a list keep the guard; the address of a new record has none, as in
      // json-server-auth.
      if let prefix = context.guardPrefix { operation.request.mount.path += "/" + prefix.digits }
      let showsUsers = endpoint.onlyResource == nil || endpoint.onlyResource == users.collection
      if showsUsers { operation.hiding = .passwordsOfData(of: users.collection) }
      if let owner, case .database = endpoint.target { operation.share = share(of: owner) }
      return
    }
    if endpoint.resource == users.collection {
      operation.endpoint = try users.checked(endpoint)
      operation.hiding = .passwordsOfResult
    }
    if !context.isHidden { operation.rights = rights(to: endpoint, of: owner, context) }
  }

  /// The data that a user may read: where only owners may read, the user's own records.
  private func share(of owner: String) -> OwnedShare {
    var share = OwnedShare()
    for name in database.resourceNames {
      guard case .allowedToOwner = self.guard(of: name).decision(on: .read, isSignedIn: true) else { continue }
      if database.resource(meantBy: name)?.isCollection == true {
        var query = Query()
        let key = name == users.collection ? FieldPath(users.idName) : users.ownerKey(in: name)
        query.criteria.owner = Query.Reference(key, owner)
        share.lists[name] = query
      } else if users.singularOwner(name) != owner {
        share.hidden.insert(name)
      }
    }
    return share
  }

  /// The checks of a change when it is carried out.
  ///
  /// - Parameter owner: The user to whose records the request is limited; `nil` for no limit.
  private func rights(to endpoint: Endpoint, of owner: String?, _ context: RequestContext) -> ChangeRights {
    var rights = ChangeRights()
    // Users are changed one by one, as the operation requires.
    if endpoint.changesMany, let owner, let name = endpoint.resource, name != users.collection {
      let reading = self.guard(of: name, prefix: context.guardPrefix).decision(on: .read, isSignedIn: true)
      rights.ownership = ChangeRights.Ownership(
        user: owner, key: users.ownerKey(in: name), readsOthers: reading != .allowedToOwner)
    }
    if case .delete = endpoint.action { rights.dependents = dependents(context) }
    return rights
  }

  /// The dependent records that the sender of a deletion may not write, by resource.
  private func dependents(_ context: RequestContext) -> [String: ChangeRights.Access] {
    let user = Result { () throws(RequestError) in try self.user(of: context.request) }
    var dependents: [String: ChangeRights.Access] = [:]
    for name in database.resourceNames {
      let needed = self.guard(of: name, prefix: context.guardPrefix)
      if case .allowed = needed.decision(on: .write, isSignedIn: false) { continue }
      switch (user, needed.decision(on: .write, isSignedIn: true)) {
      case (.success, .allowed): continue
      case (.success(let user), .allowedToOwner): dependents[name] = .owned(by: user, in: users.ownerMember(of: name))
      case (.success, .refused), (.success, .signInFirst):
        dependents[name] = .refused(ChangeRights.foreignDependents(name))
      case (.failure(let error), _): dependents[name] = .refused(error)
      }
    }
    return dependents
  }

  private static var readOnly: RequestError { RequestError(.forbidden, "Read only") }
}
