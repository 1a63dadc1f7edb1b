import JSONServerValues

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
    /// The number of requests that have matched, whether or not the rule has affected them.
    fileprivate var matched = 0

    fileprivate init(_ id: Int, rank: Int, _ rule: Rule, _ origin: Origin) {
      (self.id, self.rank, self.rule, self.origin, timesLeft) = (id, rank, rule, origin, rule.times)
    }

    fileprivate var key: Key { Key(kind: rule.kind, id: id) }
    /// Whether the rule's effect depends on how many requests it has affected.
    var isCounted: Bool { timesLeft != nil || rule.effect.responses.count > 1 }
    /// The response to the next request that the rule matches; `nil` for none.
    var response: PreparedResponse? { rule.response(after: timesMet - begun) }

    /// The same response, with a shape filled.
    func response(filledFrom values: (String) -> JSONValue?) -> PreparedResponse? {
      rule.response(after: timesMet - begun, filledFrom: values)
    }
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

  /// Lets the responses of the server's own rules, and the choices of all rules with a probability, begin anew.
  mutating func beginSequences() {
    for (key, entry) in entries {
      if entry.origin != .shared { entries[key]?.begun = entry.timesMet }
      entries[key]?.matched = 0
    }
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

  /// Whether a stub responds to a request.
  func hasResponse(to request: MatchableRequest) -> Bool {
    candidates(for: request).contains { key in
      guard key.kind == .stub, let entry = entries[key] else { return false }
      return !entry.rule.leavesRequests && entry.timesLeft != 0 && entry.rule.matcher.matches(request)
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
