import OrderedJSON

/// A fault or a stub that servers share.
struct SharedRule: Sendable {
  enum Kind: String, Sendable {
    case fault
    case stub
  }

  /// What one server tells the others of a rule: as it is sent to `/__admin`, beside what that cannot say.
  struct Draft: Sendable {
    let kind: Kind
    let value: JSONValue
    let times: Int?
  }

  /// A request that a rule is for, with the others counted.
  struct Meeting: Sendable {
    /// How many requests the rule has met, this one among them.
    let count: Int
    /// How many it is still for; `nil` for no end.
    let timesLeft: Int?
  }

  /// A rule that is to be added.
  enum New: Sendable {
    case fault(Fault)
    case stub(Stub)

    /// Reads a rule as it is sent to `/__admin`.
    ///
    /// - Throws: 400 that names the member at fault.
    init(_ kind: Kind, _ body: AdminBody, files: BodyFiles) throws(RequestError) {
      switch kind {
      case .fault: self = .fault(try Fault(body, files: files))
      case .stub: self = .stub(try Stub(body, files: files))
      }
    }

    /// What the other servers are told; `nil` for a stub with a closure, which is this server's own.
    ///
    /// - Throws: 400 for a rule that cannot be used.
    func draft() throws(RequestError) -> Draft? {
      switch self {
      case .fault(let fault): try Draft(fault)
      case .stub(let stub): try Draft(stub)
      }
    }
  }

  let kind: Kind
  /// Ascending in the order in which the rules of a kind were added.
  let id: Int
  /// What ``Draft/value`` was.
  let value: JSONValue
  /// How many requests it is still for; `nil` for no end.
  let timesLeft: Int?

  // Members of `value`.
  fileprivate static let rule = "rule"
  /// Each byte of a file is a code point, so that nothing has to be encoded but what JSON escapes.
  fileprivate static let files = "files"
  /// Whether a pattern's body is the whole body, which `/__admin` cannot say.
  fileprivate static let isWhole = "wholeBody"
}

extension SharedRule.Draft {
  /// - Throws: 400 for a fault that cannot be used.
  init(_ fault: Fault) throws(RequestError) {
    var fault = fault
    let matcher = try Simulation.matcher(of: fault)
    let files = fault.response.takeBytes(as: "body")
    self.init(
      .fault, fault.value(id: 0, timesLeft: nil, matcher: matcher), files: files, matcher, times: fault.times)
  }

  /// - Returns: `nil` for a stub with a closure, which is this server's own.
  /// - Throws: 400 for a stub that cannot be used.
  init?(_ stub: Stub) throws(RequestError) {
    let matcher = try Stubs.matcher(of: stub)
    guard case .responses(var responses) = stub.action else { return nil }
    var files: [String: [UInt8]] = [:]
    for index in responses.indices {
      files.merge(responses[index].takeBytes(as: "body-\(index + 1)")) { _, new in new }
    }
    let stored = Stub(stub.request, inOrder: responses, times: stub.times, delay: stub.delay)
    self.init(
      .stub, stored.value(id: 0, timesLeft: nil, matcher: matcher), files: files, matcher, times: stub.times)
  }

  private init(
    _ kind: SharedRule.Kind, _ rule: JSONValue, files: [String: [UInt8]], _ matcher: RequestMatcher, times: Int?
  ) {
    self.kind = kind
    self.times = times
    var members = rule.object ?? JSONObject()
    members["id"] = nil
    var value = JSONObject([(SharedRule.rule, .object(members))])
    if !files.isEmpty {
      value[SharedRule.files] = .object(JSONObject(files.sorted { $0.key < $1.key }.map { ($0, .string(bytes: $1)) }))
    }
    if case .equal? = matcher.pattern.body { value[SharedRule.isWhole] = true }
    self.value = .object(value)
  }
}

extension SharedRule {
  /// - Throws: 400 when another version of the program wrote what this one cannot read.
  func fault() throws(RequestError) -> (fault: Fault, matcher: RequestMatcher) {
    var fault = try Fault(AdminBody(members), files: files)
    fault.request.body = body(of: fault.request)
    return (fault, try Simulation.matcher(of: fault))
  }

  /// - Throws: 400 when another version of the program wrote what this one cannot read.
  func stub() throws(RequestError) -> (stub: Stub, matcher: RequestMatcher) {
    var stub = try Stub(AdminBody(members), files: files)
    stub.request.body = body(of: stub.request)
    return (stub, try Stubs.matcher(of: stub))
  }

  private var members: JSONObject { value[Self.rule]?.object ?? JSONObject() }

  private var files: BodyFiles {
    let texts = value[Self.files]?.object ?? JSONObject()
    return BodyFiles(
      directory: nil, contents: Dictionary(uniqueKeysWithValues: texts.map { ($0.name, $0.value.bytes) }))
  }

  private func body(of pattern: RequestPattern) -> RequestPattern.Body? {
    guard value[Self.isWhole] != nil, let body = pattern.body else { return pattern.body }
    return .equal(body.value)
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
