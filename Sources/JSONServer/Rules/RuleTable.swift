/// The rules of a server, each with the requests that it is for; each kind counts its ids by itself.
///
/// A request finds those that may match it by its path and one parameter: a thousand with paths of their own, or with one
/// path and values of their own for a parameter, cost as little as one. What differs only in other things is compared one by
/// one.
///
/// Of stubs, those that all servers of a database have come first, then those added later, then those the server started
/// with, then those of the stubs file. Faults and holds are in the order in which they were added.
struct RuleTable: Sendable {
  /// Where a rule comes from.
  enum Origin: Sendable {
    case start
    case stubsFile
    case added
    /// All servers of a database have it, which counts the requests then.
    case shared
  }

  struct Entry: Sendable {
    fileprivate(set) var id: Int
    /// Of several that match, the one with the least rank counts.
    let rank: Int
    let rule: Rule
    let origin: Origin
    /// How many requests it is still for; `nil` for no end.
    fileprivate(set) var timesLeft: Int?
    /// How many requests it has met.
    var timesMet = 0

    fileprivate init(_ id: Int, rank: Int, _ rule: Rule, _ origin: Origin) {
      (self.id, self.rank, self.rule, self.origin, timesLeft) = (id, rank, rule, origin, rule.times)
    }

    fileprivate var key: Key { Key(kind: rule.kind, id: id) }
    /// Whether it has to be known how many requests it has met.
    var isCounted: Bool { timesLeft != nil || rule.effect.responses.count > 1 }
    /// What is sent to the request that meets it next; `nil` when nothing is fixed.
    var response: PreparedResponse? { rule.effect.response(after: timesMet) }
  }

  fileprivate struct Key: Hashable, Sendable {
    let kind: Rule.Kind
    let id: Int
  }

  private var entries: [Key: Entry] = [:]
  /// The rules by the keys of their paths, and by the first parameter of which they ask for a value; `nil` for none.
  private var buckets: [[UInt8]: [RequestPattern.Field?: [Key]]] = [:]
  /// How much of a path precedes the `*` of a key.
  private var prefixLengths: Set<Int> = []
  private var lastIDs: [Rule.Kind: Int] = [:]
  private var (first, last) = (0, 0)
  /// How many requests the last ones of those rules have met that are gone.
  private var gone: [Key: Int] = [:]
  /// How many of the last rules are remembered when they are gone.
  private static let remembered = 10_000
  /// Less than the rank of any rule of the server's own.
  private static let firstOfShared = Int.min / 2

  var isEmpty: Bool { entries.isEmpty }

  /// The largest id that a rule of a kind has had.
  func lastID(of kind: Rule.Kind) -> Int { lastIDs[kind] ?? 0 }

  /// The rules of a kind in the order in which they count.
  func all(_ kind: Rule.Kind) -> [Entry] {
    entries.values.filter { $0.rule.kind == kind }.sorted { $0.rank < $1.rank }
  }

  subscript(kind: Rule.Kind, id: Int) -> Entry? { entries[Key(kind: kind, id: id)] }

  /// How many requests a rule has met, whether it is still there or not; 0 for one that has gone 10,000 rules ago.
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

  /// Takes the stubs of a file in the place of those that it had before.
  mutating func replaceFile(with stubs: [Rule]) {
    removeAll { $0.origin == .stubsFile }
    for stub in stubs { add(stub, from: .stubsFile) }
  }

  /// Takes the rules that all servers have in the place of those that it had of them. They count before its own; one of
  /// its own that has the id of another gets a new one.
  ///
  /// - Parameter shared: The rules with their counts, those of a kind in the order in which they were added.
  mutating func replaceShared(with shared: [(rule: Rule, count: SharedRule.Count)]) {
    removeAll { $0.origin == .shared }
    for (rule, count) in shared { lastIDs[rule.kind] = max(lastID(of: rule.kind), count.id) }
    // Of stubs, those that were added later come first.
    let ordered = shared.filter { $0.rule.kind != .stub } + shared.filter { $0.rule.kind == .stub }.reversed()
    for (position, (rule, count)) in ordered.enumerated() {
      if var own = remove(rule.kind, count.id) {
        own.id = nextID(of: rule.kind)
        insert(own)
      }
      insert(Entry(count.id, rank: Self.firstOfShared + position, rule, .shared))
      self.count(count)
    }
  }

  /// Records how often a rule was met that all servers have.
  mutating func count(_ count: SharedRule.Count) {
    let key = Key(kind: count.kind, id: count.id)
    entries[key]?.timesLeft = count.timesLeft
    entries[key]?.timesMet = count.timesMet
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

  private mutating func removeAll(where isGone: (Entry) -> Bool) {
    let all = entries.values
    (entries, buckets, prefixLengths) = ([:], [:], [])
    for entry in all {
      if isGone(entry) { remember(entry) } else { insert(entry) }
    }
  }

  private mutating func remember(_ entry: Entry) {
    guard entry.timesMet > 0 else { return }
    gone[entry.key] = entry.timesMet
    if gone.count > 2 * Self.remembered { gone = gone.filter { $0.key.id > lastID(of: $0.key.kind) - Self.remembered } }
  }

  /// Removes a rule of the server's own, or all of a kind.
  ///
  /// - Returns: Whether there was one; always, for all of a kind.
  mutating func removeOwn(_ kind: Rule.Kind, _ id: Int?) -> Bool {
    if let id { return self[kind, id].map { $0.origin != .shared } == true && remove(kind, id) != nil }
    removeAll { $0.rule.kind == kind && $0.origin != .shared }
    return true
  }

  // MARK: Requests

  /// Returns the first rule of a kind that a request meets, without counting the request.
  ///
  /// - Parameter rank: Rules up to this one are passed over.
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

  /// Counts a request that has met a rule of the server's own; one that is for none any more is removed, unless requests
  /// wait in it.
  mutating func count(_ entry: Entry) {
    entries[entry.key]?.timesMet += 1
    guard let times = entry.timesLeft else { return }
    entries[entry.key]?.timesLeft = times - 1
    if times == 1, entry.rule.kind != .hold { remove(entry.rule.kind, entry.id) }
  }

  /// The rules that a request may meet, some of them twice.
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
