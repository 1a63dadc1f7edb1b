import HTTPTypes
import JSONStorage
import OrderedJSON

/// A request to another server and its response, as a stub has them, without secrets.
struct RecordedStub: Sendable {
  /// The request, to find out which stubs match it.
  let request: Request
  /// The stub's `request`.
  let pattern: RequestPattern
  /// One of the stub's `responses`.
  let response: JSONObject
  /// What becomes a file of its own: a body that is no text.
  let bodyFile: (name: String, content: [UInt8])?

  /// - Parameters:
  ///   - request: The request, its target as this server gets it.
  ///   - response: The other server's response.
  ///   - address: The other server's address.
  ///   - filePrefix: How the names of files with bodies begin.
  /// - Throws: Why there is no stub of it.
  init(_ request: Request, _ response: Response, from address: UpstreamAddress, filePrefix: String) throws(Refusal) {
    guard case .bytes(let bytes) = response.body, 200...599 ~= response.status.code else {
      throw Refusal("no stub can be like it")
    }
    pattern = try Self.pattern(of: request)
    self.request = request
    var fields = response.headerFields.passedOn(keepsLength: request.method == .head)
      .filter { !Self.isLeftOut($0) }
    address.moveAddresses(in: &fields, to: "")
    var fixed = FixedResponse(status: response.status == .ok ? nil : response.status, headerFields: fields)
    bodyFile = Self.setBody(of: &fixed, to: bytes, for: request, filePrefix)
    self.response = fixed.members
  }

  /// Why a response is not recorded, for a sentence.
  struct Refusal: Error {
    let reason: String

    fileprivate init(_ reason: String) { self.reason = reason }
  }

  /// Whether a field is a secret, of that one response alone, or one that each stub's response has. Validators are made
  /// anew: whoever edits the body would have to change them, too.
  private static func isLeftOut(_ field: HTTPField) -> Bool {
    let name = field.name.canonicalName
    return HTTPFields.secretNames.contains(name) || leftOutNames.contains(name) || name.hasPrefix("access-control-")
      || name == "cache-control" && field.value == "no-cache"
  }

  private static let leftOutNames: Set = [
    "age", "alt-svc", "date", "etag", "last-modified", "strict-transport-security", "vary", "via",
  ]

  // MARK: The request

  /// - Throws: Why no stub can be for the request.
  private static func pattern(of request: Request) throws(Refusal) -> RequestPattern {
    guard let target = try? ParsedTarget(request.target) else { throw Refusal("no stub can be like it") }
    var pattern = RequestPattern(request.method, path(of: request, target.path))
    pattern.isExact = true
    let parameters = target.parameters.items.filter { !SecretName.matches($0.name) }
    pattern.query = parameters.map { RequestPattern.Field($0.name, $0.value) }
    if let body = request.bodyValue {
      if case .string(let text) = body, SecretName.isMentioned(in: text) {
        throw Refusal("its request's body seems to hold a secret, which cannot be told from the rest of a text")
      }
      pattern.body = .including(body.withoutSecrets)
    }
    guard (try? RequestMatcher(pattern)) != nil else { throw Refusal("no stub can be like it") }
    return pattern
  }

  /// The path as a pattern has it, which is decoded once more: readable when that changes nothing.
  private static func path(of request: Request, _ path: Path) -> String {
    let decoded = path.description
    if !decoded.contains(where: { "%?#:".contains($0) }), !decoded.hasSuffix("/.") { return decoded }
    return "/" + path.segments.map { PercentEncoding.encodeSegment($0) }.joined(separator: "/")
  }

  // MARK: The body

  /// - Returns: The file that holds the body, when the stub cannot.
  private static func setBody(
    of response: inout FixedResponse, to bytes: [UInt8], for request: Request, _ filePrefix: String
  ) -> (name: String, content: [UInt8])? {
    guard !bytes.isEmpty else { return nil }
    let type = response.headerFields[.contentType].map(MediaType.init)
    let isCoded = response.headerFields.contains(.contentEncoding)
    if let type, !isCoded {
      if type.isJSON, let value = try? JSONValue(parsing: bytes) {
        response.body = .json(value)
        // What a stub's JSON has without saying so.
        if response.headerFields[.contentType] == "application/json" { response.headerFields[.contentType] = nil }
        return nil
      }
      if !type.isJSON, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
        response.body = .json(.string(text))
        return nil
      }
    }
    let name = fileName(for: request, bytes, filePrefix)
    response.body = .file(named: name, bytes)
    return (name, bytes)
  }

  /// A name that says what the file is, and by its hash that it holds these bytes.
  private static func fileName(for request: Request, _ bytes: [UInt8], _ prefix: String) -> String {
    let last = request.path.split(separator: "/").last.map(String.init) ?? ""
    let kept = last.utf8.filter { ByteSet.words.contains($0) || ".-".utf8.contains($0) }
    let parts = String(decoding: kept, as: UTF8.self).split(separator: ".")
    let hash = bytes.withUnsafeBytes { String(ContentHash(of: $0).value, radix: 16) }
    let stem = ([prefix] + parts.dropLast(parts.count > 1 ? 1 : 0).map { String($0.prefix(40)) } + [hash])
      .joined(separator: "-")
    return parts.count > 1 ? "\(stem).\(parts[parts.count - 1].prefix(10))" : stem
  }
}
