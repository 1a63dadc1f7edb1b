package import JSONServerValues
import Synchronization
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

  /// A schema: a class, since to copy its keywords would cost two dozen reference counts.
  @dynamicMemberLookup final class Node: Sendable {
    private let keywords: Keywords

    init(_ keywords: Keywords = Keywords()) { self.keywords = keywords }

    subscript<Value>(dynamicMember path: KeyPath<Keywords, Value>) -> Value { keywords[keyPath: path] }
  }

  /// The keywords of one schema.
  struct Keywords: Sendable {
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
    /// The name of its elements in XML.
    var xmlName: String?
    /// Whether an element in XML is around those of the array.
    var isWrapped = false
  }

  struct Counts: Sendable {
    var least: Int?
    var most: Int?
  }

  var nodes: [Node] = []
  /// The keywords and formats that are not checked.
  package internal(set) var ignored: [String] = []

  /// The members, types and choices of some schemas together, after following their references and `allOf`.
  final class Shape: Sendable {
    let parts: [ID]
    let types: Types
    let properties: [(name: String, ids: [ID])]
    let positions: [String: Int]
    let required: [String]
    let isClosed: Bool
    /// The choices of each `oneOf` and `anyOf` that none of the parts has decided: a choice may begin with the schema
    /// that offers it.
    let choices: [[ID]]
    let isReadOnly: Bool
    let isWriteOnly: Bool
    let hasItems: Bool

    init(_ ids: [ID], _ nodes: [Node]) {
      var (parts, types, required, choices) = ([ID](), Types.all, [String](), [[ID]]())
      var (properties, positions) = ([(name: String, ids: [ID])](), [String: Int]())
      func add(_ id: ID) {
        guard !parts.contains(id) else { return }
        parts.append(id)
        if nodes[id].hasTypes { types.formIntersection(nodes[id].types) }
        if let reference = nodes[id].reference { add(reference) }
        for (name, id) in nodes[id].properties {
          if let position = positions[name] {
            properties[position].ids.append(id)
          } else {
            positions[name] = properties.count
            properties.append((name, [id]))
          }
        }
        required += nodes[id].required.filter { !required.contains($0) }
        for part in nodes[id].allOf { add(part) }
        for found in [nodes[id].oneOf, nodes[id].anyOf] where !found.isEmpty { choices.append(found) }
      }
      for id in ids { add(id) }
      (self.parts, self.types, self.required) = (parts, types, required)
      self.choices = choices.filter { $0.allSatisfy { !parts.contains(JSONSchema.target(of: $0, nodes)) } }
      (self.properties, self.positions) = (properties, positions)
      isClosed = parts.contains { nodes[$0].closesAll || nodes[$0].additional.map { nodes[$0].isNever } == true }
      isReadOnly = parts.contains { nodes[$0].isReadOnly }
      isWriteOnly = parts.contains { nodes[$0].isWriteOnly }
      hasItems = parts.contains { nodes[$0].items != nil }
    }
  }

  /// The schema to which one that is only a reference leads.
  func target(of id: ID) -> ID { Self.target(of: id, nodes) }

  private static func target(of id: ID, _ nodes: [Node]) -> ID {
    var id = id
    for _ in 0..<32 {
      guard let next = nodes[id].reference else { break }
      id = next
    }
    return id
  }

  /// The shapes that were asked for. Shapes are asked for when all schemas are read.
  private final class Shapes: Sendable {
    let known = Mutex<[[ID]: Shape]>([:])
  }

  private let shapes = Shapes()

  func shape(_ ids: [ID]) -> Shape {
    if let shape = shapes.known.withLock({ $0[ids] }) { return shape }
    let shape = Shape(ids, nodes)
    shapes.known.withLock { $0[ids] = shape }
    return shape
  }

  /// The schemas of a member, also of one that only some choices have.
  package func property(_ name: String, of ids: [ID]) -> [ID] {
    let shape = shape(ids)
    if let position = shape.positions[name] { return shape.properties[position].ids }
    return shape.choices.isEmpty ? [] : properties(of: ids).first { $0.name == name }?.ids ?? []
  }

  /// The members that some schemas declare, also those of their choices.
  package func properties(of ids: [ID]) -> [(name: String, ids: [ID])] {
    var seen: Set<ID> = []
    return properties(of: ids, besides: &seen)
  }

  /// - Parameter seen: The choices whose members are known: choices may offer each other.
  private func properties(of ids: [ID], besides seen: inout Set<ID>) -> [(name: String, ids: [ID])] {
    let shape = shape(ids)
    var found = shape.properties
    for choice in shape.choices.joined() where seen.insert(target(of: choice)).inserted {
      found += properties(of: [choice], besides: &seen).filter { member in
        !found.contains { $0.name == member.name }
      }
    }
    return found
  }

  package func required(of ids: [ID]) -> [String] { shape(ids).required }
  package func isClosed(_ ids: [ID]) -> Bool { shape(ids).isClosed }
  package func isReadOnly(_ ids: [ID]) -> Bool { shape(ids).isReadOnly }
  package func isWriteOnly(_ ids: [ID]) -> Bool { shape(ids).isWriteOnly }

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
  func pattern(of ids: [ID]) -> String? { shape(ids).parts.lazy.compactMap { nodes[$0].pattern?.text }.first }
  package func examples(of ids: [ID]) -> [JSONValue] { shape(ids).parts.flatMap { nodes[$0].examples } }
  package func items(of ids: [ID]) -> [ID] { shape(ids).parts.compactMap { nodes[$0].items } }

  /// The types that some schemas allow, without null.
  package func types(of ids: [ID]) -> Types { types(of: ids, besides: []) }

  /// - Parameter seen: The choices around these schemas: choices may offer each other.
  private func types(of ids: [ID], besides seen: Set<ID>) -> Types {
    let shape = shape(ids)
    let types = shape.choices.reduce(shape.types) { types, choices in
      let open = choices.filter { !seen.contains(target(of: $0)) }
      guard !open.isEmpty else { return types }
      let seen = seen.union(open.map(target))
      return types.intersection(open.reduce(into: Types()) { $0.formUnion(self.types(of: [$1], besides: seen)) })
    }.subtracting(.null)
    // Documents leave out the type where members or elements tell it.
    guard types == Types.all.subtracting(.null) else { return types }
    return !shape.properties.isEmpty ? .object : shape.hasItems ? .array : types
  }

  package func isObject(_ ids: [ID]) -> Bool { types(of: ids) == .object }
  package func isArray(_ ids: [ID]) -> Bool { types(of: ids) == .array }
  package func isNumeric(_ ids: [ID]) -> Bool { types(of: ids).isSubset(of: [.integer, .number]) }
  package func isInteger(_ ids: [ID]) -> Bool { types(of: ids) == .integer }
  package func isText(_ ids: [ID]) -> Bool { types(of: ids) == .string }
  package func isBoolean(_ ids: [ID]) -> Bool { types(of: ids) == .boolean }

  /// The value without members that are write-only, and without those that a closed schema does not know.
  ///
  /// - Parameter hides: Whether a member of the value itself is left out unless the schema declares it.
  func projected(
    _ value: JSONValue, by ids: [ID], hiding hides: (_ name: String) -> Bool = { _ in false }
  ) -> JSONValue {
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
            let ids = property(name, of: ids)
            if ids.isEmpty { return isOpen && !hides(name) ? (name, member) : nil }
            return isWriteOnly(ids) ? nil : (name, projected(member, by: ids))
          }))
    case .null, .bool, .number, .string: return value
    }
  }

  /// Whether a value may have members, at any depth, that are left out of its projection.
  func leavesOut(_ ids: [ID], besides seen: Set<ID> = []) -> Bool {
    let shape = shape(ids)
    guard !seen.isSuperset(of: shape.parts) else { return false }
    let seen = seen.union(shape.parts)
    return shape.isClosed || properties(of: ids).contains { isWriteOnly($0.ids) || leavesOut($0.ids, besides: seen) }
      || !items(of: ids).isEmpty && leavesOut(items(of: ids), besides: seen)
  }
}
