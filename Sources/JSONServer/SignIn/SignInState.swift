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
  private let table: SignInTable
  /// Makes tokens; the valid ones are in the server's state.
  private let tokens: Tokens

  /// - Returns: `nil` for a server without sign-in.
  init?(_ configuration: Server.Configuration) {
    guard let signIn = configuration.signIn else { return nil }
    users = signIn.users
    guards = signIn.guards
    // An invalid table was refused at the start.
    table = (try? signIn.table()) ?? SignInTable(rows: [])
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
    let users = Users(collection: users, database: base, table: table)
    return ids.reduce(into: [:]) { owners, id in
      owners[id] = (try? base.record(id, in: name)).flatMap { users.owner(of: $0, in: name) }
    }
  }

  /// The users in the current data.
  func currentUsers(on engine: isolated Engine) -> Users {
    var database = engine.writes.database
    database.clockOffset = engine.settings.clockOffset
    return Users(collection: users, database: database, table: table)
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
    try whenKnown(try? currentUsers(on: engine).token(of: context.request), context, on: engine) {
      engine throws(RequestError) in
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
    switch route.row.action {
    case .register, .login: try performNow(route, context, on: engine)
    case .refresh, .logout:
      let token = route.refreshToken ?? (try? currentUsers(on: engine).token(of: context.request))
      try whenKnown(token, context, on: engine) { engine throws(RequestError) in
        try engine.signIn?.performNow(route, context, on: engine)
      }
    }
  }

  /// Carries a request out, or refuses it as its row says.
  private func performNow(
    _ route: SignInRoute, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    do throws(RequestError) {
      try perform(route, context, on: engine)
    } catch {
      guard [.malformed, .unauthorized].contains(error.code),
        let refusal = route.row.refusal(of: route.body, with: error)
      else { throw error }
      engine.finalize(context, refusal)
    }
  }

  private func perform(
    _ route: SignInRoute, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    var response: PreparedResponse
    let users = currentUsers(on: engine)
    switch route.row.action {
    case .register: return try register(route, context, on: engine)
    case .login: return try logIn(route, context, users, on: engine)
    case .refresh:
      guard let token = route.refreshToken else { throw RequestError(.unauthorized, "Missing refresh token") }
      let now = engine.now
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
      response = route.row.response(filledFrom: Self.values(pair, nil, route.body))
    case .logout:
      try engine.changeStateNow { state throws(RequestError) in
        if let token = route.refreshToken, Tokens.revoke(token, in: &state) { return }
        guard Tokens.revoke(try users.token(of: context.request), in: &state) else {
          throw RequestError(Tokens.Refusal.unknown)
        }
      }
      response = route.row.response(filledFrom: Self.values(nil, nil, route.body))
      for cookie in table.cookies {
        response.headerFields.append(HTTPField(name: .setCookie, value: "\(cookie)=; Path=/; Max-Age=0"))
      }
    }
    send(response, to: route, context, on: engine)
  }

  /// Signs a user in; the response with a large record is made on another thread.
  private func logIn(
    _ route: SignInRoute, _ context: RequestContext, _ users: Users, on engine: isolated Engine
  ) throws(RequestError) {
    let (id, user) = try users.user(with: try Credentials(route.body?.json, names: route.row.members))
    let pair = issueTokens(to: user, id: id, by: route, on: engine)
    guard user.count > RequestBody.largestQuick else {
      let response = route.row.response(filledFrom: Self.values(pair, user, route.body))
      return send(response, to: route, context, showing: self.users, on: engine)
    }
    let retractions = engine.writes.retractions
    try engine.calculate(for: context, isFixed: false) { _ in
      route.row.response(filledFrom: Self.values(pair, user, route.body))
    } then: { engine, response in
      // The user or the tokens may have been rolled back.
      let areVoid = pair.map { engine.writes.state[.token, $0.access] == nil } ?? false
      if areVoid || retractions != engine.writes.retractions { return engine.carryOut(.signIn(route), context) }
      engine.signIn?.send(response, to: route, context, showing: engine.signIn?.users, on: engine)
    }
  }

  /// Sends a response when the tokens, and the user that it shows, are saved.
  ///
  /// - Parameter users: The collection of a user in the response; `nil` when it shows none.
  private func send(
    _ response: PreparedResponse, to route: SignInRoute, _ context: RequestContext, showing users: String? = nil,
    on engine: isolated Engine
  ) {
    let pending = PendingResponse(requester: Requester(context, .signIn(route)), response: response)
    engine.writes.respondWhenStateSaved(pending, showing: users, on: engine)
  }

  private func register(
    _ route: SignInRoute, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    let requester = Requester(context, .signIn(route))
    guard try engine.beginOrQueue("POST", for: requester) else { return }
    let base = currentUsers(on: engine)
    let (written, changed) = try base.register(route.body, by: route.row, ids: engine.writes.ids)
    engine.writes.take(changed)
    let pair = issueTokens(to: written.text, id: written.id, by: route, on: engine)
    var response = route.row.response(filledFrom: Self.values(pair, written.text, route.body))
    let path = [users, written.id].map { "/" + PercentEncoding.encodeSegment($0) }.joined()
    response.headerFields[.location] = context.request.base + path
    let change = DataChange.created(users, written.removing(DataOperation.hiddenName))
    engine.writes.enqueueCommit(
      PendingResponse(requester: requester, response: response, change: change), since: base.database, on: engine)
  }

  /// Gives tokens to a user who registers or signs in, if the response shows them.
  private func issueTokens(
    to user: ValidJSON, id: String, by route: SignInRoute, on engine: isolated Engine
  ) -> Tokens.Pair? {
    guard route.row.givesTokens else { return nil }
    let (holder, now) = (currentUsers(on: engine).holder(id: id, of: user), engine.now)
    return engine.changeStateNow { tokens.issue(to: holder, now: now, in: &$0) }
  }

  /// The values of the words in the shape of a response.
  private static func values(
    _ pair: Tokens.Pair?, _ user: ValidJSON?, _ body: WrittenBody?
  ) -> (String) -> JSONValue? {
    { name in
      switch name {
      case "token": pair.map { .string($0.access) }
      case "refreshToken": pair.map { .string($0.refresh) }
      case "expiresIn": pair.map { .number(JSONNumber($0.lifetime)) }
      case "user": user.map { JSONValue($0.removing(DataOperation.hiddenName)) }
      case "body": body.map { JSONValue($0.json.removing(DataOperation.hiddenName)) }
      default: nil
      }
    }
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
      let before = base.map { Users(collection: self.users, database: $0, table: table) }
      engine.writes.voidTokens { holder in
        !users.isHolder(holder) || before.map { $0.name(of: holder.user) != users.name(of: holder.user) } ?? false
      }
    }
    engine.events.endVoidWatches(on: engine)
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
    _ = try table()
    let names = database.resourceNames.joined(separator: ", ")
    guard case .collection? = database.resource(named: users) else {
      throw ServerError(
        .invalidConfiguration,
        "Server.SignIn.users: no collection is named '\(users)'; there are \(names). Add \"\(users)\": [].")
    }
    for name in guards.keys.sorted() where name != Self.others && database.resource(named: name) == nil {
      throw ServerError(
        .invalidConfiguration, "Server.SignIn.guards: no resource is named '\(name)'; there are \(names).")
    }
    try database.checkNames(of: listed)
  }

  /// The name in ``guards`` of all resources without a guard of their own, except the users.
  static let others = "*"

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
