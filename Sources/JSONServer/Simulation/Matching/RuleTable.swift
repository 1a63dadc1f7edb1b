/// The faults, holds or stubs of a server, each with the requests that it is for.
///
/// A request finds those that may match it by its path and one parameter: a thousand with paths of their own, or with one
/// path and values of their own for a parameter, cost as little as one. What differs only in other things is compared one by
/// one.
struct RuleTable<Value: Sendable>: Sendable {
  struct Rule: Sendable {
    let id: Int
    /// Of several that match, the one with the least rank counts.
    let rank: Int
    let matcher: RequestMatcher
    /// How many requests it is still for; `nil` for no end.
    var timesLeft: Int?
    var value: Value
    /// Whether all servers of a database have it, which counts the requests then.
    var isShared = false
  }

  /// A rule that all servers of a database have.
  typealias SharedRule = (id: Int, matcher: RequestMatcher, timesLeft: Int?, value: Value)

  private var rules: [Int: Rule] = [:]
  /// The rules by what comes before the first `*` of their paths, without regard to letter case, and by its length.
  private var prefixes: [Int: [[UInt8]: RuleBucket]] = [:]
  /// The rules whose paths have no `*`.
  private var literals: [[UInt8]: RuleBucket] = [:]
  /// The largest id that a rule has had.
  private(set) var lastID = 0
  private var (first, last) = (0, 0)
  /// How many requests each rule has met, those among them that are gone but were among the last ones.
  private var meetings: [Int: Int] = [:]
  /// How many of the last rules are remembered when they are gone.
  private static var remembered: Int { 10_000 }
  /// Whether a rule stays when it is for no request any more.
  private let keepsSpent: Bool

  init(keepsSpent: Bool = false) {
    self.keepsSpent = keepsSpent
  }

  var isEmpty: Bool { rules.isEmpty }

  /// The rules in the order in which they count.
  var all: [Rule] { rules.values.sorted { $0.rank < $1.rank } }

  subscript(id: Int) -> Rule? { rules[id] }

  /// How many requests a rule has met, whether it is still there or not; 0 for one that has gone 10,000 rules ago.
  func timesMet(_ id: Int) -> Int { meetings[id] ?? 0 }

  /// Changes what a rule does; does nothing when there is no such rule.
  mutating func change(_ id: Int, _ body: (inout Value) -> Void) {
    guard var rule = rules.removeValue(forKey: id) else { return }
    body(&rule.value)
    rules[id] = rule
  }

  /// Adds a rule and returns its id.
  ///
  /// - Parameter comesFirst: Whether it counts before those that are there, instead of after them.
  mutating func add(_ value: Value, for matcher: RequestMatcher, times: Int?, comesFirst: Bool = false) -> Int {
    lastID += 1
    if comesFirst { first -= 1 } else { last += 1 }
    insert(Rule(id: lastID, rank: comesFirst ? first : last, matcher: matcher, timesLeft: times, value: value))
    return lastID
  }

  private mutating func insert(_ rule: Rule) {
    rules[rule.id] = rule
    let (key, isLiteral) = Self.key(of: rule.matcher)
    if isLiteral {
      literals[key, default: RuleBucket()].insert(rule.id, rule.matcher)
    } else {
      prefixes[key.count, default: [:]][key, default: RuleBucket()].insert(rule.id, rule.matcher)
    }
  }

  /// Takes the rules that all servers have in the place of those that it had of them. They count before its own; one of
  /// its own that has the id of another gets a new one.
  ///
  /// - Parameter shared: The rules, in the order in which they count.
  mutating func replaceShared(with shared: [SharedRule]) {
    for rule in rules.values where rule.isShared { _ = remove(rule.id) }
    lastID = max(lastID, shared.lazy.map { $0.id }.max() ?? 0)
    for (position, rule) in shared.enumerated() {
      if let own = rules[rule.id] {
        _ = remove(own.id)
        lastID += 1
        insert(
          Rule(id: lastID, rank: own.rank, matcher: own.matcher, timesLeft: own.timesLeft, value: own.value))
      }
      insert(
        Rule(
          id: rule.id, rank: Self.firstOfShared + position, matcher: rule.matcher, timesLeft: rule.timesLeft,
          value: rule.value, isShared: true))
    }
  }

  /// Less than the rank of any rule of the server's own.
  private static var firstOfShared: Int { .min / 2 }

  /// Removes a rule, and returns whether it was there.
  mutating func remove(_ id: Int) -> Bool {
    guard let rule = rules.removeValue(forKey: id) else { return false }
    let (key, isLiteral) = Self.key(of: rule.matcher)
    if isLiteral {
      literals[key]?.remove(id, rule.matcher)
      if literals[key]?.isEmpty == true { literals[key] = nil }
    } else {
      prefixes[key.count]?[key]?.remove(id, rule.matcher)
      if prefixes[key.count]?[key]?.isEmpty == true { prefixes[key.count]?[key] = nil }
      if prefixes[key.count]?.isEmpty == true { prefixes[key.count] = nil }
    }
    return true
  }

  /// Removes the rules, but for those that all servers have.
  mutating func removeOwn() {
    let shared = rules.values.filter(\.isShared)
    rules.removeAll()
    literals.removeAll()
    prefixes.removeAll()
    for rule in shared { insert(rule) }
  }

  /// Returns the first rule that a request meets, and counts it.
  ///
  /// - Parameter rank: Rules up to this one are passed over.
  mutating func next(for request: MatchableRequest, after rank: Int = .min) -> Rule? {
    guard let found = first(for: request, after: rank) else { return nil }
    meetings[found.id, default: 0] += 1
    if meetings.count > rules.count + 2 * Self.remembered {
      meetings = meetings.filter { rules[$0.key] != nil || $0.key > lastID - Self.remembered }
    }
    if let times = found.timesLeft {
      rules[found.id]?.timesLeft = times - 1
      if times <= 1, !keepsSpent { _ = remove(found.id) }
    }
    return found
  }

  /// Returns the first rule that a request meets, without counting it.
  func first(for request: MatchableRequest, after rank: Int = .min) -> Rule? {
    var found: Rule?
    for id in candidates(for: request) {
      guard let rule = rules[id], rule.rank > rank, rule.rank < found?.rank ?? .max, rule.timesLeft != 0,
        rule.matcher.matches(request)
      else { continue }
      found = rule
    }
    return found
  }

  /// Records for how many requests a rule is still; one that is for none any more is removed.
  mutating func setTimesLeft(_ times: Int?, of id: Int) {
    if times == 0 { _ = remove(id) } else { rules[id]?.timesLeft = times }
  }

  private func candidates(for request: MatchableRequest) -> [Int] {
    var candidates: [Int] = []
    for target in request.targets {
      let path = target.isFolded ? target.path : Self.folded(target.path)
      literals[path]?.appendCandidates(for: target.parameters, to: &candidates)
      for (length, buckets) in prefixes where length <= path.count {
        buckets[Array(path.prefix(length))]?.appendCandidates(for: target.parameters, to: &candidates)
      }
    }
    return candidates
  }

  private static func key(of matcher: RequestMatcher) -> (key: [UInt8], isLiteral: Bool) {
    guard let path = matcher.path?.folded else { return ([], false) }
    if matcher.pattern.isExact { return (folded(Array(matcher.path?.text.utf8 ?? "".utf8)), true) }
    return (Array(path.literalPrefix), path.isLiteral)
  }

  private static func folded(_ path: [UInt8]) -> [UInt8] {
    Array(String(decoding: path, as: UTF8.self).lowercased().utf8)
  }
}

/// The rules of one path, by a parameter that their requests must have.
private struct RuleBucket: Sendable {
  private struct Parameter: Hashable {
    let name: String
    let value: String
  }

  /// Each rule by the first parameter of which it asks for a value.
  private var byParameter: [Parameter: [Int]] = [:]
  /// The rules that ask for none.
  private var others: [Int] = []

  var isEmpty: Bool { others.isEmpty && byParameter.isEmpty }

  mutating func insert(_ id: Int, _ matcher: RequestMatcher) {
    if let parameter = Self.parameter(of: matcher) {
      byParameter[parameter, default: []].append(id)
    } else {
      others.append(id)
    }
  }

  mutating func remove(_ id: Int, _ matcher: RequestMatcher) {
    guard let parameter = Self.parameter(of: matcher) else { return others.removeAll { $0 == id } }
    byParameter[parameter]?.removeAll { $0 == id }
    if byParameter[parameter]?.isEmpty == true { byParameter[parameter] = nil }
  }

  /// Appends the rules that a request with some parameters may meet.
  func appendCandidates(for parameters: [(name: String, value: String)], to candidates: inout [Int]) {
    candidates += others
    guard !byParameter.isEmpty else { return }
    for (name, value) in parameters { candidates += byParameter[Parameter(name: name, value: value)] ?? [] }
  }

  private static func parameter(of matcher: RequestMatcher) -> Parameter? {
    for field in matcher.pattern.query {
      if let value = field.value { return Parameter(name: field.name, value: value) }
    }
    return nil
  }
}
