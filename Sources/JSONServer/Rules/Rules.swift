import HTTPTypes
import JSONDatabase
import JSONServerValues

/// Applies faults, holds and stubs to requests, and passes on all other requests.
///
/// The order is: the delay or a fault, a hold, a stub. The rules belong to one engine and run on its event loop.
///
/// A server's own rules are in the table alone. Faults and stubs that servers of one database share are rows of the state,
/// which changes with their commits; the table follows the rows. A shared rule with `times` or several responses counts its
/// requests in the state, before the request goes on. All other shared rules work like a server's own rules.
final class Rules {
  /// The stubs of a new session.
  private(set) var startStubs: RuleTable
  private(set) var table: RuleTable
  /// The held requests, in the order of their numbers.
  private var held: [Int: (hold: Int, visit: Visit)] = [:]

  init(startingWith stubs: RuleTable) {
    startStubs = stubs
    table = stubs
  }

  /// A request on its way through the rules, with the parts that patterns compare; its body is read at most once.
  private struct Visit: Sendable {
    let context: RequestContext
    let request: MatchableRequest

    /// The same visit with notes on the rules that matched.
    func noting(_ change: (inout MatchNotes) -> Void) -> Visit {
      Visit(context: context.noting(change), request: request)
    }
  }

  /// Applies the rules to a request.
  ///
  /// The page at `/` is only replaced by stubs, never delayed, held or failed: users change these rules on the page.
  func simulate(_ context: RequestContext, on engine: isolated Engine) {
    let isForPage = engine.policies.servesPage(for: context.request, context.target)
    // The usual case, for which no parts of the request are prepared.
    if table.isEmpty {
      if isForPage { return engine.serve(context) }
      if (try? engine.settings.delay(of: context)) == .zero, engine.uploadTime(of: context) == .zero {
        return engine.passOnce(context) { $0.serve($1) }
      }
    }
    let visit = Visit(context: context, request: context.matchable)
    guard context.original.bytes.count > RequestBody.largestQuick, table.readsBody(of: visit.request) else {
      return simulate(visit, isForPage: isForPage, on: engine)
    }
    engine.aside {
      visit.request.readBody()
    } then: { engine, _ in
      engine.rules.simulate(visit, isForPage: isForPage, on: engine)
    }
  }

  private func simulate(_ visit: Visit, isForPage: Bool, on engine: isolated Engine) {
    if isForPage, !table.hasResponse(to: visit.request) { return engine.serve(visit.context) }
    meet(.fault, for: visit, on: engine) { $0.rules.delay(visit, meeting: $1, on: $0) }
  }

  /// Finds the first rule of a kind that matches a request, and counts the request. When the server cannot count it, the
  /// request gets an error.
  ///
  /// - Parameters:
  ///   - rank: Skips rules up to this rank.
  ///   - found: Called with the rule as it was before the count.
  private func meet(
    _ kind: Rule.Kind, for visit: Visit, after rank: Int = .min, on engine: isolated Engine,
    _ found: @escaping @Sendable (isolated Engine, RuleTable.Entry?) -> Void
  ) {
    guard table.lastID(of: kind) > 0, let met = table.first(kind, for: visit.request, after: rank) else {
      return found(engine, nil)
    }
    guard !(met.rule.yieldsToData && engine.leadsSomewhere(visit.context)),
      met.rule.search == nil || record(of: met, for: visit, on: engine) != nil, table.choose(met)
    else { return meet(kind, for: visit, after: met.rank, on: engine, found) }
    guard met.origin == .shared else {
      table.countRequest(met.key)
      return found(engine, met)
    }
    guard met.isCounted else { return found(engine, met) }
    engine.changeState {
      SharedRules.countRequest(met.key, in: &$0)
    } then: { engine, result in
      switch result {
      case .success(let count?):
        var met = met
        met.count = count
        engine.rules.table.remember(met.key, timesMet: count.timesMet + 1)
        found(engine, met)
      case .success(nil): engine.rules.meet(kind, for: visit, after: rank, on: engine, found)
      case .failure(let error): engine.finalize(visit.context, error.response())
      }
    }
  }

  /// Delays a request, and then sends the response of its fault; for a fault without one, the next fault applies.
  private func delay(_ visit: Visit, meeting fault: RuleTable.Entry?, on engine: isolated Engine) {
    do throws(RequestError) {
      let visit =
        fault.map { fault in
          visit.noting {
            $0.fault = fault.id
            if let disturbance = fault.rule.effect.disturbance { $0.delivery = disturbance }
            if let bytesPerSecond = fault.rule.bytesPerSecond { $0.bytesPerSecond = bytesPerSecond }
            $0.addedFields = $0.addedFields.merging(fault.rule.addedFields)
          }
        } ?? visit
      let chosen = fault?.rule.delay?.length(engine.configuration.random)
      let wait = if let chosen { chosen } else { try engine.settings.delay(of: visit.context) }
      delay(by: wait, on: engine) { engine in
        let response = fault?.response
        guard let fault, response == nil, engine.phase == .running else {
          return engine.rules.receive(visit, on: engine, answeredWith: response)
        }
        engine.rules.meet(.fault, for: visit, after: fault.rank, on: engine) { engine, next in
          guard let next else { return engine.rules.receive(visit, on: engine) }
          engine.rules.delay(visit, meeting: next, on: engine)
        }
      }
    } catch {
      engine.finalize(visit.context, error.response())
    }
  }

  /// Goes on when the request's body would have arrived at the speed of the request: with the response of a fault, or with
  /// holds.
  private func receive(_ visit: Visit, on engine: isolated Engine, answeredWith response: PreparedResponse? = nil) {
    delay(by: engine.uploadTime(of: visit.context), on: engine) { engine in
      if let response { return engine.finalize(visit.context, response) }
      engine.rules.meetHold(for: visit, on: engine)
    }
  }

  private func delay(
    by wait: Duration, on engine: isolated Engine, _ goOn: @escaping @Sendable (isolated Engine) -> Void
  ) {
    guard wait > .zero, engine.phase == .running else { return goOn(engine) }
    engine.schedule(after: wait, goOn)
  }

  private func meetHold(for visit: Visit, on engine: isolated Engine) {
    guard engine.phase == .running else { return passToStubs(visit, on: engine) }
    meet(.hold, for: visit, on: engine) { $0.rules.hold(visit, in: $1, on: $0) }
  }

  /// Holds a request until its release, if a hold matches.
  private func hold(_ visit: Visit, in hold: RuleTable.Entry?, on engine: isolated Engine) {
    guard let id = hold?.id else { return passToStubs(visit, on: engine) }
    let number = engine.nextNumber()
    let waiting = visit.noting { $0.hold = id }
    held[number] = (id, waiting)
    engine.journal.recordArrival(of: waiting.context, on: engine)
    engine.schedule(after: engine.configuration.limits.holdTimeout) { engine in
      let seconds = JSONValue(rounding: engine.configuration.limits.holdTimeout / .seconds(1)).text()
      engine.rules.endHold(
        of: number,
        "The request was held for \(seconds) seconds, and nobody released hold \(id) in time (Server.releaseHold).",
        on: engine)
    }
    waiting.context.progress(
      .held {
        _ = waiting.context.noting { $0.hasLeft = true }
        engine.execute { $0.rules.endHold(of: number, "The client disconnected while its request was held.", on: $0) }
      })
  }

  /// Ends the wait of a request that nobody released.
  private func endHold(of number: Int, _ reason: String, on engine: isolated Engine) {
    guard let visit = held.removeValue(forKey: number)?.visit else { return }
    engine.finalize(visit.context, RequestError(.unavailable, reason).response())
  }

  /// Passes a request to the stubs, unless it repeats an earlier one.
  private func passToStubs(_ visit: Visit, on engine: isolated Engine) {
    engine.passOnce(visit.context) { engine, context in
      engine.rules.stub(Visit(context: context, request: visit.request), on: engine)
    }
  }

  /// Sends the response of the next stub that matches a request; without one, passes the request on.
  private func stub(_ visit: Visit, after rank: Int = .min, on engine: isolated Engine) {
    meet(.stub, for: visit, after: rank, on: engine) { engine, stub in
      guard let stub else { return engine.serve(visit.context) }
      let wait = stub.rule.delay?.length(engine.configuration.random) ?? .zero
      engine.rules.delay(by: wait, on: engine) { engine in
        if case .handler(let handler) = stub.rule.effect {
          return engine.rules.run(handler, of: stub, visit, on: engine)
        }
        let response = stub.response { engine.rules.value($0, of: stub, for: visit, on: engine) }
        if let response { return engine.finalize(visit.context.noting { $0.stub = stub.id }, response) }
        let fields = stub.rule.addedFields
        guard !fields.isEmpty else { return engine.rules.stub(visit, after: stub.rank, on: engine) }
        let passed = visit.noting {
          $0.stub = stub.id
          // Of stubs with the same field, the first one counts.
          $0.addedFields = $0.addedFields.merging(fields)
        }
        engine.rules.stub(passed, after: stub.rank, on: engine)
      }
    }
  }

  private func run(
    _ handler: @escaping Stub.Handler, of stub: RuleTable.Entry, _ visit: Visit, on engine: isolated Engine
  ) {
    let context = visit.context
    engine.startTask { engine in
      do {
        guard var response = try await handler(context.original) else {
          return engine.rules.stub(visit, after: stub.rank, on: engine)
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

  // MARK: Shapes

  /// The value of a word in a stub's shape; `nil` when the request and the data have none.
  private func value(
    _ name: String, of stub: RuleTable.Entry, for visit: Visit, on engine: isolated Engine
  ) -> JSONValue? {
    name == "record"
      ? record(of: stub, for: visit, on: engine) : visit.request.part(name, metBy: stub.rule.matcher)
  }

  /// The record that a stub finds; without a search, the record or the single resource at the request's path.
  ///
  /// Its password is left out: programs that sign users in do that.
  private func record(of stub: RuleTable.Entry, for visit: Visit, on engine: isolated Engine) -> JSONValue? {
    let database = engine.database
    let record: ValidJSON?
    if let search = stub.rule.search {
      let wanted = search.wanted { visit.request.part($0, metBy: stub.rule.matcher) }
      record = wanted.flatMap { database.firstRecord(of: search.collection, with: $0) }
      if database.resource(meantBy: search.collection)?.isCollection != true, engine.hints.isNew("find \(stub.id)") {
        engine.configuration.onEvent(
          .hint("The stub \(stub.id) finds no record. \(database.unknownResourceMessage(search.collection))"))
      }
    } else {
      switch try? visit.context.endpoint(in: database, by: engine.configuration.contract).target {
      case .record(let name, let id)?: record = try? database.record(id, in: name)
      case .object(let name)?: record = try? database.singular(name)
      case .database?, .collection?, nil: record = nil
      }
    }
    return record.map { JSONValue($0.removing(DataOperation.hiddenName)) }
  }

  // MARK: Changes

  /// Adds a rule and passes on its id. Servers of one database share the rule, unless it is a hold or has a closure.
  func add(_ rule: Rule, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Int>) {
    guard let value = SharedRules.value(of: rule, in: engine.writes.state) else {
      return completion(engine, .success(table.add(rule)))
    }
    let last = table.lastID(of: rule.kind)
    engine.changeState({ SharedRules.add(value, rule.kind, after: last, to: &$0) }, then: completion)
  }

  /// Replaces a rule, which keeps its id and its place and begins anew; passes on whether there was one.
  func replace(
    _ id: Int, with rule: Rule, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>
  ) {
    if table.replaceOwn(id, with: rule) { return completion(engine, .success(true)) }
    guard let value = SharedRules.value(of: rule, in: engine.writes.state) else {
      return completion(engine, .success(false))
    }
    engine.changeState({ SharedRules.replace(rule.kind, id, with: value, in: &$0) }, then: completion)
  }

  /// Lets the responses of all stubs begin with the first one again, and continues when that is saved.
  func beginSequences(on engine: isolated Engine, then completion: @escaping @Sendable (isolated Engine) -> Void) {
    table.beginSequences()
    let state = engine.writes.state
    guard state.isSaved, !state[.count].isEmpty else { return completion(engine) }
    engine.changeState({ SharedRules.beginSequences(in: &$0) }) { engine, _ in completion(engine) }
  }

  /// Removes a rule, or all rules of a kind; passes on whether there was one.
  ///
  /// - Parameter response: The response to held requests; `nil` lets them go on.
  func remove(
    _ kind: Rule.Kind, _ id: Int? = nil, failingWith response: PreparedResponse? = nil, on engine: isolated Engine,
    _ completion: @escaping Engine.Completion<Bool>
  ) {
    if kind == .hold {
      let isKnown = table.removeOwn(.hold, id)
      if isKnown { release(from: id, failingWith: response, on: engine) }
      return completion(engine, .success(isKnown))
    }
    if id != nil, table.removeOwn(kind, id) { return completion(engine, .success(true)) }
    engine.changeState {
      SharedRules.remove(kind, id, from: &$0)
    } then: { engine, result in
      // The server keeps its own rules when removing all shared rules fails.
      let wasOwn = if case .success = result, id == nil { engine.rules.table.removeOwn(kind, nil) } else { false }
      completion(engine, result.map { $0 || wasOwn })
    }
  }

  /// Releases or fails the requests of one hold, or of all holds, in the order of their arrival.
  private func release(from id: Int?, failingWith response: PreparedResponse?, on engine: isolated Engine) {
    for visit in waiting(in: id).compactMap({ held.removeValue(forKey: $0.key)?.visit }) {
      if let response { engine.finalize(visit.context, response) } else { passToStubs(visit, on: engine) }
    }
  }

  /// The requests in one hold, or in all holds, in the order of their arrival.
  private func waiting(in id: Int?) -> [(key: Int, value: (hold: Int, visit: Visit))] {
    held.filter { id == nil || $0.value.hold == id }.sorted { $0.key < $1.key }
  }

  /// Replaces the stubs of the stubs file.
  func replaceFile(with stubs: [Rule]) {
    startStubs.replaceFile(with: stubs)
    table.replaceFile(with: stubs)
  }

  /// Takes over changes of the shared rules and of their counts.
  ///
  /// - Parameter keys: The changed rows of the shared state.
  func follow(_ keys: [ServerState.Key], on engine: isolated Engine) {
    let state = engine.writes.state
    guard keys.contains(where: { $0.kind == .rule }) else {
      for key in keys where key.kind == .count {
        guard let key = RuleKey(name: key.name), let count = SharedRules.count(of: key, in: state) else { continue }
        table.setCount(count, of: key)
      }
      return
    }
    var shared: [(key: RuleKey, rule: Rule, count: RuleCount)] = []
    for (name, value) in state[.rule] {
      guard let key = RuleKey(name: name), let count = SharedRules.count(of: key, in: state) else { continue }
      do throws(RequestError) {
        shared.append((key, try SharedRules.rule(key.kind, value), count))
      } catch {
        engine.configuration.onEvent(
          .warning("The \(key.kind.rawValue) \(key.id) of the database cannot be used: \(error.message)"))
      }
    }
    table.replaceShared(with: shared.sorted { $0.key.id < $1.key.id })
  }

  // MARK: Lists

  /// Continues when the shared rules of a kind, and their counts, are current. Holds are not shared: connections wait in
  /// them.
  func whenCurrent(_ kind: Rule.Kind, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Void>) {
    guard kind != .hold else { return completion(engine, .success(())) }
    engine.writes.readIndex.whenCurrent(on: engine) { engine, failure in
      completion(engine, failure.map { .failure(RequestError($0)) } ?? .success(()))
    }
  }

  /// The rules of a kind as JSON.
  func values(of kind: Rule.Kind) -> [JSONValue] { table.all(kind).map(value) }

  /// A rule as JSON; `nil` when no rule has this id.
  func value(of kind: Rule.Kind, _ id: Int) -> JSONValue? { table[kind, id].map(value) }

  /// A rule as JSON; a hold with the journal's numbers of its waiting requests.
  private func value(of entry: RuleTable.Entry) -> JSONValue {
    var members = entry.rule.members(id: entry.id, timesLeft: entry.count.timesLeft)
    if entry.rule.kind == .hold {
      members["requests"] = .array(waiting(in: entry.id).map { .number(JSONNumber($0.value.visit.context.number)) })
    }
    return .object(members)
  }

  /// The members of a rule as they are sent, without its id; `nil` when no rule has this id.
  func members(of kind: Rule.Kind, _ id: Int) -> JSONObject? {
    table[kind, id].map { $0.rule.members(timesLeft: $0.count.timesLeft) }
  }

  /// The number of rules of each kind.
  var counts: JSONValue {
    let pairs = Rule.Kind.allCases.map { ("\($0.rawValue)s", JSONValue.number(JSONNumber(table.all($0).count))) }
    return .object(JSONObject(pairs))
  }

  /// The number of requests that a rule has affected, even after its removal.
  func timesMet(_ kind: Rule.Kind, _ id: Int) -> Int { table.timesMet(kind, id) }
}

extension Database {
  /// The first record of a collection whose members have these values, compared by their text; `nil` for none.
  fileprivate func firstRecord(of collection: String, with members: JSONObject) -> ValidJSON? {
    guard let (name, value) = members.first(where: { _ in true }) else { return nil }
    var query = Query()
    query.criteria.owner = Query.Reference(FieldPath(name), value.plainText)
    let found = try? list(resource(meantBy: collection)?.name ?? collection, query).selection.records
    return found?.first { record in
      let known = record.members(named: members.names)
      return members.allSatisfy { known[$0.name]?.plainText == $0.value.plainText }
    }
  }
}

extension Engine {
  /// The speed at which the bodies of a request and of its response flow; `nil` for no limit.
  func bytesPerSecond(of context: RequestContext) -> Int? {
    context.isSimulated ? context.met?.bytesPerSecond ?? settings.bytesPerSecond : nil
  }

  /// How long a request's body takes at the speed of the request.
  fileprivate func uploadTime(of context: RequestContext) -> Duration {
    guard let speed = bytesPerSecond(of: context) else { return .zero }
    return .seconds(Double(context.original.bytes.count) / Double(speed))
  }
}

extension Settings {
  /// The delay of all responses, or a request's own `_delay` in milliseconds, up to a minute.
  fileprivate func delay(of context: RequestContext) throws(RequestError) -> Duration {
    guard let milliseconds = try context.target.parameters.number("_delay") else { return delay }
    return .milliseconds(min(max(milliseconds, 0), 60_000))
  }
}
