import OrderedJSON

@testable import JSONServer

/// What servers share besides the data, in memory.
struct SharedSimulationFixture {
  private struct Rule {
    let draft: SharedRule.Draft
    var count = 0

    var timesLeft: Int? { draft.times.map { $0 - count } }
  }

  /// At which version of the data it was changed last.
  private(set) var version = -1
  private var rules: [SharedRule.Kind: [Int: Rule]] = [.fault: [:], .stub: [:]]
  private var lastIDs: [SharedRule.Kind: Int] = [:]
  private var settings = JSONObject()
  var tokens: [String: SharedToken] = [:]

  func state(version: Int) -> SharedState {
    let all = rules.flatMap { kind, rules in
      rules.sorted { $0.key < $1.key }.filter { $0.value.timesLeft != 0 }.map { id, rule in
        SharedRule(kind: kind, id: id, value: rule.draft.value, timesLeft: rule.timesLeft)
      }
    }
    return SharedState(version: version, rules: all, settings: settings)
  }

  mutating func carryOut(_ change: SharedChange, version: Int) -> Int {
    self.version = version
    switch change {
    case .add(let draft, let own):
      let id = max(lastIDs[draft.kind] ?? 0, own) + 1
      lastIDs[draft.kind] = id
      rules[draft.kind]?[id] = Rule(draft: draft)
      return id
    case .remove(let kind, let id?): return rules[kind]?.removeValue(forKey: id) == nil ? 0 : 1
    case .remove(let kind, nil):
      rules[kind] = [:]
      return 1
    case .set(let members):
      for (name, value) in members { settings[name] = value }
      return 0
    case .revoke(let token):
      guard let origin = tokens[token]?.origin else { return 0 }
      tokens = tokens.filter { $0.value.origin != origin }
      return 1
    case .expireTokens(let now):
      let valid = tokens.values.filter { !$0.isRefresh && $0.end > now }
      for token in valid {
        tokens[token.text] = SharedToken(
          text: token.text, isRefresh: false, origin: token.origin, holder: token.holder, slot: token.slot, end: now)
      }
      return valid.count
    }
  }

  mutating func meet(_ kind: SharedRule.Kind, _ id: Int) -> SharedRule.Meeting? {
    guard var rule = rules[kind]?[id], rule.timesLeft != 0 else { return nil }
    rule.count += 1
    rules[kind]?[id] = rule
    return SharedRule.Meeting(count: rule.count, timesLeft: rule.timesLeft)
  }
}
