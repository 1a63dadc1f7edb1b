import HTTPTypes
import JSONDatabase
import JSONServerValues

/// Applies faults, holds and stubs to requests, and passes on all other requests.
///
/// The order is: the delay or a fault, a hold, a stub. The rules belong to one engine and run on its event loop.
///
/// A shared rule with `times` or several responses counts its requests in the database, before the request goes on. All
/// other shared rules work like a server's own rules.
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
    guard table.isEmpty else {
      let visit = Visit(context: context, request: context.matchable)
      guard context.original.bytes.count > RequestBody.largestQuick, table.comparesBody(of: visit.request) else {
        return simulate(visit, isForPage: isForPage, on: engine)
      }
      return engine.aside {
        visit.request.readBody()
      } then: { engine, _ in
        engine.rules.simulate(visit, isForPage: isForPage, on: engine)
      }
    }
    if isForPage { return engine.serve(context) }
    do throws(RequestError) {
      let wait = try engine.settings.delay(of: context)
      let whole = wait + engine.uploadTime(of: context)
      guard whole > .zero else { return engine.carryOutOnce(context) { $0.serve($1) } }
      delay(by: whole, on: engine) { engine in engine.carryOutOnce(context) { $0.serve($1) } }
    } catch {
      engine.finalize(context, error.response())
    }
  }

  private func simulate(_ visit: Visit, isForPage: Bool, on engine: isolated Engine) {
    if isForPage, table.first(.stub, for: visit.request) == nil { return engine.serve(visit.context) }
    find(.fault, for: visit, on: engine) { $0.rules.delay(visit, meeting: $1, on: $0) }
  }

  /// Finds the first rule of a kind that matches a request, and counts the request. When the server cannot count it, the
  /// request gets an error.
  ///
  /// - Parameters:
  ///   - rank: Skips rules up to this rank.
  ///   - found: Called with the rule as it was before the count.
  private func find(
    _ kind: Rule.Kind, for visit: Visit, after rank: Int = .min, on engine: isolated Engine,
    _ found: @escaping @Sendable (isolated Engine, RuleTable.Entry?) -> Void
  ) {
    guard table.lastID(of: kind) > 0, let met = table.first(kind, for: visit.request, after: rank) else {
      return found(engine, nil)
    }
    if met.rule.yieldsToData, engine.leadsSomewhere(visit.context) {
      return find(kind, for: visit, after: met.rank, on: engine, found)
    }
    guard met.origin == .shared else {
      table.countRequest(met)
      return found(engine, met)
    }
    guard met.isCounted else { return found(engine, met) }
    engine.changeState {
      SharedRule.countRequest(met.rule.kind, met.id, in: &$0)
    } then: { engine, result in
      switch result {
      case .success(let count?):
        var met = met
        (met.timesMet, met.begun) = (count.timesMet, count.begun)
        engine.rules.table.remember(met, timesMet: count.timesMet + 1)
        found(engine, met)
      case .success(nil): engine.rules.find(kind, for: visit, after: rank, on: engine, found)
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
          }
        } ?? visit
      let chosen = fault?.rule.delay?.length(engine.configuration.random)
      let wait = if let chosen { chosen } else { try engine.settings.delay(of: visit.context) }
      delay(by: wait, on: engine) { engine in
        let response = fault?.response
        guard let fault, response == nil, engine.phase == .running else {
          return engine.rules.receive(visit, on: engine, answeredWith: response)
        }
        engine.rules.find(.fault, for: visit, after: fault.rank, on: engine) { engine, next in
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
      engine.rules.findHold(for: visit, on: engine)
    }
  }

  private func delay(
    by wait: Duration, on engine: isolated Engine, _ goOn: @escaping @Sendable (isolated Engine) -> Void
  ) {
    guard wait > .zero, engine.phase == .running else { return goOn(engine) }
    engine.schedule(after: wait, goOn)
  }

  private func findHold(for visit: Visit, on engine: isolated Engine) {
    guard engine.phase == .running else { return carryOut(visit, on: engine) }
    find(.hold, for: visit, on: engine) { $0.rules.hold(visit, in: $1, on: $0) }
  }

  /// Holds a request until its release, if a hold matches.
  private func hold(_ visit: Visit, in hold: RuleTable.Entry?, on engine: isolated Engine) {
    guard let id = hold?.id else { return carryOut(visit, on: engine) }
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
  private func carryOut(_ visit: Visit, on engine: isolated Engine) {
    engine.carryOutOnce(visit.context) { engine, context in
      engine.rules.stub(Visit(context: context, request: visit.request), on: engine)
    }
  }

  /// Sends the response of the next stub that matches a request; without one, passes the request on.
  private func stub(_ visit: Visit, after rank: Int = .min, on engine: isolated Engine) {
    find(.stub, for: visit, after: rank, on: engine) { engine, stub in
      guard let stub else { return engine.serve(visit.context) }
      let wait = stub.rule.delay?.length(engine.configuration.random) ?? .zero
      engine.rules.delay(by: wait, on: engine) { engine in
        if case .handler(let handler) = stub.rule.effect {
          return engine.rules.run(handler, of: stub, visit, on: engine)
        }
        guard let response = stub.response else { return engine.rules.stub(visit, after: stub.rank, on: engine) }
        engine.finalize(visit.context.noting { $0.stub = stub.id }, response)
      }
    }
  }

  private func run(
    _ handler: @escaping Stub.Handler, of stub: RuleTable.Entry, _ visit: Visit, on engine: isolated Engine
  ) {
    let context = visit.context
    engine.keep { engine in
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

  // MARK: Changes

  /// Adds a rule and passes on its id. Servers of one database share the rule, unless it is a hold or has a closure.
  func add(_ rule: Rule, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Int>) {
    guard let value = SharedRule.value(of: rule, in: engine.writes.state) else {
      return completion(engine, .success(table.add(rule)))
    }
    let last = table.lastID(of: rule.kind)
    engine.changeState({ SharedRule.add(value, rule.kind, after: last, to: &$0) }, then: completion)
  }

  /// Replaces a rule, which keeps its id and its place and begins anew; passes on whether there was one.
  func replace(
    _ id: Int, with rule: Rule, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>
  ) {
    if table.replaceOwn(id, with: rule) { return completion(engine, .success(true)) }
    guard let value = SharedRule.value(of: rule, in: engine.writes.state) else {
      return completion(engine, .success(false))
    }
    engine.changeState({ SharedRule.replace(rule.kind, id, with: value, in: &$0) }, then: completion)
  }

  /// Lets the responses of all stubs begin with the first one again, and continues when that is saved.
  func beginSequences(on engine: isolated Engine, then completion: @escaping @Sendable (isolated Engine) -> Void) {
    table.beginSequences()
    let state = engine.writes.state
    guard state.isSaved, !state[.count].isEmpty else { return completion(engine) }
    engine.changeState({ SharedRule.beginSequences(in: &$0) }) { engine, _ in completion(engine) }
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
      SharedRule.remove(kind, id, from: &$0)
    } then: { engine, result in
      // The server keeps its own rules when removing all shared rules fails.
      let wasOwn = if case .success = result, id == nil { engine.rules.table.removeOwn(kind, nil) } else { false }
      completion(engine, result.map { $0 || wasOwn })
    }
  }

  /// Releases or fails the requests of one hold, or of all holds, in the order of their arrival.
  private func release(from id: Int?, failingWith response: PreparedResponse?, on engine: isolated Engine) {
    for visit in waiting(in: id).compactMap({ held.removeValue(forKey: $0.key)?.visit }) {
      if let response { engine.finalize(visit.context, response) } else { carryOut(visit, on: engine) }
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
      for key in keys where key.kind == .count { table.setCount(SharedRule.Count(state, key.name)) }
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
    var members = entry.rule.members(id: entry.id, timesLeft: entry.timesLeft)
    if entry.rule.kind == .hold {
      members["requests"] = .array(waiting(in: entry.id).map { .number(JSONNumber($0.value.visit.context.number)) })
    }
    return .object(members)
  }

  /// The members of a rule as they are sent, without its id; `nil` when no rule has this id.
  func members(of kind: Rule.Kind, _ id: Int) -> JSONObject? {
    table[kind, id].map { $0.rule.members(timesLeft: $0.timesLeft) }
  }

  /// The number of rules of each kind.
  var counts: JSONValue {
    let pairs = Rule.Kind.allCases.map { ("\($0.rawValue)s", JSONValue.number(JSONNumber(table.all($0).count))) }
    return .object(JSONObject(pairs))
  }

  /// The number of requests that a rule has affected, even after its removal.
  func timesMet(_ kind: Rule.Kind, _ id: Int) -> Int { table.timesMet(kind, id) }
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

/// The rules of a server; each kind has ids of its own.
///
/// The table looks rules up by their path and by one parameter: a thousand rules with different paths, or with different
/// values of one parameter, cost a request as little as one rule. Rules with the same path and parameter are compared one by
/// one.
///
/// The order of stubs is: shared stubs, stubs added later, stubs of the configuration, stubs of the stubs file. Faults and
/// holds are in the order in which they were added.
struct RuleTable: Sendable {
  /// The source of a rule.
  enum Origin: Sendable {
    case start
    case stubsFile
    case added
    /// The database, which counts the requests for all servers.
    case shared
  }

  struct Entry: Sendable {
    fileprivate(set) var id: Int
    /// The rule with the lowest rank comes first.
    let rank: Int
    let rule: Rule
    let origin: Origin
    /// The number of further requests that the rule affects; `nil` for no limit.
    fileprivate(set) var timesLeft: Int?
    /// The number of requests that the rule has affected.
    var timesMet = 0
    /// The number of these requests before the rule's responses last began with the first one.
    var begun = 0

    fileprivate init(_ id: Int, rank: Int, _ rule: Rule, _ origin: Origin) {
      (self.id, self.rank, self.rule, self.origin, timesLeft) = (id, rank, rule, origin, rule.times)
    }

    fileprivate var key: Key { Key(kind: rule.kind, id: id) }
    /// Whether the rule's effect depends on how many requests it has affected.
    var isCounted: Bool { timesLeft != nil || rule.effect.responses.count > 1 }
    /// The response to the next request that the rule matches; `nil` for none.
    var response: PreparedResponse? { rule.response(after: timesMet - begun) }
  }

  fileprivate struct Key: Hashable, Sendable {
    let kind: Rule.Kind
    let id: Int
  }

  private var entries: [Key: Entry] = [:]
  /// The rules by path key, and by the first parameter with a value; `nil` for rules without one.
  private var buckets: [[UInt8]: [RequestPattern.Field?: [Key]]] = [:]
  /// The lengths of the keys' prefixes before `*`.
  private var prefixLengths: Set<Int> = []
  private var lastIDs: [Rule.Kind: Int] = [:]
  private var (first, last) = (0, 0)
  /// The number of requests that recently removed rules have affected.
  private var gone: [Key: Int] = [:]
  /// The number of removed rules that are remembered.
  private static let remembered = 10_000
  /// Lower than the rank of any rule of the server's own.
  private static let firstOfShared = Int.min / 2

  var isEmpty: Bool { entries.isEmpty }

  /// The largest id that a rule of a kind has had.
  func lastID(of kind: Rule.Kind) -> Int { lastIDs[kind] ?? 0 }

  /// The rules of a kind, in their order.
  func all(_ kind: Rule.Kind) -> [Entry] {
    entries.values.filter { $0.rule.kind == kind }.sorted { $0.rank < $1.rank }
  }

  subscript(kind: Rule.Kind, id: Int) -> Entry? { entries[Key(kind: kind, id: id)] }

  /// The number of requests that a rule has affected, even after its removal; 0 for a rule removed 10,000 rules ago.
  func timesMet(_ kind: Rule.Kind, _ id: Int) -> Int { self[kind, id]?.timesMet ?? gone[Key(kind: kind, id: id)] ?? 0 }

  // MARK: Changes

  /// Adds a rule of the server's own, and returns its id.
  @discardableResult
  mutating func add(_ rule: Rule, from origin: Origin = .added) -> Int {
    let comesFirst = rule.kind == .stub && origin == .added
    if comesFirst { first -= 1 } else { last += 1 }
    let id = nextID(of: rule.kind)
    insert(Entry(id, rank: comesFirst ? first : last, rule, origin))
    return id
  }

  private mutating func nextID(of kind: Rule.Kind) -> Int {
    lastIDs[kind, default: 0] += 1
    return lastID(of: kind)
  }

  private mutating func insert(_ entry: Entry) {
    entries[entry.key] = entry
    let (path, parameter) = Self.bucket(of: entry)
    if path.last == Self.wildcard { prefixLengths.insert(path.count - 1) }
    buckets[path, default: [:]][parameter, default: []].append(entry.key)
  }

  /// Replaces the stubs of the stubs file.
  mutating func replaceFile(with stubs: [Rule]) {
    removeAll { $0.origin == .stubsFile }
    for stub in stubs { add(stub, from: .stubsFile) }
  }

  /// Replaces the shared rules, which come before the server's own. A rule of the server's own gets a new id when a shared
  /// rule has its id.
  ///
  /// - Parameter shared: The rules with their counts, each kind in the order in which its rules were added.
  mutating func replaceShared(with shared: [(rule: Rule, count: SharedRule.Count)]) {
    removeAll { $0.origin == .shared }
    for (rule, count) in shared { lastIDs[rule.kind] = max(lastID(of: rule.kind), count.id) }
    // Stubs that were added later come first.
    let ordered = shared.filter { $0.rule.kind != .stub } + shared.filter { $0.rule.kind == .stub }.reversed()
    for (position, (rule, count)) in ordered.enumerated() {
      if var own = remove(rule.kind, count.id) {
        own.id = nextID(of: rule.kind)
        insert(own)
      }
      insert(Entry(count.id, rank: Self.firstOfShared + position, rule, .shared))
      setCount(count)
    }
  }

  /// Records how many requests a shared rule has affected.
  mutating func setCount(_ count: SharedRule.Count) {
    let key = Key(kind: count.kind, id: count.id)
    entries[key]?.timesLeft = count.timesLeft
    entries[key]?.timesMet = count.timesMet
    entries[key]?.begun = count.begun
  }

  /// Removes a rule, and returns it; `nil` when there is none.
  @discardableResult
  private mutating func remove(_ kind: Rule.Kind, _ id: Int) -> Entry? {
    guard let entry = entries.removeValue(forKey: Key(kind: kind, id: id)) else { return nil }
    let (path, parameter) = Self.bucket(of: entry)
    buckets[path]?[parameter]?.removeAll { $0 == entry.key }
    if buckets[path]?[parameter]?.isEmpty == true { buckets[path]?[parameter] = nil }
    if buckets[path]?.isEmpty == true { buckets[path] = nil }
    remember(entry)
    return entry
  }

  /// Replaces a rule of the server's own.
  ///
  /// - Returns: Whether there was one.
  mutating func replaceOwn(_ id: Int, with rule: Rule) -> Bool {
    guard let old = self[rule.kind, id], old.origin != .shared else { return false }
    remove(rule.kind, id)
    gone[old.key] = nil
    insert(Entry(id, rank: old.rank, rule, old.origin))
    return true
  }

  /// Lets the responses of the server's own rules begin with the first one again.
  mutating func beginSequences() {
    for (key, entry) in entries where entry.origin != .shared { entries[key]?.begun = entry.timesMet }
  }

  private mutating func removeAll(where isGone: (Entry) -> Bool) {
    for entry in entries.values where isGone(entry) { remove(entry.rule.kind, entry.id) }
  }

  /// Remembers how many requests a removed rule has affected.
  ///
  /// - Parameter timesMet: The number; `nil` for the rule's own count.
  mutating func remember(_ entry: Entry, timesMet: Int? = nil) {
    let timesMet = timesMet ?? entry.timesMet
    guard timesMet > 0, entries[entry.key] == nil else { return }
    gone[entry.key] = timesMet
    if gone.count > 2 * Self.remembered { gone = gone.filter { $0.key.id > lastID(of: $0.key.kind) - Self.remembered } }
  }

  /// Removes a rule of the server's own, or all such rules of a kind.
  ///
  /// - Returns: Whether the rule existed; `true` for all rules of a kind.
  mutating func removeOwn(_ kind: Rule.Kind, _ id: Int?) -> Bool {
    if let id { return self[kind, id].map { $0.origin != .shared } == true && remove(kind, id) != nil }
    removeAll { $0.rule.kind == kind && $0.origin != .shared }
    return true
  }

  // MARK: Requests

  /// Returns the first rule of a kind that matches a request, without counting the request.
  ///
  /// - Parameter rank: Skips rules up to this rank.
  func first(_ kind: Rule.Kind, for request: MatchableRequest, after rank: Int = .min) -> Entry? {
    var found: Entry?
    for key in candidates(for: request) where key.kind == kind {
      guard let entry = entries[key], entry.rank > rank, entry.rank < found?.rank ?? .max, entry.timesLeft != 0,
        entry.rule.matcher.matches(request)
      else { continue }
      found = entry
    }
    return found
  }

  /// Whether the body of a request decides which rules match.
  func comparesBody(of request: MatchableRequest) -> Bool {
    candidates(for: request).contains { entries[$0]?.rule.matcher.comparesBody == true }
  }

  /// Counts a request for a rule of the server's own, and removes the rule after its last request, unless it is a hold:
  /// requests wait in it.
  mutating func countRequest(_ entry: Entry) {
    entries[entry.key]?.timesMet += 1
    guard let times = entry.timesLeft else { return }
    entries[entry.key]?.timesLeft = times - 1
    if times == 1, entry.rule.kind != .hold { remove(entry.rule.kind, entry.id) }
  }

  /// The rules that may match a request; some may be listed twice.
  private func candidates(for request: MatchableRequest) -> [Key] {
    var candidates: [Key] = []
    for target in request.targets {
      let path = Array(target.text.lowercased().utf8)
      let prefixes = prefixLengths.filter { $0 <= path.count }.map { Array(path.prefix($0)) + [Self.wildcard] }
      for bucket in ([path] + prefixes).compactMap({ buckets[$0] }) {
        candidates += bucket[nil] ?? []
        for (name, value) in target.parameters { candidates += bucket[RequestPattern.Field(name, value)] ?? [] }
      }
    }
    return candidates
  }

  private static func bucket(of entry: Entry) -> (path: [UInt8], parameter: RequestPattern.Field?) {
    let matcher = entry.rule.matcher
    return (matcher.path?.key ?? [wildcard], matcher.pattern.query.first { $0.value != nil })
  }

  private static let wildcard = UInt8(ascii: "*")
}
