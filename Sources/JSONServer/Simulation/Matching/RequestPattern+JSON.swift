import HTTPTypes
import OrderedJSON

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
