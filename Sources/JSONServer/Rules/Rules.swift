import HTTPTypes
import JSONDatabase
import OrderedJSON

/// Has requests meet what was prepared for them, and carries them out when that leaves them to the data.
///
/// A request meets, in this order, the delay or a fault, a hold and a stub. The rules belong to one engine, run on its loop,
/// and have that engine respond.
///
/// Rules of all servers that are for requests without an end, and always alike, are met as a server's own. The others are
/// counted where all servers count them, before the request goes on.
final class Rules {
  /// The stubs with which a session begins.
  private(set) var startStubs: RuleTable
  private var table: RuleTable
  /// The requests that wait in holds, by the numbers that they have in the journal.
  private var held: [Int: (hold: Int, context: RequestContext)] = [:]

  init(startingWith stubs: RuleTable) {
    startStubs = stubs
    table = stubs
  }

  /// Has a request that is not hidden meet the rules.
  func simulate(_ context: RequestContext, on engine: isolated Engine) {
    do throws(RequestError) {
      guard table.isEmpty else {
        return find(.fault, for: context, on: engine) { $0.rules.delay(context, meeting: $1, on: $0) }
      }
      delay(context, by: try engine.settings.delay(of: context), on: engine) { $0.perform($1) }
    } catch {
      engine.finalize(context, error.response())
    }
  }

  /// Finds the rule of a kind that a request meets, and counts it; when that is impossible, the request is refused.
  ///
  /// - Parameters:
  ///   - rank: Rules up to this one are passed over.
  ///   - found: Called with the rule as it was before.
  private func find(
    _ kind: Rule.Kind, for context: RequestContext, after rank: Int = .min, on engine: isolated Engine,
    _ found: @escaping @Sendable (isolated Engine, RuleTable.Entry?) -> Void
  ) {
    guard table.lastID(of: kind) > 0, let met = table.first(kind, for: context.matchable, after: rank) else {
      return found(engine, nil)
    }
    guard met.origin == .shared else {
      table.count(met)
      return found(engine, met)
    }
    guard met.isCounted else { return found(engine, met) }
    engine.changeState {
      SharedRule.count(met.rule.kind, met.id, in: &$0)
    } then: { engine, result in
      switch result {
      case .success(let timesMet?):
        var met = met
        met.timesMet = timesMet
        found(engine, met)
      case .success(nil): engine.rules.find(kind, for: context, after: rank, on: engine, found)
      case .failure(let error): engine.finalize(context, error.response())
      }
    }
  }

  /// Delays a request, and responds as the fault has it that it meets.
  private func delay(_ context: RequestContext, meeting fault: RuleTable.Entry?, on engine: isolated Engine) {
    do throws(RequestError) {
      let noted = fault.map { fault in context.noting { $0.fault = fault.id } } ?? context
      let chosen = fault?.rule.delay?.length(engine.configuration.random)
      let wait = if let chosen { chosen } else { try engine.settings.delay(of: noted) }
      delay(noted, by: wait, on: engine) { engine, context in
        if let response = fault?.response { return engine.finalize(context, response) }
        guard !engine.isStopping else { return engine.rules.stub(context, on: engine) }
        engine.rules.find(.hold, for: context, on: engine) { $0.rules.hold(context, in: $1, on: $0) }
      }
    } catch {
      engine.finalize(context, error.response())
    }
  }

  private func delay(
    _ context: RequestContext, by wait: Duration, on engine: isolated Engine,
    _ goOn: @escaping @Sendable (isolated Engine, RequestContext) -> Void
  ) {
    guard wait > .zero, !engine.isStopping else { return goOn(engine, context) }
    engine.schedule(after: wait) { goOn($0, context) }
  }

  /// Lets a request wait for its release, when there is a hold for it.
  private func hold(_ context: RequestContext, in hold: RuleTable.Entry?, on engine: isolated Engine) {
    guard let id = hold?.id else { return stub(context, on: engine) }
    let number = engine.journal.nextID()
    let waiting = context.noting {
      $0.hold = id
      $0.exchangeID = number
    }
    held[number] = (id, waiting)
    engine.journal.recordArrival(of: waiting, on: engine)
    engine.schedule(after: engine.configuration.limits.holdTimeout) { engine in
      let seconds = JSONValue(rounding: engine.configuration.limits.holdTimeout / .seconds(1)).text()
      engine.rules.endHold(
        of: number,
        "The request was held for \(seconds) seconds, and nobody released it; DELETE /__admin/holds/\(id) does, in time.",
        on: engine)
    }
    waiting.progress(
      .held {
        engine.execute { $0.rules.endHold(of: number, "The client went away while its request was held.", on: $0) }
      })
  }

  /// Ends the wait of a request that nobody has released.
  private func endHold(of number: Int, _ reason: String, on engine: isolated Engine) {
    guard let context = held.removeValue(forKey: number)?.context else { return }
    engine.finalize(context, RequestError(.unavailable, reason).response())
  }

  /// Responds as the next stub has it that a request matches, and carries the request out when there is none.
  private func stub(_ context: RequestContext, after rank: Int = .min, on engine: isolated Engine) {
    find(.stub, for: context, after: rank, on: engine) { engine, stub in
      guard let stub else { return engine.perform(context) }
      let wait = stub.rule.delay?.length(engine.configuration.random) ?? .zero
      engine.rules.delay(context, by: wait, on: engine) { engine, context in
        if let response = stub.response { return engine.finalize(context.noting { $0.stub = stub.id }, response) }
        if case .handler(let handler) = stub.rule.effect { engine.rules.run(handler, of: stub, context, on: engine) }
      }
    }
  }

  private func run(
    _ handler: @escaping Stub.Handler, of stub: RuleTable.Entry, _ context: RequestContext, on engine: isolated Engine
  ) {
    engine.keep { engine in
      do {
        guard var response = try await handler(context.original) else {
          return engine.rules.stub(context, after: stub.rank, on: engine)
        }
        if !response.headerFields.contains(.cacheControl) { response.headerFields[.cacheControl] = "no-cache" }
        try Rule.check(status: response.status)
        engine.finalize(context.noting { $0.stub = stub.id }, PreparedResponse(response))
      } catch {
        let failure = RequestError(.failed, "The stub failed: \(error)").response()
        engine.finalize(context.noting { $0.stub = stub.id }, failure)
      }
    }
  }

  // MARK: Changes

  /// Adds a rule, for all servers that share the data unless it is a hold or has a closure; passes on its id.
  func add(_ rule: Rule, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Int>) {
    guard engine.isShared, let value = SharedRule.value(of: rule) else {
      return completion(engine, .success(table.add(rule)))
    }
    let last = table.lastID(of: rule.kind)
    engine.changeState({ SharedRule.add(value, rule.kind, after: last, to: &$0) }, then: completion)
  }

  /// Removes a rule, or all of a kind; passes on whether there was one.
  ///
  /// - Parameter status: What the requests fail with that wait in a hold; `nil` lets them go on as if they had not waited.
  func remove(
    _ kind: Rule.Kind, _ id: Int? = nil, failingWith status: HTTPResponse.Status? = nil, on engine: isolated Engine,
    _ completion: @escaping Engine.Completion<Bool>
  ) {
    let isShared = engine.isShared && kind.isShared
    let isForAll = id == nil && isShared
    // The server's own ones stay when those of all servers do.
    let isOwn = !isForAll && table.removeOwn(kind, id)
    if kind == .hold, isOwn { release(from: id, failingWith: status, on: engine) }
    guard isShared, !isOwn else { return completion(engine, .success(isOwn)) }
    engine.changeState {
      SharedRule.remove(kind, id, from: &$0)
    } then: { engine, result in
      let wasOwn = if case .success = result, isForAll { engine.rules.table.removeOwn(kind, nil) } else { false }
      completion(engine, result.map { $0 || wasOwn })
    }
  }

  /// Lets the requests that wait in a hold, or in any, go on or fail, in the order in which they came.
  private func release(from id: Int?, failingWith status: HTTPResponse.Status?, on engine: isolated Engine) {
    let response = status.map(Self.heldResponse)
    for context in numbers(in: id).compactMap({ held.removeValue(forKey: $0)?.context }) {
      if let response { engine.finalize(context, response) } else { stub(context, on: engine) }
    }
  }

  /// The numbers of the requests that wait in a hold, or in any, in the order in which they came.
  private func numbers(in id: Int?) -> [Int] { held.filter { id == nil || $0.value.hold == id }.keys.sorted() }

  /// The response to a request that is held and fails.
  private static func heldResponse(_ status: HTTPResponse.Status) -> PreparedResponse {
    let status = status.withPhrase
    guard status.code >= 400 else { return PreparedResponse(status: status) }
    return .error(status, "This answer was asked for when the request was held; see /__admin/holds.")
  }

  /// Takes the stubs of a file in the place of those that it had before.
  func replaceFile(with stubs: [Rule]) {
    startStubs.replaceFile(with: stubs)
    table.replaceFile(with: stubs)
  }

  /// Takes over what has changed of the rules that all servers have, and of their counts.
  ///
  /// - Parameter keys: What has changed of the state.
  func follow(_ keys: [ServerState.Key], on engine: isolated Engine) {
    let state = engine.writes.state
    guard keys.contains(where: { $0.kind == .rule }) else {
      for key in keys where key.kind == .count { table.count(SharedRule.Count(state, key.name)) }
      return
    }
    var shared: [(Rule, SharedRule.Count)] = []
    for (name, value) in state[.rule] {
      let count = SharedRule.Count(state, name)
      do throws(RequestError) {
        shared.append((try SharedRule.rule(count.kind, value), count))
      } catch {
        engine.configuration.onEvent(
          .warning("The \(count.kind.rawValue) \(count.id) of the database cannot be used: \(error.message)"))
      }
    }
    table.replaceShared(with: shared.sorted { $0.1.id < $1.1.id })
  }

  // MARK: Lists

  /// Goes on when the rules of a kind, and their counts, are those of all servers.
  func whenCurrent(_ kind: Rule.Kind, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Void>) {
    guard kind.isShared else { return completion(engine, .success(())) }
    engine.writes.whenCurrent(on: engine) { engine, failure in
      completion(engine, failure.map { .failure(RequestError($0)) } ?? .success(()))
    }
  }

  /// The rules of a kind as they are listed.
  func values(of kind: Rule.Kind) -> [JSONValue] { table.all(kind).map(value) }

  /// A rule as it is listed; `nil` when there is none of this id.
  func value(of kind: Rule.Kind, _ id: Int) -> JSONValue? { table[kind, id].map(value) }

  /// A rule as it is listed, a hold with the numbers that the requests waiting in it have in the journal.
  private func value(of entry: RuleTable.Entry) -> JSONValue {
    var members = entry.rule.members(id: entry.id, timesLeft: entry.timesLeft)
    if entry.rule.kind == .hold { members["requests"] = .array(numbers(in: entry.id).map { .number(JSONNumber($0)) }) }
    return .object(members)
  }

  /// How many requests a rule has met, whether it is still there or not.
  func timesMet(_ kind: Rule.Kind, _ id: Int) -> Int { table.timesMet(kind, id) }
}

extension Settings {
  /// The delay of all responses, or a request's own `_delay` in milliseconds, up to a minute.
  fileprivate func delay(of context: RequestContext) throws(RequestError) -> Duration {
    guard let milliseconds = try ListParameters.number("_delay", context.target.parameters) else { return delay }
    return .milliseconds(min(max(milliseconds, 0), 60_000))
  }
}
