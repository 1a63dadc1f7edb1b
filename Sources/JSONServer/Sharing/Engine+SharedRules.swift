import HTTPTypes
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

  /// Responds to an administrative request about faults and stubs, which all servers have; holds are a server's own.
  ///
  /// - Returns: Whether it does.
  func respond(
    to route: RuleRoute, in shared: any SharedPersistence, _ context: RequestContext
  ) throws(RequestError) -> Bool {
    let files = configuration.bodyFiles
    switch route {
    case .holds, .addHold, .releaseHolds, .releaseHold: return false
    case .faults, .stubs, .stub: readState(in: shared, for: route, context)
    case .addFault(let body):
      add(try SharedRule.Draft(try Fault(body, files: files)), in: shared, context)
    case .addStub(let body):
      guard let draft = try SharedRule.Draft(try Stub(body, files: files)) else { return false }
      add(draft, in: shared, context)
    case .removeFaults: remove(.fault, in: shared, context)
    case .removeFault(let id): remove(.fault, try Self.number(id, of: .fault), in: shared, context)
    case .removeStubs: remove(.stub, in: shared, context)
    case .removeStub(let id):
      let number = try Self.number(id, of: .stub)
      if simulation.stubs.table[number]?.isShared == false { return false }
      remove(.stub, number, in: shared, context)
    }
    return true
  }

  /// Responds when the counts of the rules are those of all servers.
  private func readState(in shared: any SharedPersistence, for route: RuleRoute, _ context: RequestContext) {
    shared.readState { result in
      self.execute { engine in
        do throws(RequestError) {
          engine.take(try result.mapError(RequestError.init).get())
          engine.finalize(context, try engine.response(to: route))
        } catch {
          engine.finalize(context, error.response())
        }
      }
    }
  }

  private func add(_ draft: SharedRule.Draft, in shared: any SharedPersistence, _ context: RequestContext) {
    change(.add(draft, after: lastID(of: draft.kind)), in: shared) { engine, result in
      do throws(RequestError) {
        engine.finalize(context, .json(engine.value(of: draft.kind, try result.get()), status: .created))
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }

  private func remove(
    _ kind: SharedRule.Kind, _ id: Int? = nil, in shared: any SharedPersistence, _ context: RequestContext
  ) {
    change(.remove(kind, id: id), in: shared) { engine, result in
      do throws(RequestError) {
        if try result.get() == 0, let id { throw Self.unknown(kind.rawValue, String(id)) }
        if id == nil { _ = engine.removeOwn(kind, nil) }
        engine.finalize(context, .json([:]))
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }

  private static func number(_ id: String, of kind: SharedRule.Kind) throws(RequestError) -> Int {
    guard let number = Int(id) else { throw unknown(kind.rawValue, id) }
    return number
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
