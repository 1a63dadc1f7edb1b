import JSONDatabase
import JSONServerValues

/// The reason why a request is refused.
struct Refusal: Error {
  /// The statuses that say so, the best first.
  let statuses: [Int]
  let message: String
  var problems: [Problem] = []
  /// Whether the request cannot be carried out at all.
  var isUnreadable = false
}

/// Checks a request by an operation, and reads its values.
struct RequestChecker {
  let document: Document
  let index: Int
  let request: DocumentRequest
  let path: [(name: String, value: String)]
  private(set) var pathValues: [String: String] = [:]
  private(set) var query: [String: JSONValue] = [:]
  private(set) var body: JSONValue?

  init(document: Document, index: Int, request: DocumentRequest, path: [(name: String, value: String)]) {
    (self.document, self.index, self.request, self.path) = (document, index, request, path)
  }

  private var schema: JSONSchema { document.schema }

  /// - Returns: The reason why the request is refused; `nil` for a valid one.
  mutating func check() -> Refusal? {
    for (name, value) in path { pathValues[name] = value }
    var problems: [Problem] = []
    for parameter in document.operations[index].parameters {
      let found = problemsOf(parameter)
      if parameter.location == .path, !found.isEmpty {
        return Refusal(
          statuses: [404, 400, 422],
          message: "'\(pathValues[parameter.name] ?? "")' is not valid for {\(parameter.name)}: it \(found[0].message)."
        )
      }
      problems += found
    }
    let body = readBody()
    if !problems.isEmpty {
      let list = problems.map { "\($0.place.joined(separator: " ")) \($0.message)" }.joined(separator: "; ")
      return Refusal(
        statuses: [400, 422], message: "The parameters are not as the document says: \(list).", problems: problems)
    }
    return body
  }

  // MARK: Parameters

  private mutating func problemsOf(_ parameter: Operation.Parameter) -> [Problem] {
    let place = [parameter.location.rawValue, parameter.name]
    guard let value = value(of: parameter) else {
      return parameter.isRequired ? [Problem(place, Problem.missing)] : []
    }
    if parameter.location == .query { query[parameter.name] = value }
    if parameter.allowsEmpty, value == "" { return [] }
    return schema.problems(of: value, by: parameter.schema, at: place, .request)
  }

  private func value(of parameter: Operation.Parameter) -> JSONValue? {
    let ids = parameter.schema
    let types = schema.types(of: ids)
    let texts: [String]
    switch parameter.location {
    case .path: texts = [pathValues[parameter.name]].compactMap(\.self)
    case .header: texts = [request.field(parameter.name.lowercased())].compactMap(\.self)
    case .cookie: texts = [request.cookie(parameter.name)].compactMap(\.self)
    case .query:
      if types == .object, !parameter.isJSON, parameter.explodes { return object(parameter) }
      texts = request.query.filter { $0.name == parameter.name || $0.name == parameter.name + "[]" }.map(\.value)
    }
    guard let first = texts.first else { return nil }
    if parameter.isJSON { return (try? JSONValue(parsing: first)) ?? .string(first) }
    if types == .array {
      func array(_ texts: [String]) -> JSONValue {
        .array(texts.map { schema.value(of: $0, by: schema.items(of: ids)) })
      }
      let separator: Character = ["spaceDelimited": " ", "pipeDelimited": "|"][parameter.style] ?? ","
      if parameter.location == .query {
        if parameter.explodes { return array(texts) }
        if separator == ",", let elements = request.elements[parameter.name] { return array(elements) }
      }
      let parts =
        first.isEmpty ? [] : first.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      // Many clients escape all commas, also those that separate.
      return schema.allows(array(parts), by: ids, .request) || !schema.allows(array([first]), by: ids, .request)
        ? array(parts) : array([first])
    }
    if types == .object {
      let parts = first.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      var members = JSONObject()
      if parameter.explodes {
        for part in parts {
          let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
          members[pair[0]] = schema.value(of: pair.count > 1 ? pair[1] : "", by: schema.property(pair[0], of: ids))
        }
      } else {
        guard parts.count % 2 == 0 else { return .string(first) }
        for at in stride(from: 0, to: parts.count, by: 2) {
          members[parts[at]] = schema.value(of: parts[at + 1], by: schema.property(parts[at], of: ids))
        }
      }
      return .object(members)
    }
    guard texts.count == 1 else { return .array(texts.map(JSONValue.string)) }
    return schema.value(of: first, by: ids)
  }

  /// An object whose members are parameters of their own: `a=1`, or `name[a]=1`.
  private func object(_ parameter: Operation.Parameter) -> JSONValue? {
    let isDeep = parameter.style == "deepObject"
    var members = JSONObject()
    // The name alone stands for no object, unless a member is named like the parameter.
    if let plain = request.query.first(where: { $0.name == parameter.name }),
      isDeep || schema.property(parameter.name, of: parameter.schema).isEmpty
    {
      return .string(plain.value)
    }
    for (name, value) in request.query {
      var key = name
      if isDeep {
        guard name.hasPrefix(parameter.name + "["), name.hasSuffix("]") else { continue }
        key = String(name.dropFirst(parameter.name.count + 1).dropLast())
      }
      let ids = schema.property(key, of: parameter.schema)
      guard isDeep || !ids.isEmpty else { continue }
      members[key] = schema.value(of: value, by: ids)
    }
    return members.isEmpty ? nil : .object(members)
  }

  // MARK: The body

  private mutating func readBody() -> Refusal? {
    guard let (isRequired, contents) = document.operations[index].body else { return nil }
    guard let result = request.body else {
      return isRequired ? Refusal(statuses: [400, 422], message: "The body is missing; send one.") : nil
    }
    let type = request.mediaType
    guard let content = contents.first(where: { Self.matches(type, $0.type) }) else {
      let types = contents.map(\.type).joined(separator: " or ")
      return Refusal(
        statuses: [415, 400, 422], message: "A body of type '\(type)' is not taken; send \(types).", isUnreadable: true)
    }
    let isParsed = content.isJSON || type.contains("form") || type.hasSuffix("/xml")
    switch result {
    case .failure(let fault):
      guard isParsed else { return nil }
      return Refusal(statuses: [400, 422], message: fault.message, isUnreadable: true)
    case .success(let value):
      let value = content.isJSON ? value : schema.reading(value, by: content.schema, isXML: type.hasSuffix("/xml"))
      body = value
      guard isParsed || schema.types(of: content.schema).contains(.string) else { return nil }
      let problems = schema.problems(of: value, by: content.schema, .request)
      guard !problems.isEmpty else { return nil }
      let list = problems.listed(whole: "the body")
      return Refusal(
        statuses: [422, 400], message: "The body is not as the document says: \(list).", problems: problems)
    }
  }

  private static func matches(_ type: String, _ pattern: String) -> Bool {
    let pattern = pattern.prefix { $0 != ";" }.lowercased()
    if pattern == "*/*" || pattern == type { return true }
    return pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())
  }
}

extension JSONSchema {
  /// The value that a text stands for, by the types of some schemas.
  func value(of text: String, by ids: [ID]) -> JSONValue {
    guard !ids.isEmpty else { return .string(text) }
    let types = types(of: ids)
    var values: [JSONValue] = []
    if !types.isDisjoint(with: [.integer, .number]), let number = JSONNumber(text: text) {
      if !types.contains(.string) { return .number(number) }
      values.append(.number(number))
    }
    if types.contains(.boolean), text == "true" || text == "false" { values.append(.bool(text == "true")) }
    if !types.contains(.string), text == "null" { values.append(.null) }
    values.append(.string(text))
    return values.first { allows($0, by: ids, .request) } ?? values[0]
  }

  /// A form, whose values are texts and files, or XML, whose values are texts and objects, as a schema reads it.
  func reading(_ value: JSONValue, by ids: [ID], isXML: Bool) -> JSONValue {
    let isWrapped = isXML && shape(ids).parts.contains { nodes[$0].isWrapped }
    if isArray(ids) {
      let inner = value == "" ? [] : value.object?.names.first.flatMap { value[$0] }
      let elements = isWrapped ? inner ?? value : value
      return .array((elements.array ?? [elements]).map { reading($0, by: items(of: ids), isXML: isXML) })
    }
    // Where the schema has a text, a file is its name.
    if let text = value.string ?? (isText(ids) ? value["filename"]?.string : nil) {
      if isObject(ids) {
        let object = isXML && text.isEmpty ? .object([:]) : try? JSONValue(parsing: text)
        return object?.object == nil ? value : object ?? value
      }
      let value = self.value(of: text, by: ids)
      // An element without content is null, too.
      return isXML && text.isEmpty && !allows(value, by: ids, .request) && allows(.null, by: ids) ? .null : value
    }
    guard let members = value.object else { return value }
    let properties = properties(of: ids)
    return .object(
      JSONObject(
        members.map { name, value in
          let known =
            properties.first { $0.name == name }
            ?? (isXML ? properties.first { tag(of: $0.ids) == name } : nil)
          return (known?.name ?? name, reading(value, by: known?.ids ?? [], isXML: isXML))
        }))
  }

  /// The name of the elements of a member in XML.
  private func tag(of ids: [ID]) -> String? {
    let parts = shape(ids).parts
    let isWrapped = parts.contains { nodes[$0].isWrapped }
    return ((isWrapped ? [] : shape(items(of: ids)).parts) + parts).lazy.compactMap { nodes[$0].xmlName }.first
  }
}
