package import HTTPTypes
public import JSONServerHTTP
public import JSONServerValues

/// The requests that a stub, a fault, a hold or an expectation matches.
///
/// A request must match all properties that have a value. A path matches the path as it was sent, with or without the server's
/// path prefix, or the path after rewrite rules; letter case counts as it does for resources. GET matches HEAD, too. With
/// `X-HTTP-Method-Override`, the overriding method counts.
public struct RequestPattern: Sendable, Hashable {
  /// A parameter of the query, or a header field.
  package struct Field: Sendable, Hashable {
    /// The name; letter case counts in a query only.
    package let name: String
    /// The value, which one of the request's values must match; `nil` when the request must not have the field. In a header
    /// field `*` stands for any characters.
    package let value: String?

    /// Creates a field.
    package init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The request's body: as JSON, to which forms and tables are converted, or as it was sent.
  public enum Body: Sendable, Hashable, ExpressibleByNilLiteral {
    /// Any body, or none.
    case any
    /// The body contains this value: objects by their members, arrays element by element, other values if equal.
    case including(JSONValue)
    /// The body equals this value; the order of members and the spelling of numbers make no difference.
    case equal(JSONValue)
    /// The body consists of exactly these bytes; without bytes, as with `nil`, the request has no body.
    case data(Data)

    public init(nilLiteral: ()) { self = .data(Data()) }

    /// The body is exactly this text, in UTF-8.
    public static func text(_ text: String) -> Body { .data(Data(text.utf8)) }

    /// The expected JSON; `nil` for the other cases.
    package var value: JSONValue? {
      switch self {
      case .including(let value), .equal(let value): value
      case .any, .data: nil
      }
    }
  }

  /// The method; `nil` for all.
  package var method: HTTPRequest.Method?
  /// The decoded path, with `%2F` for a slash within a segment; a `*` stands for any characters, including slashes. A
  /// query after the path counts as ``query``.
  package var path: String?
  /// The parameters that the query must have; it may have others.
  package var query: [Field]
  /// The header fields that the request must have; it may have others.
  package var headers: [Field]
  /// The body.
  package var body: Body
  /// Whether a request must have exactly this path, query and body: `*` has no special meaning, letter case counts, and
  /// without ``query`` or ``body`` a request must have none.
  ///
  /// Requests may have further parameters and members of bodies with names of secrets, such as `access_token` and
  /// `password`. An exact pattern needs a ``path``; GET matches HEAD, too.
  package var isExact = false
  /// The requests among these that the pattern leaves out.
  package var exceptions: [RequestPattern] = []

  /// Creates a pattern; an empty one matches all requests except those to `/__admin`.
  ///
  /// ```swift
  /// RequestPattern(.get, "/posts", query: ["_page": "2", "draft": nil])
  /// ```
  package init(
    _ method: HTTPRequest.Method? = nil, _ path: String? = nil, query: KeyValuePairs<String, String?> = [:],
    headers: KeyValuePairs<String, String?> = [:], body: Body = .any
  ) {
    self.method = method
    self.path = path
    self.query = query.map { Field($0.key, $0.value) }
    self.headers = headers.map { Field($0.key, $0.value) }
    self.body = body
  }
}

extension RequestPattern: CustomStringConvertible {
  /// The pattern for people: `GET /posts?_page=2 with Accept: text/* without Cookie`.
  public var description: String {
    var text = "\(isExact ? "exactly " : "")\(method?.rawValue ?? "any method") \(path ?? "*")"
    let parameters = query.compactMap { field in field.value.map { "\(field.name)=\($0)" } }
    if !parameters.isEmpty {
      text += (path?.contains("?") == true ? "&" : "?") + parameters.joined(separator: "&")
    }
    let fields = headers.compactMap { field in field.value.map { "\(field.name): \($0)" } }
    if !fields.isEmpty { text += " with " + fields.joined(separator: ", ") }
    let absent = (query + headers).filter { $0.value == nil }.map(\.name)
    if !absent.isEmpty { text += " without " + absent.joined(separator: ", ") }
    switch body {
    case .including(let value): text += " with a body including \(value.text(pretty: false))"
    case .equal(let value): text += " with body \(value.text(pretty: false))"
    case .data(let data): text += data.isEmpty ? " without a body" : " with body \(Self.text(of: data))"
    case .any: break
    }
    return text + exceptions.map { " unless \($0)" }.joined()
  }

  /// The bytes of a body for people: the text in quotes, or their number.
  package static func text(of body: some Collection<UInt8>) -> String {
    String(validating: body, as: UTF8.self).map { "'\($0)'" } ?? "of \(body.count) bytes"
  }
}

extension RequestPattern {
  /// The members of a pattern.
  static let memberNames: Set = ["method", "path", "query", "headers", "body", "exact", "unless"]

  /// Reads the members of a pattern from a body.
  ///
  /// - Parameter names: The members to read; in a fault, `headers` and `body` belong to the response.
  /// - Throws: 400 that names the invalid member.
  init(_ body: StrictObject, reading names: Set<String> = memberNames) throws(RequestError) {
    self.init()
    if let name = try body.string("method") {
      guard let method = HTTPRequest.Method(name.uppercased()) else { throw body.wrong("method", "a method") }
      self.method = method
    }
    path = try body.string("path")
    query = try Self.fields(body, "query")
    if names.contains("headers") { headers = try Self.fields(body, "headers") }
    if names.contains("exact") { isExact = try body.bool("exact") ?? false }
    if names.contains("body") { self.body = body.member("body").map { .including($0) } ?? .any }
    let objects =
      body.value("unless")?.array == nil ? try body.object("unless").map { [$0] } : try body.objects("unless")
    exceptions = try (objects ?? []).map { object throws(RequestError) in
      try object.allow(only: Self.memberNames)
      return try RequestPattern(object)
    }
  }

  private static func fields(_ body: StrictObject, _ name: String) throws(RequestError) -> [Field] {
    guard let value = body.value(name) else { return [] }
    let error = body.wrong(name, "an object of names and strings, or null for what is absent")
    guard let members = value.object else { throw error }
    var fields: [Field] = []
    for (name, value) in members {
      for value in value.array ?? [value] {
        switch value {
        case .null: fields.append(Field(name, nil))
        case .string(let text): fields.append(Field(name, text))
        case .number(let number): fields.append(Field(name, number.text))
        case .bool(let flag): fields.append(Field(name, String(flag)))
        case .array, .object: throw error
        }
      }
    }
    return fields
  }

  /// The pattern as JSON, in the form in which it is read.
  var members: JSONObject {
    var members = JSONObject()
    members["method"] = method.map { .string($0.rawValue) }
    members["path"] = path.map { .string($0) }
    if !query.isEmpty { members["query"] = Self.value(query) }
    if !headers.isEmpty { members["headers"] = Self.value(headers) }
    members["body"] = body.value
    if isExact { members["exact"] = true }
    let others = exceptions.map { JSONValue.object($0.members) }
    if !others.isEmpty { members["unless"] = others.count == 1 ? others[0] : .array(others) }
    return members
  }

  private static func value(_ fields: [Field]) -> JSONValue {
    var members = JSONObject()
    for field in fields {
      let value = field.value.map(JSONValue.string) ?? .null
      members[field.name] = members[field.name].map { .array(($0.array ?? [$0]) + [value]) } ?? value
    }
    return .object(members)
  }
}
