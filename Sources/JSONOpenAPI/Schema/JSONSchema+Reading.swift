import JSONServerValues
import TextMatching

extension JSONSchema {
  /// Reads the schemas of a document, each once.
  struct Reader {
    /// The fault of a schema that cannot be used.
    typealias Fault = DocumentFiles.Fault

    var files: DocumentFiles
    private(set) var schema = JSONSchema()
    private var ids: [String: ID] = [:]
    /// The place of each schema.
    private(set) var places: [DocumentFiles.Node] = []

    init(_ files: DocumentFiles) { self.files = files }

    private static let annotations: Set<String> = [
      "$schema", "$id", "$anchor", "$comment", "$vocabulary", "$defs", "definitions", "title", "description",
      "deprecated",
      "externalDocs", "then", "else", "exclusiveMinimum", "exclusiveMaximum",
      "contentMediaType",
      "contentEncoding",
    ]

    /// A schema that is a part of itself, by its references and `allOf`.
    var loop: DocumentFiles.Node? {
      // Whether a schema that was seen is on the way to the one in question.
      var seen: [ID: Bool] = [:]
      func find(_ id: ID) -> ID? {
        if let isOnTheWay = seen[id] { return isOnTheWay ? id : nil }
        seen[id] = true
        defer { seen[id] = false }
        let node = schema.nodes[id]
        for part in node.allOf + [node.reference].compactMap(\.self) {
          if let loop = find(part) { return loop }
        }
        return nil
      }
      for id in schema.nodes.indices {
        if let loop = find(id) { return places[loop] }
      }
      return nil
    }

    /// The examples and defaults of the schemas, each with its schema.
    var examples: [(node: DocumentFiles.Node, schema: [ID])] {
      places.indices.flatMap { id in
        let place = places[id]
        let nodes = [place["example"], place["default"]].compactMap(\.self) + (place["examples"]?.elements ?? [])
        return nodes.map { ($0, [id]) }
      }
    }

    private typealias Kind = (name: String, holds: @Sendable (JSONValue) -> Bool)

    /// The types of the keywords whose values have one.
    private static let kinds: [String: Kind] = {
      let rows: [(names: String, kind: Kind)] = [
        ("minimum maximum multipleOf", ("a number", { $0.double != nil })),
        (
          "minLength maxLength minItems maxItems minProperties maxProperties",
          ("a whole number", { $0.double.map { $0 >= 0 && $0.rounded() == $0 } ?? false })
        ),
        ("nullable readOnly writeOnly uniqueItems", ("true or false", { $0.bool != nil })),
        ("enum allOf anyOf oneOf prefixItems", ("a list", { $0.array != nil })),
        ("required", ("a list", { $0.array != nil || $0.bool != nil })),
        ("pattern format $ref", ("a text", { $0.string != nil })),
        ("properties patternProperties dependentRequired discriminator", ("an object", { $0.object != nil })),
      ]
      return Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in row.names.split(separator: " ").map { (String($0), row.kind) } })
    }()

    /// Reads a schema, and those to which it refers.
    mutating func id(of node: DocumentFiles.Node) throws(Fault) -> ID {
      let key = node.file + node.pointer
      if let id = ids[key] { return id }
      let id = schema.nodes.count
      // Before it is read: a schema may refer to itself.
      ids[key] = id
      schema.nodes.append(Node())
      places.append(node)
      do throws(Fault) {
        schema.nodes[id] = Node(try keywords(of: node))
      } catch {
        ids[key] = nil
        throw error
      }
      return id
    }

    private mutating func keywords(of node: DocumentFiles.Node) throws(Fault) -> Keywords {
      var keywords = Keywords()
      if case .bool(let isAllowed) = node.value {
        keywords.isNever = !isAllowed
        return keywords
      }
      guard node.value.object != nil else {
        throw Fault(node: node, message: "a schema is an object, or true or false; correct it")
      }
      for (name, value) in node.members {
        if let kind = Self.kinds[name], !kind.holds(value.value) {
          throw Fault(node: value, message: "'\(name)' is \(kind.name); correct it.")
        }
        try read(name, value, of: node, into: &keywords)
      }
      if keywords.isNullable { keywords.types.insert(.null) }
      return keywords
    }

    private mutating func ids(of node: DocumentFiles.Node) throws(Fault) -> [ID] {
      var ids: [ID] = []
      for element in node.elements { ids.append(try id(of: element)) }
      return ids
    }

    private mutating func read(
      _ name: String, _ value: DocumentFiles.Node, of node: DocumentFiles.Node, into keywords: inout Keywords
    ) throws(Fault) {
      switch name {
      case "$ref":
        let reference = value.value.string ?? ""
        // A schema that has no file has none beside it.
        if value.file.isEmpty, !reference.hasPrefix("#") { return ignore("'$ref' to \(reference)") }
        let target = try files.target(of: reference, at: value)
        keywords.reference = try id(of: target)
      case "type":
        let names = value.value.string.map { [$0] } ?? value.value.array?.compactMap(\.string) ?? []
        keywords.types = []
        keywords.hasTypes = true
        for name in names {
          guard let type = Types.names.first(where: { $0.name == name })?.type else {
            let known = Types.names.map(\.name).joined(separator: ", ").replacing(", null", with: " or null")
            throw Fault(node: value, message: "the type '\(name)' is unknown; write \(known)")
          }
          keywords.types.insert(type)
        }
        if keywords.types.contains(.number) { keywords.types.insert(.integer) }
      case "xml":
        keywords.xmlName = value["name"]?.value.string
        keywords.isWrapped = value["wrapped"]?.value == true
      case "nullable": keywords.isNullable = value.value == true
      case "discriminator":
        // A mapping has references, and names of schemas, which need not be written as references.
        for (_, target) in value["mapping"]?.members ?? [] {
          if let text = target.value.string, text.contains("/") { _ = try files.target(of: text, at: target) }
        }
      case "allOf": keywords.allOf = try ids(of: value)
      case "anyOf": keywords.anyOf = try ids(of: value)
      case "oneOf": keywords.oneOf = try ids(of: value)
      case "not": keywords.not = try id(of: value)
      case "if":
        var parts: [ID?] = []
        for name in ["then", "else"] { parts.append(try node[name].map { part throws(Fault) in try id(of: part) }) }
        keywords.condition = (try id(of: value), parts[0], parts[1])
      case "properties":
        for (name, property) in value.members { keywords.properties.append((name, try id(of: property))) }
        keywords.positions = Dictionary(keywords.properties.map { ($0.name, $0.id) }) { $1 }
      case "patternProperties":
        for (pattern, property) in value.members {
          keywords.patterns.append((try Self.pattern(pattern, at: property), try id(of: property)))
        }
      case "required": keywords.required = value.value.array?.compactMap(\.string) ?? []
      case "dependentRequired":
        keywords.dependentRequired = value.members.map { ($0.name, $0.node.value.array?.compactMap(\.string) ?? []) }
      case "additionalProperties": keywords.additional = try id(of: value)
      case "unevaluatedProperties": keywords.closesAll = value.value == false
      case "propertyNames": keywords.names = try id(of: value)
      case "items": keywords.items = try id(of: value)
      case "prefixItems": keywords.prefix = try ids(of: value)
      case "contains": keywords.contains = try id(of: value)
      case "uniqueItems": keywords.isUnique = value.value == true
      case "enum": keywords.values = value.value.array
      case "const": keywords.values = [value.value]
      case "pattern":
        let text = value.value.string ?? ""
        keywords.pattern = (text, try Self.pattern(text, at: value))
      case "format":
        let format = value.value.string ?? ""
        keywords.format = format
        let others = ["int32", "int64", "float", "double", "password", "binary"]
        if Format.known[format] == nil, !others.contains(format) { ignore("the format '\(format)'") }
      case "minimum": keywords.least = Self.bound(value, node["exclusiveMinimum"])
      case "maximum": keywords.most = Self.bound(value, node["exclusiveMaximum"])
      case "exclusiveMinimum" where node["minimum"] == nil: keywords.least = Self.bound(value, value)
      case "exclusiveMaximum" where node["maximum"] == nil: keywords.most = Self.bound(value, value)
      case "multipleOf": keywords.step = value.value.double
      case "minLength": keywords.lengths.least = value.value.int
      case "maxLength": keywords.lengths.most = value.value.int
      case "minItems": keywords.counts.least = value.value.int
      case "maxItems": keywords.counts.most = value.value.int
      case "minProperties": keywords.members.least = value.value.int
      case "maxProperties": keywords.members.most = value.value.int
      case "default": keywords.standard = value.value
      case "example": keywords.examples.append(value.value)
      case "examples": keywords.examples += value.value.array ?? []
      case "readOnly": keywords.isReadOnly = value.value == true
      case "writeOnly": keywords.isWriteOnly = value.value == true
      default: if !Self.annotations.contains(name), !name.hasPrefix("x-") { ignore("'\(name)'") }
      }
    }

    /// A bound; 3.0 says with a boolean beside it whether it is exclusive, later drafts with a number.
    private static func bound(
      _ value: DocumentFiles.Node, _ exclusive: DocumentFiles.Node?
    ) -> (value: JSONNumber, isExclusive: Bool)? {
      guard case .number(let number) = value.value else { return nil }
      guard case .number(let other)? = exclusive?.value else { return (number, exclusive?.value == true) }
      let isStricter =
        exclusive?.name == "exclusiveMinimum"
        ? other.doubleValue >= number.doubleValue : other.doubleValue <= number.doubleValue
      return isStricter ? (other, true) : (number, false)
    }

    private static func pattern(_ text: String, at node: DocumentFiles.Node) throws(Fault) -> Pattern {
      do throws(PatternError) {
        return try Pattern(text, ignoresCase: false)
      } catch {
        throw Fault(node: node, message: "the pattern '\(text)' cannot be used: \(error)")
      }
    }

    private mutating func ignore(_ what: String) {
      if !schema.ignored.contains(what) { schema.ignored.append(what) }
    }
  }
}
