import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// The sign-in of a server: gives tokens, and refuses requests without the rights that they need.
///
/// It belongs to one engine.
final class SignInState {
  /// The name of the users' collection.
  let users: String
  private let guards: [String: Guard]
  /// Makes tokens; the valid ones are in the server's state.
  private let tokens: Tokens

  /// - Returns: `nil` for a server without sign-in.
  init?(_ configuration: Server.Configuration) {
    guard let signIn = configuration.signIn else { return nil }
    users = signIn.users
    guards = signIn.guards
    tokens = Tokens(lifetime: signIn.tokenLifetime, random: configuration.random)
  }

  /// The current rights.
  func authorization(on engine: isolated Engine) -> Authorization {
    Authorization(
      currentUsers(on: engine), guards: guards, engine.routes, engine.writes.state, engine.configuration.contract,
      now: engine.now)
  }

  /// The owners of the records that a change deletes, by their ids.
  ///
  /// - Parameter base: The data before the change.
  func ownersOfDeleted(_ change: DataChange?, in base: Database) -> [String: String] {
    guard case .deleted(let name, let ids, _)? = change, ids.count <= EventFeed.maximumChanges else { return [:] }
    let users = Users(collection: users, database: base)
    return ids.reduce(into: [:]) { owners, id in
      owners[id] = (try? base.record(id, in: name)).flatMap { users.owner(of: $0, in: name) }
    }
  }

  private func currentUsers(on engine: isolated Engine) -> Users {
    var database = engine.writes.database
    database.clockOffset = engine.settings.clockOffset
    return Users(collection: users, database: database)
  }

  /// Refuses a request without the necessary rights, and passes on all others.
  ///
  /// When this server does not know the token, the request waits for the latest changes of other servers, which may
  /// have given it.
  ///
  /// - Throws: 401 and 403.
  func authorize(
    _ context: RequestContext, on engine: isolated Engine,
    then goOn: @escaping @Sendable (isolated Engine, RequestContext) -> Void
  ) throws(RequestError) {
    if !context.isGuarded {
      guard CrossOriginPolicy.isOwn(context.original) else {
        throw RequestError(.forbidden, "X-JSON-Server-Page is for the server's own page; leave it out, and sign in.")
      }
      return goOn(engine, context)
    }
    try whenKnown(try? Self.bearerToken(context.request), context, on: engine) { engine throws(RequestError) in
      let hasResetRoutes = engine.configuration.hasResetRoutes
      goOn(engine, try engine.authorization?.authorize(context, hasResetRoutes: hasResetRoutes) ?? context)
    }
  }

  /// Continues when the validity of a token is known. Where servers share tokens, another server may just have given
  /// the token.
  private func whenKnown(
    _ token: @autoclosure () -> String?, _ context: RequestContext, on engine: isolated Engine,
    then goOn: @escaping @Sendable (isolated Engine) throws(RequestError) -> Void
  ) throws(RequestError) {
    guard engine.configuration.reads == .local, let token = token(),
      engine.writes.state[.token, token] == nil
    else { return try goOn(engine) }
    engine.writes.readIndex.whenCurrent(on: engine) { engine, failure in
      do throws(RequestError) {
        if let failure { throw RequestError(failure) }
        try goOn(engine)
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }

  /// Responds to registering, signing in or out, and requests for new tokens.
  func respond(to route: SignInRoute, _ context: RequestContext, on engine: isolated Engine) throws(RequestError) {
    switch route {
    case .register, .signIn: try performNow(route, context, on: engine)
    case .refresh(let token), .signOut(let token):
      try whenKnown(token ?? (try? Self.bearerToken(context.request)), context, on: engine) {
        engine throws(RequestError) in
        try engine.signIn?.performNow(route, context, on: engine)
      }
    }
  }

  private func performNow(
    _ route: SignInRoute, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    let response: PreparedResponse
    var showsUser = false
    switch route {
    case .register(let body): return try register(body, context, on: engine)
    case .signIn(let body):
      let (id, user) = try currentUsers(on: engine).user(with: try Credentials(body?.json))
      response = .json(.object(issueTokens(to: user, id: id, on: engine)))
      showsUser = true
    case .refresh(let token):
      guard let token else { throw RequestError(.unauthorized, "Missing refresh token") }
      let (users, now) = (currentUsers(on: engine), engine.now)
      let pair = try engine.changeStateNow { state throws(RequestError) in
        do throws(Tokens.Refusal) {
          guard users.isHolder(try Tokens.holder(of: token, isRefresh: true, now: now, in: state)) else {
            throw .unknown
          }
          return try tokens.renew(token, now: now, in: &state)
        } catch {
          throw RequestError(error)
        }
      }
      response = .json(.object(pair.members))
    case .signOut(let refreshToken):
      try engine.changeStateNow { state throws(RequestError) in
        if let refreshToken, Tokens.revoke(refreshToken, in: &state) { return }
        guard Tokens.revoke(try Self.bearerToken(context.request), in: &state) else {
          throw RequestError(Tokens.Refusal.unknown)
        }
      }
      response = PreparedResponse(status: .noContent)
    }
    let pending = PendingResponse(requester: Requester(context, .signIn(route)), response: response)
    engine.writes.respondWhenStateSaved(pending, showing: showsUser ? users : nil, on: engine)
  }

  private func register(
    _ body: WrittenBody?, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    let requester = Requester(context, .signIn(.register(body)))
    guard try engine.beginOrQueue("POST", for: requester) else { return }
    let base = currentUsers(on: engine)
    let (written, changed) = try base.register(body, ids: engine.writes.ids)
    engine.writes.take(changed)
    let members = issueTokens(to: written.text, id: written.id, on: engine)
    var response = PreparedResponse.json(.object(members), status: .created)
    let path = [users, written.id].map { "/" + PercentEncoding.encodeSegment($0) }.joined()
    response.headerFields[.location] = context.request.base + path
    let change = DataChange.created(users, written.removing(DataOperation.hiddenName))
    engine.writes.enqueueCommit(
      PendingResponse(requester: requester, response: response, change: change), since: base.database, on: engine)
  }

  /// Gives tokens to a user.
  ///
  /// - Returns: The members of the response: the tokens and the user's record.
  private func issueTokens(to user: ValidJSON, id: String, on engine: isolated Engine) -> JSONObject {
    let holder = currentUsers(on: engine).holder(id: id, of: user)
    let now = engine.now
    var members = engine.changeStateNow { tokens.issue(to: holder, now: now, in: &$0) }.members
    members["user"] = JSONValue(user.removing(DataOperation.hiddenName))
    return members
  }

  /// Voids the tokens of the users that a change has deleted.
  func forgetDeletedUsers(by change: DataChange?, on engine: isolated Engine) {
    switch change {
    case .deleted(let name, _, let dependents)?:
      if name == users || dependents[users] != nil { forgetUsers(on: engine) }
    case .created?, .updated?, .reloaded?, .replaced?, nil: break
    }
  }

  /// Voids the tokens of missing users, before another user gets one of their ids. Where records keep their slots, tokens
  /// themselves tell these users apart.
  ///
  /// - Parameter base: The data before other data took its place, where another user may have an id; then the name decides.
  func forgetUsers(replacing base: Database? = nil, on engine: isolated Engine) {
    let users = currentUsers(on: engine)
    if !users.database.schema.keepsSlots {
      let before = base.map { Users(collection: self.users, database: $0) }
      engine.writes.voidTokens { holder in
        !users.isHolder(holder) || before.map { $0.name(of: holder.user) != users.name(of: holder.user) } ?? false
      }
    }
    engine.events.endVoidWatches(on: engine)
  }

  /// The token of a request (RFC 6750, section 2.1).
  ///
  /// - Throws: 401 without a token.
  static func bearerToken(_ request: Request) throws(RequestError) -> String {
    guard let field = request.headerFields.first(.authorization) else {
      throw RequestError(.unauthorized, "Missing authorization header")
    }
    let parts = field.split(separator: " ")
    guard parts.first?.lowercased() == "bearer" else {
      throw RequestError(.unauthorized, "Incorrect authorization scheme")
    }
    guard parts.count > 1 else { throw RequestError(.unauthorized, "Missing token") }
    return String(parts[1])
  }
}

extension RequestError {
  /// Creates the refusal of a token.
  init(_ refusal: Tokens.Refusal) { self.init(.unauthorized, refusal.rawValue) }
}

extension Server.SignIn {
  /// Refuses a configuration that does not fit the data.
  ///
  /// - Parameter listed: The guards of the routes file.
  /// - Throws: ``ServerError`` that names the invalid member or guard.
  func check(_ database: Database, listed: [String: Guard]) throws(ServerError) {
    let names = database.resourceNames.joined(separator: ", ")
    guard case .collection? = database.resource(named: users) else {
      throw ServerError(
        .invalidConfiguration,
        "Server.SignIn.users: no collection is named '\(users)'; there are \(names). Add \"\(users)\": [].")
    }
    for name in guards.keys.sorted() where database.resource(named: name) == nil {
      throw ServerError(
        .invalidConfiguration, "Server.SignIn.guards: no resource is named '\(name)'; there are \(names).")
    }
    try database.checkNames(of: listed)
  }

  static let longestLifetime = Duration.seconds(31_536_000)
}

extension Database {
  /// - Parameter guards: The guards of a routes file.
  /// - Throws: ``ServerError`` that names the first guard of an unknown resource.
  func checkNames(of guards: [String: Guard]) throws(ServerError) {
    guard let name = guards.keys.filter({ resource(meantBy: $0) == nil }).min() else { return }
    throw ServerError(
      .invalidConfiguration, "The guard '\(name)' in the routes cannot be used. \(unknownResourceMessage(name))")
  }
}
