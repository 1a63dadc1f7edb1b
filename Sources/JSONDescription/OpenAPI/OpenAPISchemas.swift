import JSONServerValues

/// The schemas of bodies: references for operations, and their components.
struct OpenAPISchemas {
  let bodies: OpenAPIDocument.Bodies

  /// The component names that resources may not use.
  static let sharedNames: Set<String> = [
    "Error", "AnyObject", "AnyNewRecord", "FormFields", "PatchOperations", "Page", "Conditions", "Comparison",
  ]

  /// A stored record.
  func record(_ resource: NamedResource) -> JSONValue {
    orAny("AnyObject", resource.recordName)
  }

  /// The body of a POST below a record.
  func newRecord(_ resource: NamedResource) -> JSONValue {
    orAny("AnyNewRecord", resource.newRecordName)
  }

  /// The response to a POST to a collection.
  func createdRecords(_ resource: NamedResource) -> JSONValue {
    orMany(record(resource), of: bodies == .checked ? resource.recordName : "AnyObject", resource)
  }

  /// The document's `components`.
  func components(for resources: [NamedResource]) -> JSONValue {
    var schemas = JSONObject()
    for resource in resources { add(resource, to: &schemas) }
    schemas["Error"] = Self.error
    if !resources.isEmpty {
      for (name, schema) in sharedBodies { schemas[name] = schema }
    }
    if bodies != .shaped {
      schemas["Page"] = Self.pageSchema
      schemas["Conditions"] = Self.conditions
      schemas["Comparison"] = Self.comparison
      schemas["AnyObject"] = ["type": "object", "additionalProperties": true]
      schemas["AnyNewRecord"] = Self.anyNewRecord(idNames: Set(resources.map(\.resource.idName)).sorted())
    }
    return [
      "schemas": .object(schemas),
      "parameters": .object(OpenAPIParameters.shared(bodies)),
      "headers": .object(OpenAPIResponses.sharedHeaders),
      "responses": .object(OpenAPIResponses.shared),
    ]
  }

  static func reference(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  /// The schema of an object with all of some members.
  static func whole(_ properties: JSONObject) -> JSONValue {
    ["type": "object", "required": .array(properties.names.map(JSONValue.string)), "properties": .object(properties)]
  }

  /// An element of a list in a record; it need not be an object.
  func element(_ object: ObjectType) -> JSONValue { bodies == .shaped ? inline(object) : [:] }

  /// An object without a component.
  func inline(_ object: ObjectType) -> JSONValue {
    let schema = JSONValue.object(object.schema)
    return switch bodies {
    case .shaped: schema
    case .open, .checked: ["anyOf": [schema, Self.reference("AnyObject")]]
    }
  }

  func orAny(_ anything: String, _ name: String) -> JSONValue {
    switch bodies {
    case .shaped, .checked: Self.reference(name)
    case .open: ["anyOf": [Self.reference(name), Self.reference(anything)]]
    }
  }

  func orMany(_ one: JSONValue, of name: String, _ resource: NamedResource) -> JSONValue {
    guard bodies != .shaped, resource.resource.takesMany else { return one }
    return ["anyOf": .array((one["anyOf"]?.array ?? [one]) + [["type": "array", "items": Self.reference(name)]])]
  }

  private func add(_ resource: NamedResource, to schemas: inout JSONObject) {
    guard bodies != .checked else { return addChecked(resource, to: &schemas) }
    schemas[resource.recordName] = .object(resource.resource.record.schema)
    if resource.resource.kind == .collection {
      schemas[resource.newRecordName] = .object(newRecordSchema(of: resource.resource))
    }
    schemas[resource.patchName] = .object(resource.resource.content.optional.schema)
  }

  /// Adds the schemas of what the server checks. A response may show a part of a record.
  private func addChecked(_ resource: NamedResource, to schemas: inout JSONObject) {
    let demanded = resource.resource.demanded()
    let shown = (resource.resource.checked ?? ObjectType(members: [])).optional
    schemas[resource.recordName] = .object(shown.schema)
    schemas[resource.patchName] = .object(demanded.optional.schema)
    guard resource.resource.kind == .collection else { return }
    var new = demanded.schema
    new[object: "properties"][resource.resource.idName] = newID(of: resource.resource)
    schemas[resource.newRecordName] = .object(new)
  }

  /// The id of a new record: a value of the kinds that the others have, or one that means a new id.
  func newID(of resource: ResourceType) -> JSONValue {
    guard resource.takesMany else { return [:] }
    let kinds = resource.checked?[resource.idName]?.type.alternatives ?? [.string(.plain), .number]
    return ["anyOf": [ValueType(alternatives: kinds).schema, ["enum": [nil, false, 0, ""]]]]
  }

  /// A record with an optional id; without an example, which would be a taken id.
  private func newRecordSchema(of resource: ResourceType) -> JSONObject {
    var schema = resource.content.schema
    let seen = ValueType(alternatives: resource.record[resource.idName]?.type.alternatives ?? [.integer])
    var id = seen.schema.object ?? JSONObject()
    id["description"] = "An unused id; by default the server assigns one."
    schema[object: "properties"][resource.idName] = .object(id)
    for member in resource.filled where schema["properties"]?[member.name] != nil {
      schema[object: "properties"][object: member.name]["description"] = "Set by the server."
      if member.isOnEveryChange { schema[object: "properties"][object: member.name]["readOnly"] = true }
    }
    let required = (schema["required"]?.array ?? []).filter { name in
      !resource.filled.contains { $0.name == name.string }
    }
    schema["required"] = required.isEmpty ? nil : .array(required)
    return schema
  }

  /// Any object with a valid id; `null` and `false` mean a new id, as in json-server.
  private static func anyNewRecord(idNames: [String]) -> JSONValue {
    let id: JSONValue = ["anyOf": [["type": ["string", "number", "null"]], ["type": "boolean", "enum": [false]]]]
    return [
      "type": "object",
      "properties": .object(JSONObject(idNames.map { ($0, id) })),
      "additionalProperties": true,
    ]
  }

  /// A page of a list, in an object.
  static let page = reference("Page")
  private static let pageSchema = whole([
    "first": ["type": "integer"], "prev": ["type": ["integer", "null"]], "next": ["type": ["integer", "null"]],
    "last": ["type": "integer"], "pages": ["type": "integer"], "items": ["type": "integer"],
    "data": ["type": "array", "items": ["type": "object"]],
  ])

  /// The conditions of `_where`: members with values or comparisons, all of which must hold, and `or` and `and`.
  private static let conditions: JSONValue = [
    "type": "object", "propertyNames": names,
    "properties": ["and": branches, "or": branches],
    "additionalProperties": ["anyOf": [scalar, reference("Comparison")]],
  ]

  private static let comparison: JSONValue = [
    "type": "object", "propertyNames": names,
    "properties": [
      "eq": scalar, "ne": scalar, "lt": scalar, "lte": scalar, "gt": scalar, "gte": scalar,
      "in": ["anyOf": [scalar, ["type": "array", "items": scalar]]], "contains": scalar, "startsWith": scalar,
      "endsWith": scalar, "exists": ["type": "boolean"],
    ],
    "additionalProperties": ["anyOf": [scalar, reference("Comparison")]],
  ]

  private static let branches: JSONValue = ["type": "array", "items": reference("Conditions")]
  private static let scalar: JSONValue = ["type": ["string", "number", "boolean", "null"]]
  /// Names that are no operators of other query languages.
  private static let names: JSONValue = ["pattern": "^(?!(not|nor|xor|nin)$)([^$]|$)"]

  private static let error = whole([
    "statusCode": ["type": "integer", "examples": [404]],
    "error": ["type": "string", "examples": ["Not Found"]],
    "message": [
      "type": "string", "description": "The error, and what to do.",
      "examples": ["posts has no record with id 99"],
    ],
  ])
}

// Types as JSON Schema 2020-12, with the keywords that code generators understand.

extension ValueType {
  /// The schema; the empty one, which matches everything, if all values were `null`.
  var schema: JSONValue {
    var schemas = alternatives.enumerated().map { $1.schema(orNull: isNullable && $0 == 0) }
    if schemas.count > 1 { schemas = [["anyOf": .array(schemas.map(JSONValue.object))]] }
    var schema = schemas.first ?? JSONObject()
    if let example { schema["examples"] = [example] }
    return .object(schema)
  }
}

extension ObjectType {
  /// The schema of objects, which may have further members.
  var schema: JSONObject {
    var schema: JSONObject = ["type": "object"]
    let required = members.filter(\.isRequired)
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0.name) }) }
    if !members.isEmpty { schema["properties"] = .object(JSONObject(members.map { ($0.name, $0.type.schema) })) }
    return schema
  }
}

extension ValueType.Alternative {
  fileprivate func schema(orNull isNullable: Bool) -> JSONObject {
    var schema: JSONObject
    switch self {
    case .boolean: schema = ["type": "boolean"]
    case .integer: schema = ["type": "integer"]
    case .number: schema = ["type": "number"]
    case .string(let string): schema = string.schema(orNull: isNullable)
    case .array(let elements): schema = ["type": "array", "items": elements.schema]
    case .object(let object): schema = object.schema
    }
    if isNullable, let type = schema["type"] { schema["type"] = [type, "null"] }
    return schema
  }
}

extension StringType {
  fileprivate func schema(orNull isNullable: Bool) -> JSONObject {
    var schema: JSONObject = ["type": "string"]
    switch self {
    case .plain: break
    case .formatted(let format): schema["format"] = .string(format.rawValue)
    // swift-openapi-generator makes two cases with the same name of null and the empty text.
    case .choice(let choices) where isNullable && choices.contains(""): break
    case .choice(let choices): schema["enum"] = .array(choices.map(JSONValue.string) + (isNullable ? [.null] : []))
    }
    return schema
  }
}
