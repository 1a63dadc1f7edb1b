import JSONServerValues

/// The rules of a server, its own and the shared ones; each kind has ids of its own.
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
    fileprivate(set) var key: RuleKey
    /// The rule with the lowest rank comes first.
    let rank: Int
    let rule: Rule
    let origin: Origin
    var count: RuleCount
    /// The number of requests that have matched, whether or not the rule has affected them.
    fileprivate var matched = 0

    fileprivate init(_ key: RuleKey, rank: Int, _ rule: Rule, _ origin: Origin, _ count: RuleCount? = nil) {
      (self.key, self.rank, self.rule, self.origin) = (key, rank, rule, origin)
      self.count = count ?? RuleCount(upTo: rule.times)
    }

    var id: Int { key.id }
    /// Whether the rule's effect depends on how many requests it has affected.
    var isCounted: Bool { count.timesLeft != nil || rule.effect.responses.count > 1 }
    /// The response to the next request that the rule matches; `nil` for none.
    var response: PreparedResponse? { rule.response(after: count.timesMetAnew) }

    /// The same response, with a shape filled.
    func response(filledFrom values: (String) -> JSONValue?) -> PreparedResponse? {
      rule.response(after: count.timesMetAnew, filledFrom: values)
    }
  }

  private var entries: [RuleKey: Entry] = [:]
  /// The rules by path key, and by the first parameter with a value; `nil` for rules without one.
  private var buckets: [[UInt8]: [RequestPattern.Field?: [RuleKey]]] = [:]
  /// The lengths of the keys' prefixes before `*`.
  private var prefixLengths: Set<Int> = []
  private var lastIDs: [Rule.Kind: Int] = [:]
  private var (first, last) = (0, 0)
  /// The number of requests that recently removed rules have affected.
  private var gone: [RuleKey: Int] = [:]
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

  subscript(kind: Rule.Kind, id: Int) -> Entry? { entries[RuleKey(kind, id)] }

  /// The number of requests that a rule has affected, even after its removal; 0 for a rule removed 10,000 rules ago.
  func timesMet(_ kind: Rule.Kind, _ id: Int) -> Int { self[kind, id]?.count.timesMet ?? gone[RuleKey(kind, id)] ?? 0 }

  // MARK: Changes

  /// Adds a rule of the server's own, and returns its id.
  @discardableResult
  mutating func add(_ rule: Rule, from origin: Origin = .added) -> Int {
    let comesFirst = rule.kind == .stub && origin == .added
    if comesFirst { first -= 1 } else { last += 1 }
    let key = nextKey(of: rule.kind)
    insert(Entry(key, rank: comesFirst ? first : last, rule, origin))
    return key.id
  }

  private mutating func nextKey(of kind: Rule.Kind) -> RuleKey {
    lastIDs[kind, default: 0] += 1
    return RuleKey(kind, lastID(of: kind))
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
  mutating func replaceShared(with shared: [(key: RuleKey, rule: Rule, count: RuleCount)]) {
    removeAll { $0.origin == .shared }
    for (key, _, _) in shared { lastIDs[key.kind] = max(lastID(of: key.kind), key.id) }
    // Stubs that were added later come first.
    let ordered = shared.filter { $0.key.kind != .stub } + shared.filter { $0.key.kind == .stub }.reversed()
    for (position, (key, rule, count)) in ordered.enumerated() {
      if var own = remove(key) {
        own.key = nextKey(of: key.kind)
        insert(own)
      }
      insert(Entry(key, rank: Self.firstOfShared + position, rule, .shared, count))
    }
  }

  /// Records how many requests a shared rule has affected.
  mutating func setCount(_ count: RuleCount, of key: RuleKey) { entries[key]?.count = count }

  /// Removes a rule, and returns it; `nil` when there is none.
  @discardableResult
  private mutating func remove(_ key: RuleKey) -> Entry? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    let (path, parameter) = Self.bucket(of: entry)
    buckets[path]?[parameter]?.removeAll { $0 == key }
    if buckets[path]?[parameter]?.isEmpty == true { buckets[path]?[parameter] = nil }
    if buckets[path]?.isEmpty == true { buckets[path] = nil }
    remember(key, timesMet: entry.count.timesMet)
    return entry
  }

  /// Replaces a rule of the server's own.
  ///
  /// - Returns: Whether there was one.
  mutating func replaceOwn(_ id: Int, with rule: Rule) -> Bool {
    guard let old = self[rule.kind, id], old.origin != .shared else { return false }
    remove(old.key)
    gone[old.key] = nil
    insert(Entry(old.key, rank: old.rank, rule, old.origin))
    return true
  }

  /// Lets the responses of the server's own rules, and the choices of all rules with a probability, begin anew.
  mutating func beginSequences() {
    for (key, entry) in entries {
      if entry.origin != .shared { entries[key]?.count.beginAnew() }
      entries[key]?.matched = 0
    }
  }

  private mutating func removeAll(where isGone: (Entry) -> Bool) {
    for entry in entries.values where isGone(entry) { remove(entry.key) }
  }

  /// Remembers how many requests a removed rule has affected.
  mutating func remember(_ key: RuleKey, timesMet: Int) {
    guard timesMet > 0, entries[key] == nil else { return }
    gone[key] = timesMet
    if gone.count > 2 * Self.remembered { gone = gone.filter { $0.key.id > lastID(of: $0.key.kind) - Self.remembered } }
  }

  /// Removes a rule of the server's own, or all such rules of a kind.
  ///
  /// - Returns: Whether the rule existed; `true` for all rules of a kind.
  mutating func removeOwn(_ kind: Rule.Kind, _ id: Int?) -> Bool {
    if let id { return self[kind, id].map { $0.origin != .shared } == true && remove(RuleKey(kind, id)) != nil }
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
      guard let entry = entries[key], entry.rank > rank, entry.rank < found?.rank ?? .max, !entry.count.isUsedUp,
        entry.rule.matcher.matches(request)
      else { continue }
      found = entry
    }
    return found
  }

  /// Whether a stub responds to a request.
  func hasResponse(to request: MatchableRequest) -> Bool {
    candidates(for: request).contains { key in
      guard key.kind == .stub, let entry = entries[key] else { return false }
      return !entry.rule.leavesRequests && !entry.count.isUsedUp && entry.rule.matcher.matches(request)
    }
  }

  /// Whether rules need the body of a request.
  func readsBody(of request: MatchableRequest) -> Bool {
    candidates(for: request).contains { entries[$0]?.rule.readsBody == true }
  }

  /// Whether a rule affects a request that matches it.
  mutating func choose(_ entry: Entry) -> Bool {
    let matched = entries[entry.key]?.matched ?? 0
    entries[entry.key]?.matched = matched + 1
    return entry.rule.affects(after: matched)
  }

  /// Counts a request for a rule of the server's own, and removes the rule after its last request, unless it is a hold:
  /// requests wait in it.
  mutating func countRequest(_ key: RuleKey) {
    entries[key]?.count.add()
    if key.kind != .hold, entries[key]?.count.isUsedUp == true { remove(key) }
  }

  /// The rules that may match a request; some may be listed twice.
  private func candidates(for request: MatchableRequest) -> [RuleKey] {
    var candidates: [RuleKey] = []
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
