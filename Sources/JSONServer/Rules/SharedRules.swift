import JSONDatabase
import JSONServerValues

/// The rows of faults and stubs in the state that servers share: the rule as it is sent to `/__admin`, the members that
/// `/__admin` does not have, and the number of requests that met the rule.
///
/// Each change is a function of the state, so that it can be repeated when another server was first. A rollback of the state
/// must not take back a server's own rules, which no commit holds; they are only in ``RuleTable``.
enum SharedRules {
  // Members of a row.
  private static let rule = "rule"
  /// Each byte of a file is a code point, so that only JSON's escapes are needed.
  private static let files = "files"
  /// Whether a pattern's body is the whole body. `/__admin` has no such member.
  private static let isWhole = "wholeBody"

  /// - Returns: `nil` where the state is not saved, and for what servers do not share: a hold, a pattern of bytes, and a stub
  ///   with a closure, with a response that breaks the connection, or without a response to some requests.
  static func value(of rule: Rule, in state: ServerState) -> JSONValue? {
    guard state.isSaved else { return nil }
    if case .data = rule.request.body { return nil }
    let others = rule.request.exceptions.map(\.body)
    guard others.allSatisfy({ $0 == .any || $0.value.map(RequestPattern.Body.including) == $0 }) else { return nil }
    switch rule.effect {
    case .hold, .handler: return nil
    case .fault, .responses([nil]): break
    case .responses(let responses):
      if responses.contains(where: { $0?.delivery != .normal }) { return nil }
    }
    var stored = rule
    var files: [String: [UInt8]] = [:]
    for index in rule.effect.responses.indices {
      let name = rule.kind == .fault ? "body" : "body-\(index + 1)"
      files.merge(stored.effect.responses[index].takeBytes(as: name)) { _, new in new }
    }
    var value = JSONObject([(Self.rule, .object(stored.members(timesLeft: rule.times)))])
    if !files.isEmpty {
      value[Self.files] = .object(JSONObject(files.sorted { $0.key < $1.key }.map { ($0, .string(bytes: $1)) }))
    }
    if case .equal = rule.request.body { value[Self.isWhole] = true }
    return .object(value)
  }

  /// - Throws: 400 when another version of the program wrote a rule that this version cannot read.
  static func rule(_ kind: Rule.Kind, _ value: JSONValue) throws(RequestError) -> Rule {
    let texts = value[Self.files]?.object ?? JSONObject()
    let files = BodyFiles(
      directory: nil, contents: Dictionary(uniqueKeysWithValues: texts.map { ($0.name, $0.value.bytes) }))
    let members = value[Self.rule]?.object ?? JSONObject()
    return try Rule(kind, StrictObject(members), files: files, isWhole: value[Self.isWhole] != nil)
  }

  // MARK: The state

  /// Adds a rule after those of its kind, and returns its id.
  ///
  /// - Parameter own: The last id that this server has assigned to an unshared rule of this kind.
  static func add(_ value: JSONValue, _ kind: Rule.Kind, after own: Int, to state: inout ServerState) -> Int {
    let id = max(own, state[.number, kind.rawValue]?.int ?? 0) + 1
    state[.number, kind.rawValue] = JSONValue(id)
    state[.rule, RuleKey(kind, id).name] = value
    return id
  }

  /// Replaces a rule, and returns whether there was one.
  static func replace(_ kind: Rule.Kind, _ id: Int, with value: JSONValue, in state: inout ServerState) -> Bool {
    let name = RuleKey(kind, id).name
    guard state[.rule, name] != nil else { return false }
    (state[.rule, name], state[.count, name]) = (value, nil)
    return true
  }

  /// Lets the responses of all rules begin with the first one again.
  static func beginSequences(in state: inout ServerState) {
    for (name, row) in state[.count] {
      var count = RuleCount(row)
      count.beginAnew()
      state[.count, name] = count.row
    }
  }

  /// Removes a rule, or all of a kind, and returns whether there was one.
  static func remove(_ kind: Rule.Kind, _ id: Int?, from state: inout ServerState) -> Bool {
    let names = state[.rule].keys.filter { other in
      id.map { other == RuleKey(kind, $0).name } ?? other.hasPrefix("\(kind.rawValue)/")
    }
    for name in names { (state[.rule, name], state[.count, name]) = (nil, nil) }
    return !names.isEmpty
  }

  /// The number of requests that met a rule; `nil` for an unknown rule.
  static func count(of key: RuleKey, in state: ServerState) -> RuleCount? {
    guard let value = state[.rule, key.name] else { return nil }
    return state[.count, key.name].map { RuleCount($0) } ?? RuleCount(upTo: value[rule]?["times"]?.int)
  }

  /// Counts a request that meets a rule.
  ///
  /// - Returns: The count before the request; `nil` when the rule has reached its limit.
  static func countRequest(_ key: RuleKey, in state: inout ServerState) -> RuleCount? {
    guard let before = count(of: key, in: state) else { return nil }
    var count = before
    count.add()
    if count.isUsedUp { _ = remove(key.kind, key.id, from: &state) } else { state[.count, key.name] = count.row }
    return before
  }
}

extension FixedResponse {
  /// Turns a body of bytes into a file.
  ///
  /// - Parameter name: The file's name.
  /// - Returns: The content of the body's file, by name; empty for a response without a body of bytes.
  fileprivate mutating func takeBytes(as name: String) -> [String: [UInt8]] {
    switch body {
    case nil, .json, .shape, .events: return [:]
    case .file(let name, let bytes): return [name: bytes]
    case .bytes(let bytes):
      body = .file(named: name, bytes)
      return [name: bytes]
    }
  }
}

extension JSONValue {
  /// A text with a code point for each byte.
  static func string(bytes: [UInt8]) -> JSONValue {
    // Most bodies are ASCII; their bytes are the text.
    if bytes.allSatisfy({ $0 < 0x80 }) { return .string(String(decoding: bytes, as: UTF8.self)) }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return .string(String(text))
  }

  /// The bytes of such a text.
  var bytes: [UInt8] {
    guard let string else { return [] }
    if string.utf8.allSatisfy({ $0 < 0x80 }) { return Array(string.utf8) }
    return string.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}
