import OrderedJSON

/// Writes types as JSON Schema 2020-12, in the part of it that code generators understand.
enum JSONSchema {
  /// The schema of a value; the empty schema, which everything matches, where nothing but `null` was seen.
  static func schema(of type: ValueType) -> JSONValue {
    var schemas: [JSONObject] = type.alternatives.enumerated().map { index, alternative in
      Self.schema(of: alternative, orNull: type.isNullable && index == 0)
    }
    if schemas.count > 1 { schemas = [JSONObject(["anyOf": .array(schemas.map(JSONValue.object))])] }
    var schema = schemas.first ?? JSONObject()
    if let example = type.example { schema["examples"] = [example] }
    return .object(schema)
  }

  /// The schema of an object, which may hold further members too.
  ///
  /// - Parameter isPartial: Whether every member may be left out.
  static func schema(of object: ObjectType, isPartial: Bool = false) -> JSONObject {
    var schema = JSONObject(["type": "object"])
    let required = object.members.filter { $0.isRequired && !isPartial }
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0.name) }) }
    if !object.members.isEmpty {
      schema["properties"] = .object(JSONObject(object.members.map { ($0.name, Self.schema(of: $0.type)) }))
    }
    return schema
  }

  private static func schema(of alternative: ValueType.Alternative, orNull isNullable: Bool) -> JSONObject {
    var schema: JSONObject
    switch alternative {
    case .boolean: schema = JSONObject(["type": "boolean"])
    case .integer: schema = JSONObject(["type": "integer"])
    case .number: schema = JSONObject(["type": "number"])
    case .string(let string): schema = Self.schema(of: string, orNull: isNullable)
    case .array(let elements): schema = JSONObject(["type": "array", "items": Self.schema(of: elements)])
    case .object(let object): schema = Self.schema(of: object)
    }
    if isNullable, let type = schema["type"] { schema["type"] = [type, "null"] }
    return schema
  }

  private static func schema(of string: StringType, orNull isNullable: Bool) -> JSONObject {
    var schema = JSONObject(["type": "string"])
    switch string {
    case .plain: break
    case .formatted(let format): schema["format"] = .string(format.rawValue)
    // swift-openapi-generator makes one case each of null and the empty text, both of the same name.
    case .choice(let choices) where isNullable && choices.contains(""): break
    case .choice(let choices): schema["enum"] = .array(choices.map(JSONValue.string) + (isNullable ? [.null] : []))
    }
    return schema
  }
}

extension JSONObject {
  /// Creates an object from a literal, keeping its order.
  init(_ members: KeyValuePairs<String, JSONValue>) {
    self.init(members.map { ($0.key, $0.value) })
  }
}
