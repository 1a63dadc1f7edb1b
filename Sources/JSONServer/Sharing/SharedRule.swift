import OrderedJSON

/// A fault or a stub that servers share, as one of them tells it the others.
struct SharedRule: Sendable {
  /// A request that a rule is for, with the others counted.
  struct Meeting: Sendable {
    /// How many requests the rule has met, this one among them.
    let count: Int
    /// How many it is still for; `nil` for no end.
    let timesLeft: Int?
  }

  let kind: Rule.Kind
  /// The rule as it is sent to `/__admin`, beside what that cannot say.
  let value: JSONValue
  /// How many requests it is still for; `nil` for no end.
  let times: Int?

  // Members of `value`.
  private static let rule = "rule"
  /// Each byte of a file is a code point, so that nothing has to be encoded but what JSON escapes.
  private static let files = "files"
  /// Whether a pattern's body is the whole body, which `/__admin` cannot say.
  private static let isWhole = "wholeBody"
}

extension SharedRule {
  /// - Returns: `nil` for a hold and a stub with a closure, which are this server's own.
  init?(_ rule: Rule) {
    guard !rule.effect.responses.isEmpty else { return nil }
    var stored = rule
    var files: [String: [UInt8]] = [:]
    for index in rule.effect.responses.indices {
      let name = rule.kind == .fault ? "body" : "body-\(index + 1)"
      files.merge(stored.effect.responses[index].takeBytes(as: name)) { _, new in new }
    }
    var value = JSONObject([(Self.rule, .object(stored.members()))])
    if !files.isEmpty {
      value[Self.files] = .object(JSONObject(files.sorted { $0.key < $1.key }.map { ($0, .string(bytes: $1)) }))
    }
    if case .equal? = rule.request.body { value[Self.isWhole] = true }
    self.init(kind: rule.kind, value: .object(value), times: rule.times)
  }

  /// - Throws: 400 when another version of the program wrote what this one cannot read.
  func rule() throws(RequestError) -> Rule {
    let texts = value[Self.files]?.object ?? JSONObject()
    let files = BodyFiles(
      directory: nil, contents: Dictionary(uniqueKeysWithValues: texts.map { ($0.name, $0.value.bytes) }))
    let members = value[Self.rule]?.object ?? JSONObject()
    var rule = try Rule(kind, AdminBody(members), files: files, isWhole: value[Self.isWhole] != nil)
    rule.times = times
    return rule
  }
}

extension FixedResponse {
  /// Makes a file of a body that is given as bytes.
  ///
  /// - Parameter name: The file's name.
  /// - Returns: What the body's file holds, by its name; empty for a response whose body is none.
  fileprivate mutating func takeBytes(as name: String) -> [String: [UInt8]] {
    switch body {
    case nil, .json: return [:]
    case .file(let name, let bytes): return [name: bytes]
    case .bytes(let bytes):
      body = .file(named: name, bytes)
      return [name: bytes]
    }
  }
}

extension JSONValue {
  /// A text with a code point for each byte.
  fileprivate static func string(bytes: [UInt8]) -> JSONValue {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return .string(String(text))
  }

  /// The bytes of such a text.
  fileprivate var bytes: [UInt8] { string?.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } ?? [] }
}
