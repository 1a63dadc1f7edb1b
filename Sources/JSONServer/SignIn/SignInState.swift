import HTTPTypes
import JSONDatabase
import JSONServerValues

/// The step that lets only those in who may: who has signed in to a server.
///
/// It belongs to one engine.
final class SignInState {
  /// The name of the users' collection.
  let users: String
  private let guards: [String: Guard]
  /// Makes tokens; those that were given are in the server's state.
  private let tokens: Tokens

  /// The member of users that no response shows.
  static let hiddenName = "password"

  /// - Returns: `nil` when nobody has to sign in.
  init?(_ configuration: Server.Configuration) {
    guard let signIn = configuration.signIn else { return nil }
    users = signIn.users
    guards = signIn.guards
    tokens = Tokens(lifetime: signIn.tokenLifetime, random: configuration.random)
  }

  /// Who may do what now.
  func authorization(on engine: isolated Engine) -> Authorization {
    Authorization(currentUsers(on: engine), guards: guards, listed: engine.policies.guards, engine.writes.state)
  }

  private func currentUsers(on engine: isolated Engine) -> Users {
    Users(collection: users, database: engine.writes.database, isShared: engine.isShared)
  }

  /// Refuses what a request may not have, and hands it on otherwise.
  ///
  /// The request waits when this server does not know its token, which another one may have just given.
  ///
  /// - Throws: 401 and 403.
  func authorize(
    _ context: RequestContext, on engine: isolated Engine,
    then goOn: @escaping @Sendable (isolated Engine, RequestContext) -> Void
  ) throws(RequestError) {
    if context.isHidden {
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

  /// Goes on when it is known whether a token is valid: where servers share tokens and a read may be of an older version,
  /// another one may just have given it.
  private func whenKnown(
    _ token: @autoclosure () -> String?, _ context: RequestContext, on engine: isolated Engine,
    then goOn: @escaping @Sendable (isolated Engine) throws(RequestError) -> Void
  ) throws(RequestError) {
    guard engine.isShared, engine.configuration.reads == .local, let token = token(),
      engine.writes.state[.token, token] == nil
    else { return try goOn(engine) }
    engine.writes.whenCurrent(on: engine) { engine, failure in
      do throws(RequestError) {
        if let failure { throw RequestError(failure) }
        try goOn(engine)
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }

  /// Responds to who registers, signs in or out, or asks for new tokens.
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
      let users = currentUsers(on: engine)
      let pair = try engine.changeState { state throws(RequestError) in
        do throws(Tokens.Refusal) {
          guard users.isHolder(try Tokens.holder(of: token, isRefresh: true, in: state)) else { throw .unknown }
          return try tokens.renew(token, in: &state)
        } catch {
          throw RequestError(error)
        }
      }
      response = .json(.object(pair.members))
    case .signOut(let refreshToken):
      try engine.changeState { state throws(RequestError) in
        if let refreshToken, Tokens.revoke(refreshToken, in: &state) { return }
        guard Tokens.revoke(try Self.bearerToken(context.request), in: &state) else {
          throw RequestError(Tokens.Refusal.unknown)
        }
      }
      response = PreparedResponse(status: .noContent)
    }
    // What is begun again, as when the users are taken back that a response shows, must not find its token void.
    guard engine.isShared || showsUser else { return engine.finalize(context, response) }
    let pending = PendingResponse(requester: .client(context, .signIn(route)), response: response)
    engine.writes.respondWhenShared(pending, showing: users, on: engine)
  }

  private func register(
    _ body: WrittenBody?, _ context: RequestContext, on engine: isolated Engine
  ) throws(RequestError) {
    let requester = Requester.client(context, .signIn(.register(body)))
    guard try engine.mayBegin("POST", for: requester) else { return }
    let base = currentUsers(on: engine)
    let (written, changed) = try base.register(body, ids: engine.writes.ids)
    engine.writes.take(changed)
    let members = issueTokens(to: written.text, id: written.id, on: engine)
    var response = PreparedResponse.json(.object(members), status: .created)
    let path = [users, written.id].map { "/" + PercentEncoding.encodeSegment($0) }.joined()
    response.headerFields[.location] = context.request.base + path
    let change = DataChange.created(users, written.removing(Self.hiddenName))
    engine.writes.enqueueCommit(
      PendingResponse(requester: requester, response: response, change: change), since: base.database, on: engine)
  }

  /// Gives a user tokens.
  ///
  /// - Returns: The members of the response: the tokens, and the user's record beside them.
  private func issueTokens(to user: ValidJSON, id: String, on engine: isolated Engine) -> JSONObject {
    let holder = currentUsers(on: engine).holder(id: id, of: user)
    var members = engine.changeState { tokens.issue(to: holder, in: &$0) }.members
    members["user"] = JSONValue(user.removing(Self.hiddenName))
    return members
  }

  /// Voids the tokens of users whom a change has deleted.
  func forgetDeletedUsers(by change: DataChange?, on engine: isolated Engine) {
    switch change {
    case .deleted(let name, _, let dependents)?, .deletedMany(let name, _, let dependents)?:
      if name == users || dependents[users] != nil { forgetUsers(on: engine) }
    case .created?, .updated?, .updatedMany?, .reloaded?, .replaced?, nil: break
    }
  }

  /// Voids the tokens of users who are gone, before another gets the id of one; where servers share the data, tokens tell
  /// those by themselves.
  func forgetUsers(on engine: isolated Engine) {
    if !engine.isShared {
      let users = currentUsers(on: engine)
      engine.changeState { Tokens.revoke(in: &$0) { !users.isHolder($0) } }
    }
    engine.events.endVoidWatches(on: engine)
  }

  /// The token that a request brings (RFC 6750, section 2.1).
  ///
  /// - Throws: 401, when there is none.
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
  /// Creates the refusal of a token, in the words of jsonwebtoken, which json-server-auth passes on.
  init(_ refusal: Tokens.Refusal) {
    switch refusal {
    case .malformed: self.init(.unauthorized, "jwt malformed")
    case .unknown: self.init(.unauthorized, "invalid token")
    case .expired: self.init(.unauthorized, "jwt expired")
    }
  }
}

extension Server.SignIn {
  /// Refuses what the data or the clock has no place for.
  ///
  /// - Throws: ``ServerError`` that begins with the member at fault, for which the command names its option.
  func check(_ database: Database) throws(ServerError) {
    let names = database.resourceNames.joined(separator: ", ")
    guard case .collection? = database.resource(named: users) else {
      throw ServerError(
        .invalidConfiguration,
        "signIn.users: no collection is named '\(users)'; there are \(names). Add \"\(users)\": [].")
    }
    for name in guards.keys.sorted() where database.resource(named: name) == nil {
      throw ServerError(
        .invalidConfiguration, "signIn.guards: no resource is named '\(name)'; there are \(names).")
    }
    guard tokenLifetime > .zero, tokenLifetime <= .seconds(Self.longestLifetime) else {
      throw ServerError(
        .invalidConfiguration,
        "signIn.tokenLifetime: choose from 1 to \(Self.longestLifetime) seconds, which is a year.")
    }
  }

  package static let longestLifetime = 31_536_000
}
