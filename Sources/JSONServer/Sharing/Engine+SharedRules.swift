import JSONStorage
import OrderedJSON

// Rules that are for requests without an end, and always alike, are met as a server's own. The others are counted where all
// servers count them, before the request goes on.

extension Engine {
  /// Takes over what servers share besides the data.
  func take(_ state: SharedState) {
    // What was read earlier may arrive later.
    guard state.version >= sharedVersion else { return }
    sharedVersion = state.version
    var faults: [RuleTable<Fault>.SharedRule] = []
    var stubs: [RuleTable<Stubs.Entry>.SharedRule] = []
    for rule in state.rules {
      do throws(RequestError) {
        switch rule.kind {
        case .fault:
          let (fault, matcher) = try rule.fault()
          faults.append((rule.id, matcher, rule.timesLeft, fault))
        case .stub:
          let (stub, matcher) = try rule.stub()
          stubs.append((rule.id, matcher, rule.timesLeft, Stubs.Entry(stub: stub)))
        }
      } catch {
        configuration.onEvent(
          .warning("The \(rule.kind.rawValue) \(rule.id) of the database cannot be used: \(error.message)"))
      }
    }
    simulation.faults.replaceShared(with: faults)
    // Of stubs, those that were added later come first.
    simulation.stubs.table.replaceShared(with: stubs.reversed())
    settings = Settings(configuration, changedBy: state.settings)
    if let signIn { forgetTokens(signIn) }
  }

  /// Changes what servers share.
  func change(
    _ change: SharedChange, in shared: any SharedPersistence,
    _ completion: @escaping Completion<Int>
  ) {
    shared.change(change) { result in
      self.execute { engine in
        if case .success(let outcome) = result { engine.take(outcome.state) }
        completion(engine, result.map(\.number).mapError(RequestError.init))
      }
    }
  }

  /// Goes on when the counts of the rules are those of all servers.
  func readRules(_ completion: @escaping Completion<Void>) {
    guard let shared = writes.shared else { return completion(self, .success(())) }
    shared.readState { result in
      self.execute { engine in
        if case .success(let state) = result { engine.take(state) }
        completion(engine, result.map { _ in }.mapError(RequestError.init))
      }
    }
  }

  /// Adds a rule, for all servers that share the data unless it has a closure; passes on its id.
  func addRule(_ rule: SharedRule.New, _ completion: @escaping Completion<Int>) {
    do throws(RequestError) {
      if let shared = writes.shared, let draft = try rule.draft() {
        return change(.add(draft, after: lastID(of: draft.kind)), in: shared, completion)
      }
      completion(self, .success(try simulation.add(rule)))
    } catch {
      completion(self, .failure(error))
    }
  }

  /// Removes a rule, or all of a kind; passes on whether there was one.
  func removeRules(_ kind: SharedRule.Kind, _ id: Int? = nil, _ completion: @escaping Completion<Bool>) {
    let isOwn = simulation.removeOwn(kind, id)
    guard let shared = writes.shared, id == nil || !isOwn else { return completion(self, .success(isOwn)) }
    change(.remove(kind, id: id), in: shared) { completion($0, $1.map { $0 > 0 || isOwn }) }
  }

  /// The faults or the stubs as they are listed.
  func values(of kind: SharedRule.Kind) -> [JSONValue] {
    switch kind {
    case .fault: simulation.faults.all.map(Self.value)
    case .stub: simulation.stubs.table.all.map(Self.value)
    }
  }

  /// A fault or a stub as it is listed; null for one that is gone.
  func value(of kind: SharedRule.Kind, _ id: Int) -> JSONValue {
    switch kind {
    case .fault: simulation.faults[id].map(Self.value) ?? .null
    case .stub: simulation.stubs.table[id].map(Self.value) ?? .null
    }
  }

  private static func value(_ rule: RuleTable<Fault>.Rule) -> JSONValue {
    rule.value.value(id: rule.id, timesLeft: rule.timesLeft, matcher: rule.matcher)
  }

  private static func value(_ rule: RuleTable<Stubs.Entry>.Rule) -> JSONValue {
    rule.value.stub.value(id: rule.id, timesLeft: rule.timesLeft, matcher: rule.matcher)
  }

  /// The last id of the server's rules of a kind.
  func lastID(of kind: SharedRule.Kind) -> Int {
    switch kind {
    case .fault: simulation.faults.lastID
    case .stub: simulation.stubs.table.lastID
    }
  }

  // MARK: Requests

  /// Finds the fault that a request meets, and counts it.
  func findFault(
    for context: RequestContext, in shared: any SharedPersistence,
    _ found: @escaping @Sendable (isolated Engine, (id: Int, fault: Fault)?) -> Void
  ) {
    guard let rule = simulation.faults.first(for: context.matchable) else { return found(self, nil) }
    guard rule.timesLeft != nil else { return found(self, (rule.id, rule.value)) }
    count(.fault, rule.id, in: shared, context) { engine, meeting in
      engine.simulation.faults.setTimesLeft(meeting?.timesLeft ?? 0, of: rule.id)
      guard meeting != nil else { return engine.findFault(for: context, in: shared, found) }
      found(engine, (rule.id, rule.value))
    }
  }

  /// Finds the stub that a request meets, and counts it.
  ///
  /// - Parameter rank: Stubs up to this one are passed over.
  func findStub(
    for context: RequestContext, after rank: Int, in shared: any SharedPersistence,
    _ found: @escaping @Sendable (isolated Engine, Stubs.Meeting?) -> Void
  ) {
    let request = context.matchable
    guard let rule = simulation.stubs.table.first(for: request, after: rank) else { return found(self, nil) }
    guard rule.isShared else { return found(self, simulation.stubs.next(for: request, after: rank)) }
    guard rule.timesLeft != nil || rule.value.stub.isSequence else {
      return found(self, Stubs.Meeting(rule, count: 0))
    }
    count(.stub, rule.id, in: shared, context) { engine, meeting in
      guard let meeting else {
        engine.simulation.stubs.table.setTimesLeft(0, of: rule.id)
        return engine.findStub(for: context, after: rank, in: shared, found)
      }
      engine.simulation.stubs.table.setTimesLeft(meeting.timesLeft, of: rule.id)
      found(engine, Stubs.Meeting(rule, count: meeting.count - 1))
    }
  }

  /// Counts a request; when that is impossible, it is refused.
  private func count(
    _ kind: SharedRule.Kind, _ id: Int, in shared: any SharedPersistence, _ context: RequestContext,
    _ counted: @escaping @Sendable (isolated Engine, SharedRule.Meeting?) -> Void
  ) {
    shared.meet(kind, id) { result in
      self.execute { engine in
        switch result {
        case .success(let meeting): counted(engine, meeting)
        case .failure(let error): engine.finalize(context, RequestError(error).response())
        }
      }
    }
  }
}
