package import JSONServerValues
import TextMatching

/// JSON Schemas that refer to each other (draft 2020-12, and the dialects of OpenAPI 3.0 and 3.1).
package struct JSONSchema: Sendable {
  /// The number of a schema.
  package typealias ID = Int

  /// The types of a value.
  package struct Types: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    static let null = Types(rawValue: 1)
    static let boolean = Types(rawValue: 2)
    static let integer = Types(rawValue: 4)
    static let number = Types(rawValue: 8)
    static let string = Types(rawValue: 16)
    static let array = Types(rawValue: 32)
    static let object = Types(rawValue: 64)
    static let all = Types(rawValue: 127)
    static let names: [(name: String, type: Types)] = [
      ("string", .string), ("integer", .integer), ("number", .number), ("boolean", .boolean), ("array", .array),
      ("object", .object), ("null", .null),
    ]
  }

  /// Whom a value comes from.
  package enum Direction: Sendable {
    /// From a client: members that are read-only may be missing, and count for nothing.
    case request
    /// From the server: members that are write-only are missing.
    case response
    /// From a file.
    case stored
  }

  /// The keywords of one schema.
  struct Node: Sendable {
    var isNever = false
    var types = Types.all
    var hasTypes = false
    var isNullable = false
    var reference: ID?
    var allOf: [ID] = []
    var anyOf: [ID] = []
    var oneOf: [ID] = []
    var not: ID?
    var condition: (test: ID, then: ID?, otherwise: ID?)?
    var properties: [(name: String, id: ID)] = []
    var positions: [String: ID] = [:]
    var patterns: [(pattern: Pattern, id: ID)] = []
    var required: [String] = []
    var dependentRequired: [(name: String, needs: [String])] = []
    var additional: ID?
    var closesAll = false
    var names: ID?
    var items: ID?
    var prefix: [ID] = []
    var contains: ID?
    var isUnique = false
    var values: [JSONValue]?
    var pattern: (text: String, matcher: Pattern)?
    var format: String?
    var least: (value: JSONNumber, isExclusive: Bool)?
    var most: (value: JSONNumber, isExclusive: Bool)?
    var step: Double?
    var lengths = Counts()
    var counts = Counts()
    var members = Counts()
    var examples: [JSONValue] = []
    var standard: JSONValue?
    var isReadOnly = false
    var isWriteOnly = false
  }

  struct Counts: Sendable {
    var least: Int?
    var most: Int?
  }

  var nodes: [Node] = []
  /// The keywords and formats that are not checked.
  package internal(set) var ignored: [String] = []

  /// The members, types and choices of some schemas together, after following their references and `allOf`.
  struct Shape {
    var parts: [ID] = []
    var types = Types.all
    var properties: [(name: String, ids: [ID])] = []
    var positions: [String: Int] = [:]
    var required: [String] = []
    var isClosed = false
    /// The choices of each `oneOf` and `anyOf`.
    var choices: [[ID]] = []
  }

  func shape(_ ids: [ID]) -> Shape {
    var shape = Shape()
    for id in ids { add(id, to: &shape) }
    return shape
  }

  private func add(_ id: ID, to shape: inout Shape) {
    guard !shape.parts.contains(id) else { return }
    shape.parts.append(id)
    let node = nodes[id]
    if node.hasTypes { shape.types.formIntersection(node.types) }
    if let reference = node.reference { add(reference, to: &shape) }
    for (name, id) in node.properties {
      if let position = shape.positions[name] {
        shape.properties[position].ids.append(id)
      } else {
        shape.positions[name] = shape.properties.count
        shape.properties.append((name, [id]))
      }
    }
    shape.required += node.required.filter { !shape.required.contains($0) }
    if let additional = node.additional, nodes[additional].isNever { shape.isClosed = true }
    if node.closesAll { shape.isClosed = true }
    for part in node.allOf { add(part, to: &shape) }
    for choices in [node.oneOf, node.anyOf] where !choices.isEmpty { shape.choices.append(choices) }
  }

  /// The schemas of a member, also of one that only some choices have.
  package func property(_ name: String, of ids: [ID]) -> [ID] { property(name, of: shape(ids)) }

  private func property(_ name: String, of shape: Shape) -> [ID] {
    if let position = shape.positions[name] { return shape.properties[position].ids }
    return shape.choices.lazy.joined().map { property(name, of: [$0]) }.first { !$0.isEmpty } ?? []
  }

  /// The members that some schemas declare, also those of their choices.
  package func properties(of ids: [ID]) -> [(name: String, ids: [ID])] {
    let shape = shape(ids)
    var found = shape.properties
    for (name, ids) in shape.choices.joined().flatMap({ properties(of: [$0]) })
    where !found.contains(where: { $0.name == name }) {
      found.append((name, ids))
    }
    return found
  }

  package func required(of ids: [ID]) -> [String] { shape(ids).required }
  package func isClosed(_ ids: [ID]) -> Bool { shape(ids).isClosed }
  package func isReadOnly(_ ids: [ID]) -> Bool { shape(ids).parts.contains { nodes[$0].isReadOnly } }
  package func isWriteOnly(_ ids: [ID]) -> Bool { shape(ids).parts.contains { nodes[$0].isWriteOnly } }

  /// Whether values of a direction lack a member with these schemas.
  func isAway(_ ids: [ID], _ direction: Direction) -> Bool {
    switch direction {
    case .request: isReadOnly(ids)
    case .response: isWriteOnly(ids)
    case .stored: false
    }
  }

  package func standard(of ids: [ID]) -> JSONValue? { shape(ids).parts.lazy.compactMap { nodes[$0].standard }.first }
  package func minimum(of ids: [ID]) -> Int? {
    shape(ids).parts.lazy.compactMap { nodes[$0].least?.value.integerValue }.first
  }
  package func format(of ids: [ID]) -> String? { shape(ids).parts.lazy.compactMap { nodes[$0].format }.first }
  package func examples(of ids: [ID]) -> [JSONValue] { shape(ids).parts.flatMap { nodes[$0].examples } }
  package func items(of ids: [ID]) -> [ID] { shape(ids).parts.compactMap { nodes[$0].items } }

  /// The types that some schemas allow, without null.
  package func types(of ids: [ID]) -> Types {
    let shape = shape(ids)
    let chosen = shape.choices.map { $0.reduce(into: Types()) { $0.formUnion(self.types(of: [$1])) } }
    var types: Types = chosen.reduce(shape.types) { $0.intersection($1) }.subtracting(.null)
    // Documents leave out the type where members or elements tell it.
    if types == Types.all.subtracting(.null) {
      if !shape.properties.isEmpty {
        types = .object
      } else if shape.parts.contains(where: { nodes[$0].items != nil }) {
        types = .array
      }
    }
    return types
  }

  package func isObject(_ ids: [ID]) -> Bool { types(of: ids) == .object }
  package func isArray(_ ids: [ID]) -> Bool { types(of: ids) == .array }
  package func isNumeric(_ ids: [ID]) -> Bool { types(of: ids).isSubset(of: [.integer, .number]) }
  package func isInteger(_ ids: [ID]) -> Bool { types(of: ids) == .integer }
  package func isText(_ ids: [ID]) -> Bool { types(of: ids) == .string }
  package func isBoolean(_ ids: [ID]) -> Bool { types(of: ids) == .boolean }

  /// The value without members that are write-only, and without those that a closed schema does not know.
  ///
  /// - Parameter hidden: Members of the value itself that are left out unless the schema declares them.
  package func projected(_ value: JSONValue, by ids: [ID], hiding hidden: Set<String> = []) -> JSONValue {
    switch value {
    case .array(let elements):
      let items = items(of: ids)
      return items.isEmpty ? value : .array(elements.map { projected($0, by: items) })
    case .object(let members):
      let shape = shape(ids)
      let isOpen = !shape.isClosed
      return .object(
        JSONObject(
          members.compactMap { name, member in
            let ids = property(name, of: shape)
            if ids.isEmpty { return isOpen && !hidden.contains(name) ? (name, member) : nil }
            return isWriteOnly(ids) ? nil : (name, projected(member, by: ids))
          }))
    case .null, .bool, .number, .string: return value
    }
  }

  /// Whether some schemas have write-only members, at any depth.
  package func hidesMembers(_ ids: [ID], besides seen: Set<ID> = []) -> Bool {
    let parts = shape(ids).parts
    guard !seen.isSuperset(of: parts) else { return false }
    let seen = seen.union(parts)
    return properties(of: ids).contains { isWriteOnly($0.ids) || hidesMembers($0.ids, besides: seen) }
      || !items(of: ids).isEmpty && hidesMembers(items(of: ids), besides: seen)
  }
}
