import HTTPTypes
import JSONDatabase
import OrderedJSON

// simulate: delay · fault · hold · stub
//
// Rules of all servers that are for requests without an end, and always alike, are met as a server's own. The others are
// counted where all servers count them, before the request goes on.

extension Engine {
  /// Has a request meet what was prepared for it, and carries it out when that leaves it to the data.
  func simulate(_ context: RequestContext) {
    guard !context.isHidden else { return perform(context) }
    do throws(RequestError) {
      guard simulation.rules.isEmpty else { return findRule(.fault, for: context) { $0.delay(context, meeting: $1) } }
      delay(context, by: try delay(of: context)) { $0.perform($1) }
    } catch {
      finalize(context, error.response())
    }
  }

  /// Finds the rule of a kind that a request meets, and counts it; when that is impossible, the request is refused.
  ///
  /// - Parameters:
  ///   - rank: Rules up to this one are passed over.
  ///   - found: Called with the rule as it was before.
  private func findRule(
    _ kind: Rule.Kind, for context: RequestContext, after rank: Int = .min,
    _ found: @escaping @Sendable (isolated Engine, RuleTable.Entry?) -> Void
  ) {
    guard simulation.rules.lastID(of: kind) > 0,
      let met = simulation.rules.first(kind, for: context.matchable, after: rank)
    else { return found(self, nil) }
    guard met.origin == .shared else {
      simulation.rules.count(met)
      return found(self, met)
    }
    guard met.isCounted else { return found(self, met) }
    changeState {
      SharedRule.count(met.rule.kind, met.id, in: &$0)
    } then: { engine, result in
      switch result {
      case .success(let timesMet?):
        var met = met
        met.timesMet = timesMet
        found(engine, met)
      case .success(nil): engine.findRule(kind, for: context, after: rank, found)
      case .failure(let error): engine.finalize(context, error.response())
      }
    }
  }

  /// Delays a request, and responds as the fault has it that it meets.
  private func delay(_ context: RequestContext, meeting fault: RuleTable.Entry?) {
    do throws(RequestError) {
      let noted = fault.map { fault in context.noting { $0.fault = fault.id } } ?? context
      let wait = if let range = fault?.rule.delay { range.length(configuration.random) } else { try delay(of: noted) }
      delay(noted, by: wait) { engine, context in
        if let response = fault?.response { return engine.finalize(context, response) }
        guard !engine.isStopping else { return engine.stub(context) }
        engine.findRule(.hold, for: context) { $0.hold(context, in: $1) }
      }
    } catch {
      finalize(context, error.response())
    }
  }

  private func delay(
    _ context: RequestContext, by wait: Duration,
    _ goOn: @escaping @Sendable (isolated Engine, RequestContext) -> Void
  ) {
    guard wait > .zero, !isStopping else { return goOn(self, context) }
    schedule(after: wait) { goOn($0, context) }
  }

  /// Lets a request wait for its release, when there is a hold for it.
  private func hold(_ context: RequestContext, in hold: RuleTable.Entry?) {
    guard let id = hold?.id else { return stub(context) }
    let number = journal.nextID()
    let held = context.noting {
      $0.hold = id
      $0.exchangeID = number
    }
    simulation.held[number] = (id, held)
    journal.recordArrival(of: held, on: self)
    schedule(after: configuration.limits.holdTimeout) { engine in
      let seconds = JSONValue(rounding: engine.configuration.limits.holdTimeout / .seconds(1)).text()
      engine.endHold(
        of: number,
        "The request was held for \(seconds) seconds, and nobody released it; DELETE /__admin/holds/\(id) does, in time."
      )
    }
    held.progress(
      .held { self.execute { $0.endHold(of: number, "The client went away while its request was held.") } })
  }

  /// Ends the wait of a request that nobody has released.
  private func endHold(of number: Int, _ reason: String) {
    guard let context = simulation.held.removeValue(forKey: number)?.context else { return }
    finalize(context, RequestError(.unavailable, reason).response())
  }

  /// Responds as the next stub has it that a request matches, and carries the request out when there is none.
  private func stub(_ context: RequestContext, after rank: Int = .min) {
    findRule(.stub, for: context, after: rank) { engine, stub in
      guard let stub else { return engine.perform(context) }
      let wait = stub.rule.delay?.length(engine.configuration.random) ?? .zero
      engine.delay(context, by: wait) { engine, context in
        if let response = stub.response { return engine.finalize(context.noting { $0.stub = stub.id }, response) }
        if case .handler(let handler) = stub.rule.effect { engine.run(handler, of: stub, context) }
      }
    }
  }

  private func run(_ handler: @escaping Stub.Handler, of stub: RuleTable.Entry, _ context: RequestContext) {
    keep { engine in
      do {
        guard var response = try await handler(context.original) else { return engine.stub(context, after: stub.rank) }
        if !response.headerFields.contains(.cacheControl) { response.headerFields[.cacheControl] = "no-cache" }
        try Rule.check(status: response.status)
        engine.finalize(context.noting { $0.stub = stub.id }, PreparedResponse(response))
      } catch {
        let failure = RequestError(.failed, "The stub failed: \(error)").response()
        engine.finalize(context.noting { $0.stub = stub.id }, failure)
      }
    }
  }

  // MARK: The rules

  /// Adds a rule, for all servers that share the data unless it is a hold or has a closure; passes on its id.
  func addRule(_ rule: Rule, _ completion: @escaping Completion<Int>) {
    guard isShared, let value = SharedRule.value(of: rule) else {
      return completion(self, .success(simulation.rules.add(rule)))
    }
    let last = simulation.rules.lastID(of: rule.kind)
    changeState({ SharedRule.add(value, rule.kind, after: last, to: &$0) }, then: completion)
  }

  /// Removes a rule, or all of a kind; passes on whether there was one.
  ///
  /// - Parameter response: What the requests get that wait in a hold; `nil` lets them go on as if they had not waited.
  func removeRules(
    _ kind: Rule.Kind, _ id: Int? = nil, failingWith response: PreparedResponse? = nil,
    _ completion: @escaping Completion<Bool>
  ) {
    let isShared = isShared && kind.isShared
    let isForAll = id == nil && isShared
    // The server's own ones stay when those of all servers do.
    let isOwn = !isForAll && simulation.rules.removeOwn(kind, id)
    if kind == .hold, isOwn { release(from: id, failingWith: response) }
    guard isShared, !isOwn else { return completion(self, .success(isOwn)) }
    changeState {
      SharedRule.remove(kind, id, from: &$0)
    } then: { engine, result in
      let wasOwn = if case .success = result, isForAll { engine.simulation.rules.removeOwn(kind, nil) } else { false }
      completion(engine, result.map { $0 || wasOwn })
    }
  }

  /// Goes on when the rules of a kind, and their counts, are those of all servers.
  func readRules(_ kind: Rule.Kind, _ completion: @escaping Completion<Void>) {
    guard kind.isShared else { return completion(self, .success(())) }
    writes.whenCurrent(on: self) { engine, failure in
      completion(engine, failure.map { .failure(RequestError($0)) } ?? .success(()))
    }
  }

  /// Takes over the rules that all servers have.
  func useSharedRules() {
    var rules: [(Rule, SharedRule.Count)] = []
    for (name, value) in writes.state[.rule] {
      let count = SharedRule.Count(writes.state, name)
      do throws(RequestError) {
        rules.append((try SharedRule.rule(count.kind, value), count))
      } catch {
        configuration.onEvent(
          .warning("The \(count.kind.rawValue) \(count.id) of the database cannot be used: \(error.message)"))
      }
    }
    simulation.rules.replaceShared(with: rules.sorted { $0.1.id < $1.1.id })
  }

  /// Lets the requests that wait in a hold, or in any, go on or fail, in the order in which they came.
  private func release(from id: Int?, failingWith response: PreparedResponse?) {
    let numbers = simulation.held.filter { id == nil || $0.value.hold == id }.keys.sorted()
    for context in numbers.compactMap({ simulation.held.removeValue(forKey: $0)?.context }) {
      if let response { finalize(context, response) } else { stub(context) }
    }
  }

  /// The response to a request that is held and fails.
  static func heldResponse(_ status: HTTPResponse.Status) -> PreparedResponse {
    let status = status.withPhrase
    guard status.code >= 400 else { return PreparedResponse(status: status) }
    return .error(status, "This answer was asked for when the request was held; see /__admin/holds.")
  }

  /// A rule as it is listed, a hold with the numbers that the requests waiting in it have in the journal.
  func value(of entry: RuleTable.Entry) -> JSONValue {
    var members = entry.rule.members(id: entry.id, timesLeft: entry.timesLeft)
    if entry.rule.kind == .hold {
      let numbers = simulation.held.filter { $0.value.hold == entry.id }.keys.sorted()
      members["requests"] = .array(numbers.map { .number(JSONNumber($0)) })
    }
    return .object(members)
  }
}
