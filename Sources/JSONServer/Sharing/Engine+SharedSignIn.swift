import JSONDatabase
import JSONStorage
import OrderedJSON

// A token is valid on all servers because it is in their database. A server looks it up once, and again after tokens may have
// become void.

extension Engine {
  /// Lets a request wait until it is known whether its token is void, if servers share tokens.
  ///
  /// - Returns: Whether it waits.
  func awaitToken(
    of context: RequestContext, _ signIn: SignInState, _ goOn: @escaping @Sendable (isolated Engine) -> Void
  ) -> Bool {
    guard let shared = writes.shared, let token = try? SignInState.bearerToken(context.request),
      !signIn.sharedTokens.isCurrent(token)
    else { return false }
    lookUp(token, in: shared) { engine, failure in
      if let failure { return engine.finalize(context, RequestError(failure).response()) }
      goOn(engine)
    }
    return true
  }

  private func lookUp(
    _ token: String, in shared: any SharedPersistence,
    _ completion: @escaping @Sendable (isolated Engine, StorageError?) -> Void
  ) {
    guard let era = signIn?.sharedTokens.era else { return }
    shared.token(token) { result in
      self.execute { engine in
        switch result {
        case .success(let found):
          guard engine.signIn?.sharedTokens.record(found, of: token, era: era) == true else {
            return engine.lookUp(token, in: shared, completion)
          }
          completion(engine, nil)
        case .failure(let error): completion(engine, error)
        }
      }
    }
  }

  /// Has tokens looked up again, and ends the streams of those that are void now.
  func forgetTokens(_ signIn: SignInState) {
    signIn.sharedTokens.expire()
    guard let shared = writes.shared else { return }
    for token in Set(signIn.watchers.values) {
      lookUp(token, in: shared) { engine, _ in engine.endVoidWatches() }
    }
  }

  /// Whether a user's record is the one that a token was given for: somebody else may have its id now, and its slot when it
  /// was the last.
  func isHolder(_ token: SharedToken, _ signIn: SignInState) -> Bool {
    let id = token.holder.user
    guard writes.database.slot(of: id, in: signIn.users) == token.slot,
      let user = try? writes.database.record(id, in: signIn.users)
    else { return false }
    return holder(id: id, of: user) == token.holder
  }

  // MARK: Routes

  /// Registers a user, who gets tokens when the record is saved.
  func register(
    _ body: WrittenBody?, _ context: RequestContext, in shared: any SharedPersistence
  ) throws(RequestError) {
    guard let signIn else { return }
    guard try mayBegin("POST", for: .client(context, .signIn(.register(body)))) else { return }
    let (written, response, change, base) = try createUser(body, signIn, context)
    let call = SwiftCall(
      perform: { engine, _ throws(RequestError) in try engine.register(body, context, in: shared) },
      completion: { error in
        self.execute { engine in
          if let error { return engine.finalize(context, error.response()) }
          engine.giveTokens(to: written.text, id: written.id, in: shared, response, context, isRegistered: true)
        }
      })
    writes.enqueueCommit(
      PendingResponse(requester: .code(call), response: response, change: change), since: base, on: self)
  }

  /// Gives a user tokens, and responds with them beside the user's record.
  ///
  /// - Parameter isRegistered: Whether the record was saved for this request.
  func giveTokens(
    to user: ValidJSON, id: String, in shared: any SharedPersistence, _ response: PreparedResponse,
    _ context: RequestContext, isRegistered: Bool = false
  ) {
    guard let signIn, let slot = writes.database.slot(of: id, in: signIn.users) else {
      return finalize(context, RequestError(Tokens.Refusal.unknown).response())
    }
    let now = System.now
    let holder = holder(id: id, of: user)
    let pair = signIn.tokens.pair(for: holder, now: now)
    shared.add(pair.shared(for: holder, slot: slot, origin: pair.refresh, now: now), now: now) { result in
      self.execute { engine in
        let result = result.mapError { error in
          guard isRegistered else { return RequestError(error) }
          return RequestError(.durabilityUnknown, "\(error.message) The user is registered: sign in.")
        }
        engine.finalize(context, result) { _ in
          engine.response(response, with: pair, to: user)
        }
      }
    }
  }

  /// Gives new tokens for a refresh token.
  func renew(_ token: String, in shared: any SharedPersistence, _ context: RequestContext) {
    shared.token(token) { result in
      self.execute { engine in
        do throws(RequestError) {
          try engine.renew(token, try result.mapError(RequestError.init).get(), in: shared, context)
        } catch {
          engine.finalize(context, error.response())
        }
      }
    }
  }

  private func renew(
    _ text: String, _ found: SharedToken?, in shared: any SharedPersistence, _ context: RequestContext
  ) throws(RequestError) {
    guard let signIn else { return }
    let now = System.now
    let pair: Tokens.Pair
    let tokens: [SharedToken]
    do throws(Tokens.Refusal) {
      let token = try SharedTokens.check(found, text, isRefresh: true, now: now)
      guard isHolder(token, signIn) else { throw .unknown }
      pair = signIn.tokens.pair(for: token.holder, now: now)
      tokens = pair.shared(for: token.holder, slot: token.slot, origin: token.origin, now: now)
    } catch {
      throw RequestError(error)
    }
    shared.renew(text, as: tokens, now: now) { result in
      self.execute { engine in
        engine.finalize(context, result.mapError(RequestError.init)) { wasValid in
          wasValid ? .json(.object(pair.members)) : RequestError(Tokens.Refusal.unknown).response()
        }
      }
    }
  }

  /// Voids all tokens of the sign-in that the first of some tokens goes back to that is not void yet.
  func signOut(_ tokens: [String], in shared: any SharedPersistence, _ context: RequestContext) {
    guard let token = tokens.first else {
      return finalize(context, RequestError(Tokens.Refusal.unknown).response())
    }
    change(.revoke(token: token), in: shared) { engine, result in
      switch result {
      case .success(0): engine.signOut(Array(tokens.dropFirst()), in: shared, context)
      case .success: engine.finalize(context, Self.signedOut)
      case .failure(let error): engine.finalize(context, error.response())
      }
    }
  }
}

extension Tokens.Pair {
  /// The tokens as servers share them.
  fileprivate func shared(for holder: Tokens.Holder, slot: Int, origin: String, now: Double) -> [SharedToken] {
    let tokens = [(access, false, Double(lifetime)), (refresh, true, Tokens.refreshLifetime)]
    return tokens.map { text, isRefresh, lifetime in
      SharedToken(
        text: text, isRefresh: isRefresh, origin: origin, holder: holder, slot: slot, end: now + lifetime)
    }
  }
}

/// What a server knows of the tokens in the database that it shares.
struct SharedTokens {
  private struct Entry {
    /// `nil` for a token that is void.
    let token: SharedToken?
    /// When it was looked up.
    let era: Int
  }

  private var entries: [String: Entry] = [:]
  /// Grows whenever tokens may have become void: what was looked up before says only how it was.
  private(set) var era = 0

  /// The most tokens that are known.
  private static let capacity = 10_000

  /// Whether it is known of a token whether it is void now.
  func isCurrent(_ token: String) -> Bool { entries[token]?.era == era }

  /// Records what was found out about a token.
  ///
  /// - Parameter era: ``era`` when it was asked for.
  /// - Returns: Whether that still holds.
  mutating func record(_ found: SharedToken?, of token: String, era: Int) -> Bool {
    guard era == self.era else { return false }
    if entries.count >= Self.capacity { entries = [:] }
    entries[token] = Entry(token: found, era: era)
    return true
  }

  /// Has all tokens looked up again by the requests that come from now on.
  mutating func expire() { era += 1 }

  /// Returns whom an access token stands for; for a request that goes on, that is as it was when the request came.
  ///
  /// - Parameter now: Seconds since 1970.
  func token(_ text: String, now: Double) throws(Tokens.Refusal) -> SharedToken {
    try Self.check(entries[text]?.token, text, isRefresh: false, now: now)
  }

  /// - Throws: Why a token is not accepted for something.
  static func check(
    _ found: SharedToken?, _ text: String, isRefresh: Bool, now: Double
  ) throws(Tokens.Refusal) -> SharedToken {
    guard let found, found.isRefresh == isRefresh else { throw Tokens.Refusal(unknown: text) }
    guard now < found.end else { throw .expired }
    return found
  }
}
