public import HTTPTypes
public import JSONServerValues

/// A complete HTTP request.
///
/// Copies share everything except the body until one of them is changed: a request is passed on at each step, and
/// rarely changed.
public struct Request: Sendable {
  private final class Head: Sendable {
    let method: HTTPRequest.Method
    let target: String
    let fields: Fields
    let mount: Mount
    let mayAskForScript: Bool

    init(method: HTTPRequest.Method, target: String, fields: Fields, mount: Mount) {
      self.method = method
      self.target = target
      self.fields = fields
      self.mount = mount
      mayAskForScript = Request.mayAskForScript(target)
    }
  }

  /// The header fields, which all requests of a connection with the same head share.
  private final class Fields: Sendable {
    let list: HTTPFields
    let known: KnownFields
    let byteCount: Int

    init(_ list: HTTPFields) {
      (self.list, known) = (list, KnownFields(in: list))
      byteCount = list.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }
  }

  /// The fields that every step looks for and few requests have.
  ///
  /// Searched only once: finding that a field is missing costs as much as a step of the pipeline, and a client sends
  /// the same fields repeatedly.
  package struct KnownFields: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    static let origin = KnownFields(rawValue: 1)
    static let acceptEncoding = KnownFields(rawValue: 2)
    package static let ifNoneMatch = KnownFields(rawValue: 4)
    package static let page = KnownFields(rawValue: 8)
  }

  private var head: Head

  /// Whether `Host` may be missing, as in HTTP/1.0: no browser sends such requests, so no other site can cause them.
  package var mayLackHost = false

  /// The bytes of the body; none when there is no body.
  package var bytes: [UInt8]

  /// Creates a request.
  public init(method: HTTPRequest.Method, target: String, headers: HTTPFields = [:], body: Data = Data()) {
    self.init(method: method, target: target, headerFields: headers, body: Array(body))
  }

  /// Creates a request with the bytes of a body.
  package init(method: HTTPRequest.Method, target: String, body: [UInt8]) {
    self.init(method: method, target: target, headerFields: [:], body: body)
  }

  /// Creates a request with header fields, and the bytes of a body.
  package init(method: HTTPRequest.Method, target: String, headerFields: HTTPFields, body: [UInt8] = []) {
    head = Head(method: method, target: target, fields: Fields(headerFields), mount: Mount())
    bytes = body
  }

  /// The body; empty when there is none.
  ///
  /// - Complexity: O(size).
  public var body: Data {
    get { Data(bytes) }
    set { bytes = Array(newValue) }
  }

  /// The method, such as GET.
  public var method: HTTPRequest.Method {
    get { head.method }
    set { change(method: newValue) }
  }

  /// The target in origin form, with the query and its percent-escapes as they were sent: `/posts?_page=2`.
  ///
  /// Middleware sees each path in one spelling, whichever the client has sent: `/posts` for `//%70osts/.`.
  public var target: String {
    get { head.target }
    set { change(target: newValue) }
  }

  /// The header fields, `Host` among them: `headers["Authorization"]`, or `headers[.authorization]`.
  ///
  /// - Complexity: O(fields) for each change.
  public var headers: HTTPFields {
    get { headerFields }
    set { headerFields = newValue }
  }

  /// The header fields.
  package var headerFields: HTTPFields {
    get { head.fields.list }
    set { change(fields: Fields(newValue)) }
  }

  /// The number of bytes of the target, of the header fields and of the body.
  package var byteCount: Int { head.target.utf8.count + head.fields.byteCount + bytes.count }

  /// Whether the request has one of the fields.
  package func has(_ field: KnownFields) -> Bool { head.fields.known.contains(field) }

  /// Whether nothing distinguishes two requests without bodies: method, target, fields in their order, and mount.
  package func hasHead(of other: Request) -> Bool {
    guard mayLackHost == other.mayLackHost else { return false }
    if head === other.head { return true }
    let (fields, others) = (head.fields, other.head.fields)
    return head.target == other.head.target && head.method == other.head.method && head.mount == other.head.mount
      && (fields === others
        || fields.list.elementsEqual(others.list) { $0.name.rawName == $1.name.rawName && $0.value == $1.value })
  }

  /// The beginning of the server's addresses in the response.
  package var mount: Mount {
    get { head.mount }
    set { change(mount: newValue) }
  }

  private mutating func change(
    method: HTTPRequest.Method? = nil, target: String? = nil, fields: Fields? = nil, mount: Mount? = nil
  ) {
    head = Head(
      method: method ?? head.method, target: target ?? head.target, fields: fields ?? head.fields,
      mount: mount ?? head.mount)
  }
}

extension Request.KnownFields {
  fileprivate init(in fields: HTTPFields) {
    self = []
    if fields.contains(.origin) { insert(.origin) }
    if fields.contains(.acceptEncoding) { insert(.acceptEncoding) }
    if fields.contains(.ifNoneMatch) { insert(.ifNoneMatch) }
    if fields.contains(.page) { insert(.page) }
  }
}

/// The beginning of a server's addresses, without the host.
package struct Mount: Sendable, Hashable {
  /// Whether the server speaks HTTPS.
  package var isSecure = false
  /// The path prefix: empty, or with a slash before each segment and none at the end.
  package var path = ""

  package init(isSecure: Bool = false, path: String = "") {
    self.isSecure = isSecure
    self.path = path
  }
}

extension Request: CustomReflectable {
  /// The parts by their names, for printing and dumping.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["method": method, "target": target, "headers": headers, "body": body] as KeyValuePairs,
      displayStyle: .struct)
  }
}

extension Request {
  /// Whether its method is one of those that only read (RFC 9110, section 9.2.1).
  package var isSafe: Bool {
    method == .get || method == .head || method == .options
  }

  /// The path of the target, with its percent-escapes as they were sent: `/posts/1`.
  public var path: String {
    String(RequestTarget.encodedPath(of: target))
  }

  /// The target without some parameters of its query, and with another one at its end.
  ///
  /// - Parameter isLeftOut: Whether a name, as it was sent, is left out.
  package func target(leavingOut isLeftOut: (Substring) -> Bool, adding parameter: String? = nil) -> String {
    let path = RequestTarget.encodedPath(of: target)
    var kept: [Substring] = []
    if path.endIndex < target.endIndex {
      let pairs = target[path.endIndex...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
      kept = pairs.filter { !isLeftOut($0.prefix { $0 != "=" }) }
    }
    if let parameter { kept.append(parameter[...]) }
    return kept.isEmpty ? String(path) : path + "?" + kept.joined(separator: "&")
  }

  /// The decoded parameters of the query; of a repeated name the first value: `["_page": "2"]`.
  public var query: [String: String] {
    let items = (try? QueryParameters(target: target))?.items ?? []
    return Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The body as JSON, including forms and tables; `nil` when there is none.
  public var json: JSONValue? {
    guard !bytes.isEmpty else { return nil }
    let text = (try? RequestBody.json(from: self))?.json.utf8 ?? bytes
    return (try? JSONValue(parsing: text)) ?? String(validating: bytes, as: UTF8.self).map(JSONValue.string)
  }

  /// Returns the body as a Swift value.
  ///
  /// ```swift
  /// let saved = try await server.waitForRequest(.post("/bookmarks")).decode(Bookmark.self)
  /// ```
  ///
  /// - Throws: `DecodingError` with the coding path of a missing or mistyped value, or that says that there is no body.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    guard let json else {
      let context = DecodingError.Context(codingPath: [], debugDescription: "\(method) \(target) has no body.")
      throw DecodingError.valueNotFound(type, context)
    }
    return try json.decode(type, decoder: decoder)
  }

  /// Whether the target may have a parameter for JSONP.
  package var mayAskForScript: Bool { head.mayAskForScript }

  /// Searched byte by byte: a general search for a string costs too much for every request.
  private static func mayAskForScript(_ target: String) -> Bool {
    target.withBytes { bytes in
      guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return false }
      var rest = bytes[mark...]
      while let start = rest.firstIndex(of: UInt8(ascii: "c")) {
        rest = rest[start...]
        if rest.starts(with: "callback=".utf8) { return true }
        rest.removeFirst()
      }
      return false
    }
  }

  /// The address at which the client has reached the server, such as `http://localhost:3000`, with the path prefix;
  /// only the prefix when the client does not name the host.
  package var base: String {
    (headerFields.joined(.host).map { (mount.isSecure ? "https://" : "http://") + $0 } ?? "") + mount.path
  }
}

extension HTTPFields {
  /// The value of the field with a name, which may be in any letter case; `nil` when there is none.
  public subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    set {
      guard let name = HTTPField.Name(name) else { return }
      self[name] = newValue
    }
  }
}
