package import HTTPTypes
public import JSONServerValues

/// The requests that a stub, a fault, a hold or an expectation is about.
///
/// All that is given must hold. The path is met as it was sent, with or without the path under which the server is mounted,
/// and as rewrite rules made it; letter case counts as it does for resources. GET is HEAD, too, and a method that was
/// overridden is the one that overrides.
public struct RequestPattern: Sendable, Hashable {
  /// A parameter of the query, or a header field.
  package struct Field: Sendable, Hashable {
    /// The name; letter case counts in a query only.
    package let name: String
    /// The value, of several at least one; `nil` when the request has no such field. In a header field `*` stands for any
    /// characters.
    package let value: String?

    /// Creates a field.
    package init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// What the request's body is, as JSON; a form's or a table's members count as JSON, too.
  public enum Body: Sendable, Hashable {
    /// The body holds this: objects by their members, arrays element by element, all else is equal.
    case including(JSONValue)
    /// The body is this; the order of members and the spelling of numbers make no difference.
    case equal(JSONValue)

    /// The value that is compared with.
    package var value: JSONValue {
      switch self {
      case .including(let value), .equal(let value): value
      }
    }
  }

  /// The method; `nil` for all.
  package var method: HTTPRequest.Method?
  /// The path, decoded; a `*` stands for any characters, slashes among them. A query that follows it counts as ``query``.
  package var path: String?
  /// What the query has, among other parameters.
  package var query: [Field]
  /// What the request's header has, among other fields.
  package var headers: [Field]
  /// What the body is; `nil` for any.
  package var body: Body?
  /// Whether a request must have exactly this path, this query and this body: `*` stands for itself, letter case counts,
  /// and without ``query`` or ``body`` a request must have none.
  ///
  /// Parameters and members of bodies whose names say that they are secrets, such as `access_token` and `password`, may be
  /// there besides. Such a pattern needs a ``path``; GET is HEAD, too.
  package var isExact = false

  /// Creates a pattern; one without anything matches all requests but those to `/__admin`.
  ///
  /// ```swift
  /// RequestPattern(.get, "/posts", query: ["_page": "2", "draft": nil])
  /// ```
  package init(
    _ method: HTTPRequest.Method? = nil, _ path: String? = nil, query: KeyValuePairs<String, String?> = [:],
    headers: KeyValuePairs<String, String?> = [:], body: Body? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query.map { Field($0.key, $0.value) }
    self.headers = headers.map { Field($0.key, $0.value) }
    self.body = body
  }
}

extension RequestPattern: CustomStringConvertible {
  /// The pattern for a person: `GET /posts?_page=2 with Accept: text/*`.
  public var description: String {
    var text = "\(isExact ? "exactly " : "")\(method?.rawValue ?? "any method") \(path ?? "*")"
    for (number, field) in query.enumerated() {
      let mark = number == 0 && path?.contains("?") != true ? "?" : "&"
      text += mark + (field.value.map { "\(field.name)=\($0)" } ?? "\(field.name) absent")
    }
    let fields = headers.map { "\($0.name)\($0.value.map { ": \($0)" } ?? " absent")" }
    if !fields.isEmpty { text += " with " + fields.joined(separator: ", ") }
    switch body {
    case .including(let value): text += " with a body including \(value.text(pretty: false))"
    case .equal(let value): text += " with body \(value.text(pretty: false))"
    case nil: break
    }
    return text
  }
}

extension RequestPattern {
  /// The members of a pattern.
  static let memberNames: Set = ["method", "path", "query", "headers", "body", "exact"]

  /// Reads those members of a body that a pattern has.
  ///
  /// - Parameter names: The members to read; others of a pattern's names mean something else there.
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody, reading names: Set<String> = memberNames) throws(RequestError) {
    self.init()
    if let name = try body.string("method") {
      guard let method = HTTPRequest.Method(name.uppercased()) else { throw body.wrong("method", "a method") }
      self.method = method
    }
    path = try body.string("path")
    query = try Self.fields(body, "query")
    if names.contains("headers") { headers = try Self.fields(body, "headers") }
    if names.contains("exact") { isExact = try body.bool("exact") ?? false }
    if names.contains("body") { self.body = body.member("body").map { .including($0) } }
  }

  private static func fields(_ body: AdminBody, _ name: String) throws(RequestError) -> [Field] {
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

  /// The pattern as it is read.
  var members: JSONObject {
    var members = JSONObject()
    members["method"] = method.map { .string($0.rawValue) }
    members["path"] = path.map { .string($0) }
    if !query.isEmpty { members["query"] = Self.value(query) }
    if !headers.isEmpty { members["headers"] = Self.value(headers) }
    members["body"] = body?.value
    if isExact { members["exact"] = true }
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
