import JSONDatabase
import JSONDescription
import JSONServerValues

/// Checks records by a JSON Schema of the whole file (draft 2020-12), with the keywords that forms need.
///
/// It checks ``keywords``, `$ref` within the document, and boolean schemas. It skips annotations, and lists all other
/// keywords in ``ignored``.
struct JSONSchemaChecker: Sendable {
  private static let keywords: Set<String> = [
    "$ref", "$defs", "definitions", "type", "enum", "const", "required", "properties", "additionalProperties", "items",
    "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "pattern", "format",
  ]
  private static let annotations: Set<String> = [
    "$schema", "$id", "$anchor", "$comment", "$vocabulary", "title", "description", "default", "examples",
    "deprecated", "readOnly", "writeOnly",
  ]
  /// The largest number of references in a row.
  private static let maximumReferences = 32

  private let document: JSONValue
  private var patterns: [String: TextPattern] = [:]
  /// The keywords of the document that are not checked.
  private(set) var ignored: [String] = []

  /// Reads a schema.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the place of an invalid pattern, of a
  ///   reference without target, and of an invalid schema.
  init(_ document: JSONValue) throws(ServerError) {
    self.document = document
    try read(document, at: "#")
  }

  private mutating func read(_ schema: JSONValue, at place: String) throws(ServerError) {
    if case .bool = schema { return }
    guard let members = schema.object else {
      throw Self.fault(place, "a schema is an object, or true or false")
    }
    for (name, value) in members {
      let below = "\(place)/\(name)"
      if !Self.keywords.contains(name), !Self.annotations.contains(name) { ignore("'\(name)'") }
      switch name {
      case "properties", "$defs", "definitions":
        guard let schemas = value.object else { throw Self.fault(below, "schemas by name are an object") }
        for (name, schema) in schemas { try read(schema, at: "\(below)/\(name)") }
      case "items", "additionalProperties": try read(value, at: below)
      case "$ref":
        guard let reference = value.string else { throw Self.fault(below, "a reference is a text") }
        if !reference.hasPrefix("#") {
          ignore("'$ref' to \(reference)")
        } else if target(of: reference) == nil {
          throw Self.fault(below, "the reference '\(reference)' has no target")
        }
      case "pattern":
        do throws(DatabaseError) {
          patterns[value.string ?? ""] = try TextPattern(value.string ?? "")
        } catch {
          throw Self.fault(below, error.message)
        }
      case "format":
        let format = value.string ?? ""
        if StringFormat(rawValue: format) == nil { ignore("the format '\(format)'") }
      default: break
      }
    }
  }

  private mutating func ignore(_ what: String) {
    if !ignored.contains(what) { ignored.append(what) }
  }

  private static func fault(_ place: String, _ message: String) -> ServerError {
    ServerError(.invalidConfiguration, "The JSON schema cannot be used: at \(place), \(message).")
  }

  /// The part of the document at a JSON Pointer.
  private func target(of reference: String) -> JSONValue? {
    reference.dropFirst().split(separator: "/").reduce(document as JSONValue?) { value, name in
      let name = PercentEncoding.decode(name.utf8, plusIsSpace: false) ?? String(name)
      let plain = name.replacing("~1", with: "/").replacing("~0", with: "~")
      return value?[plain] ?? Int(plain).flatMap { value?[$0] }
    }
  }

  /// Finds the problems of a record, or of a single resource.
  func problems(in value: ValidJSON, of resource: String, isRecord: Bool) -> [Problem] {
    guard let schema = resolved(document)?["properties"]?[resource],
      let shape = isRecord ? resolved(schema)?["items"] : schema
    else { return [] }
    var problems: [Problem] = []
    check(JSONValue(value), by: shape, at: [], &problems)
    return problems
  }

  /// A schema after following its references; `nil` unless it is an object.
  private func resolved(_ schema: JSONValue) -> JSONValue? {
    var schema = schema
    for _ in 0..<Self.maximumReferences {
      guard let reference = schema["$ref"]?.string, schema.object?.count == 1, let next = target(of: reference) else {
        break
      }
      schema = next
    }
    return schema.object == nil ? nil : schema
  }

  private func check(
    _ value: JSONValue, by schema: JSONValue, at place: [String], _ problems: inout [Problem], references: Int = 0
  ) {
    func fail(_ message: String, at place: [String]) { problems.append(Problem(place, message)) }
    if case .bool(let isAllowed) = schema {
      if !isAllowed { fail("is not allowed", at: place) }
      return
    }
    if let reference = schema["$ref"]?.string, references < Self.maximumReferences,
      let target = target(of: reference), reference.hasPrefix("#")
    {
      check(value, by: target, at: place, &problems, references: references + 1)
    }
    if let type = schema["type"] {
      let names = type.string.map { [$0] } ?? type.array?.compactMap(\.string) ?? []
      // Other keywords do not report a value of another type again.
      guard names.isEmpty || names.contains(where: value.isOfType) else {
        return fail("must be of type \(names.joined(separator: " or "))", at: place)
      }
    }
    if let allowed = schema["enum"]?.array, !allowed.contains(value) {
      fail("must be one of \(allowed.map { $0.text(pretty: false) }.joined(separator: ", "))", at: place)
    }
    if let only = schema["const"], only != value { fail("must be \(only.text(pretty: false))", at: place) }
    switch value {
    case .string(let text): check(text, by: schema) { fail($0, at: place) }
    case .number(let number): check(number.doubleValue, by: schema) { fail($0, at: place) }
    case .array(let elements):
      check(elements.count, "items", between: schema["minItems"], and: schema["maxItems"]) { fail($0, at: place) }
      guard let items = schema["items"] else { break }
      for (index, element) in elements.enumerated() {
        check(element, by: items, at: place + [String(index)], &problems)
      }
    case .object(let members): check(members, by: schema, at: place, &problems)
    case .null, .bool: break
    }
  }

  private func check(
    _ members: JSONObject, by schema: JSONValue, at place: [String], _ problems: inout [Problem]
  ) {
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where members[name] == nil {
      problems.append(Problem(place + [name], "is missing"))
    }
    let properties = schema["properties"]
    for (name, member) in members {
      guard let schema = properties?[name] ?? schema["additionalProperties"] else { continue }
      if properties?[name] == nil, schema == false {
        problems.append(Problem(place + [name], "is not a known member"))
      } else {
        check(member, by: schema, at: place + [name], &problems)
      }
    }
  }

  private func check(_ text: String, by schema: JSONValue, fail: (String) -> Void) {
    check(
      text.unicodeScalars.count, "characters", between: schema["minLength"], and: schema["maxLength"], fail: fail)
    if let pattern = schema["pattern"]?.string, let matcher = patterns[pattern], !matcher.matches(text) {
      fail("must match the pattern \(pattern)")
    }
    if let format = schema["format"]?.string, StringFormat(rawValue: format)?.matches(text) == false {
      fail("must be in the format \(format)")
    }
  }

  private func check(_ number: Double, by schema: JSONValue, fail: (String) -> Void) {
    func bound(_ name: String) -> (value: Double, text: String)? {
      guard case .number(let number)? = schema[name] else { return nil }
      return (number.doubleValue, number.text)
    }
    if let least = bound("minimum"), number < least.value { fail("must be at least \(least.text)") }
    if let most = bound("maximum"), number > most.value { fail("must be at most \(most.text)") }
    if let below = bound("exclusiveMinimum"), number <= below.value { fail("must be more than \(below.text)") }
    if let above = bound("exclusiveMaximum"), number >= above.value { fail("must be less than \(above.text)") }
  }

  private func check(
    _ count: Int, _ unit: String, between least: JSONValue?, and most: JSONValue?, fail: (String) -> Void
  ) {
    if let least = least?.int, count < least { fail("must have at least \(least) \(unit), and has \(count)") }
    if let most = most?.int, count > most { fail("must have at most \(most) \(unit), and has \(count)") }
  }
}

extension JSONValue {
  /// Whether the value has a type of JSON Schema.
  fileprivate func isOfType(_ name: String) -> Bool {
    switch self {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .number(let number):
      name == "number" || name == "integer" && number.doubleValue.rounded() == number.doubleValue
    case .string: name == "string"
    case .array: name == "array"
    case .object: name == "object"
    }
  }
}
