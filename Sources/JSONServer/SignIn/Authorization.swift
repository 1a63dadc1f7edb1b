import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// The rights of clients, from the data, the tokens and the guards at one moment.
///
/// A class, so that a server without sign-in passes on only `nil`.
final class Authorization {
  let users: Users
  /// The guards of resources, by name.
  private let guards: [String: Guard]
  /// The guards of the routes file.
  private let routes: Routes
  /// The tokens.
  private let state: ServerState
  /// The OpenAPI document that says what the paths mean; `nil` for none.
  private let contract: Contract?
  /// The time, in seconds since 1970.
  private let now: Double

  private var database: Database { users.database }

  init(
    _ users: Users, guards: [String: Guard], _ routes: Routes, _ state: ServerState, _ contract: Contract?,
    now: Double = System.now
  ) {
    (self.users, self.guards, self.routes, self.state) = (users, guards, routes, state)
    (self.contract, self.now) = (contract, now)
  }

  /// Refuses a request that has no right to any record of its resource.
  ///
  /// ``owner(in:_:)`` checks the owners of records later, when the request is carried out.
  ///
  /// - Parameter hasResetRoutes: Whether some requests outside of the admin interface replace all data.
  /// - Returns: The request with the guards of its path.
  /// - Throws: 401 and 403.
  func authorize(_ context: RequestContext, hasResetRoutes: Bool) throws(RequestError) -> RequestContext {
    let guarded = guarding(context)
    let (request, segments) = (guarded.request, guarded.target.segments)
    // A client that registers or signs in cannot have signed in.
    if request.method == .post, users.row(at: segments, isPost: true) != nil { return guarded }
    if hasResetRoutes, AdminRoute.resetRoute(of: request, segments) != nil {
      try requireAllResources(context)
      return context
    }
    if let endpoint = try? guarded.endpoint(in: database, by: contract) {
      if let reading = endpoint.listReading { _ = try permission(for: reading, guarded) }
      _ = try permission(for: endpoint, guarded)
    }
    return guarded
  }

  /// Finds the guards of a path, and removes the one before it: `/640/posts` becomes `/posts`, guarded by 640.
  func guarding(_ context: RequestContext) -> RequestContext {
    var (target, guards) = (context.target, context.guards)
    let prefix = database.guardPrefix(of: target)
    guard prefix != nil || !routes.pathGuards.isEmpty else { return context }
    if let prefix {
      target = target.dropping(1)
      if prefix == guards.written {
        guards.given.append(prefix)
      } else {
        guards.prefix = guards.prefix?.intersection(prefix) ?? prefix
      }
    }
    if !routes.pathGuards.isEmpty {
      // A resource has one name here, whichever way the client spells it.
      let path = RequestTarget.encoded(
        database.withStoredID(target.segments).map { database.resource(meantBy: $0)?.name ?? $0 })
      guards.given += routes.pathGuards.filter { $0.covers(path) }.map(\.digits)
    }
    return context.with(nil, prefix == nil ? nil : target, guards: guards)
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
  /// - Parameters:
  ///   - path: The guards of the request's path.
  ///   - isAtPath: Whether the path leads to the resource, so that the guards that the routes file gives the path replace
  ///     the default guard. They never replace the guard of the users.
  func `guard`(of resource: String, _ path: PathGuards = PathGuards(), isAtPath: Bool = false) -> Guard {
    let listed = routes.guards.filter { database.resource(meantBy: $0.key)?.name == resource }.values
    let own = listed + [guards[resource]].compactMap(\.self)
    let isUsers = resource == users.collection
    let hasDefault = own.isEmpty && (isUsers || !isAtPath || path.given.isEmpty)
    let others = isUsers ? .ownOnly : guards[Server.SignIn.others] ?? .signedIn
    let all = own + (hasDefault ? [others] : []) + path.given + [path.prefix].compactMap(\.self)
    return all.reduce(.open) { $0.intersection($1) }
  }

  // MARK: Users

  /// Returns the id of the user who sent a request; the user's record must exist.
  func user(of request: Request) throws(RequestError) -> String { try user(of: users.token(of: request)) }

  /// Returns the id of the user of an access token; the user's record must exist.
  func user(of token: String) throws(RequestError) -> String {
    do throws(Tokens.Refusal) {
      let holder = try Tokens.holder(of: token, now: now, in: state)
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
      for resource in resources where try users.isLimited(endpoint, resource, to: user) { owner = user }
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
      let needed = self.guard(of: resource.name, context.guards, isAtPath: resource.name == endpoint.resource)
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
    guard let name = endpoint.resource else {
      // The response comes from the OpenAPI document alone.
      return endpoint.call == nil ? database.resourceNames.map { ($0, 0, nil) } : []
    }
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
    let owner = context.isGuarded ? try owner(in: endpoint, context) : nil
    if let owner, let name = endpoint.resource {
      operation.endpoint = endpoint.limited(to: owner, by: users.ownerPath(in: name))
    }
    guard endpoint.isWrite else {
      // The links to other pages of a list keep the guard; the address of a new record has none, as in
      // json-server-auth.
      if let prefix = context.guards.prefix { operation.request.mount.path += "/" + prefix.digits }
      let showsUsers = endpoint.onlyResource == nil || endpoint.onlyResource == users.collection
      if showsUsers { operation.hiding = .passwordsOfData(of: users.collection) }
      if let owner, case .database = endpoint.target { operation.share = share(of: owner) }
      return
    }
    if endpoint.resource == users.collection {
      operation.endpoint = try users.checked(endpoint, isImport: context.pageIntent != nil)
      operation.hiding = .passwordsOfResult
    }
    if context.isGuarded { operation.rights = rights(to: endpoint, of: owner, context) }
  }

  /// The data that a user may read: where only owners may read, the user's own records.
  private func share(of owner: String) -> OwnedShare {
    var share = OwnedShare()
    for name in database.resourceNames {
      guard case .allowedToOwner = self.guard(of: name).decision(on: .read, isSignedIn: true) else { continue }
      if database.resource(meantBy: name)?.isCollection == true {
        var query = Query()
        query.criteria.owner = Query.Reference(users.ownerPath(in: name), owner)
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
      let reading = self.guard(of: name, context.guards, isAtPath: true).decision(on: .read, isSignedIn: true)
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
      let needed = self.guard(of: name, context.guards)
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
