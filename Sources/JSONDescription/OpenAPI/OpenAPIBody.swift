import JSONServerValues

/// The body of an operation, in the types that the server accepts.
struct OpenAPIBody {
  /// The `requestBody` of an operation.
  let value: JSONValue

  /// - Parameters:
  ///   - schema: The schema of JSON.
  ///   - others: The other types, with their schemas.
  init(_ schema: JSONValue, _ others: [(String, JSONValue)] = [], isRequired: Bool) {
    let contents = [("application/json", schema)] + others
    value = ["required": .bool(isRequired), "content": .object(JSONObject(contents.map { ($0, ["schema": $1]) }))]
  }
}

extension OpenAPISchemas {
  /// A body of any shape: JSON or a form.
  ///
  /// The server treats a missing body as an empty object, which the shape of the data may not allow.
  func body(_ schema: JSONValue, form: ObjectType? = nil, types: [BodyType] = BodyType.ofChanges) -> OpenAPIBody {
    let isRequired = bodies == .shaped || form?.members.contains(where: \.isRequired) == true
    return OpenAPIBody(schema, forms(form, types), isRequired: isRequired)
  }

  /// A new record, also as a table or lines, which only a shaped document describes; in the others also an array that
  /// adds or updates many records.
  func newBody(_ resource: NamedResource) -> OpenAPIBody {
    let schema = orMany(newRecord(resource), of: bodies == .checked ? resource.newRecordName : "AnyNewRecord", resource)
    return body(
      schema, form: bodies == .checked ? resource.resource.demanded().adding(resource.resource.checkedID) : nil,
      types: bodies == .shaped ? BodyType.allCases : BodyType.ofChanges)
  }

  /// A record without an id: the body of a PUT.
  func replacementBody(_ resource: NamedResource) -> OpenAPIBody {
    guard bodies == .checked else {
      return body(
        orAny("AnyObject", resource.resource.kind == .collection ? resource.newRecordName : resource.recordName))
    }
    let demanded = resource.resource.demanded()
    return body(.object(demanded.schema), form: demanded)
  }

  /// A new record below another one, whose id comes from the path.
  func childBody(_ resource: NamedResource, key: String) -> OpenAPIBody {
    guard bodies == .checked else { return body(newRecord(resource)) }
    let demanded = resource.resource.demanded(besides: key)
    var schema = demanded.schema
    if key != resource.resource.idName {
      schema[object: "properties"][resource.resource.idName] = newID(of: resource.resource)
    }
    return body(.object(schema), form: demanded.adding(resource.resource.checkedID))
  }

  /// Changes of a record, also as merge patch (RFC 7396) and JSON Patch (RFC 6902).
  func patchBody(_ resource: NamedResource) -> OpenAPIBody {
    let content = resource.resource.demanded().optional
    return patchBody(orAny("AnyObject", resource.patchName), form: bodies == .checked ? content : nil)
  }

  /// Changes of any shape.
  func patchBody(_ schema: JSONValue, form: ObjectType? = nil) -> OpenAPIBody {
    let patches: [(String, JSONValue)] = [
      ("application/merge-patch+json", ["type": "object", "additionalProperties": true]),
      ("application/json-patch+json", Self.reference("PatchOperations")),
    ]
    return OpenAPIBody(schema, patches + forms(form, BodyType.ofChanges), isRequired: bodies == .shaped)
  }

  /// Changes of several records, each of which keeps its id.
  func manyPatchBody(_ resource: NamedResource) -> OpenAPIBody {
    guard bodies != .shaped else { return patchBody(resource) }
    var schema: JSONObject =
      bodies == .checked ? resource.resource.demanded().optional.schema : ["type": "object"]
    schema[object: "properties"][resource.resource.idName] = false
    return OpenAPIBody(.object(schema), isRequired: true)
  }

  /// The other types of a body.
  private func forms(_ object: ObjectType?, _ types: [BodyType]) -> [(String, JSONValue)] {
    types.compactMap { type in
      guard type.row.isForm else { return (type.name, ["type": "string"]) }
      if bodies == .checked, let object { return formSchema(object).map { (type.name, $0) } }
      return (type.name, Self.reference("FormFields"))
    }
  }

  /// A form by what the server makes of its texts; `nil` where a record needs what no text can be.
  private func formSchema(_ object: ObjectType) -> JSONValue? {
    var schema = Self.formFields.object ?? [:]
    for member in object.members {
      let types = member.type.alternatives
      let field: JSONValue
      switch types.first {
      case nil: continue
      case _ where types.contains(.string(.plain)): field = ["type": "string"]
      case .number? where types.count == 1: field = ["type": "number"]
      case .boolean? where types.count == 1: field = ["type": "boolean"]
      // A field that is there once is a text, and becomes a list. No field says that a list is empty.
      case .array? where types.count == 1:
        field = ["type": ["array", "string"], "items": ["type": "string"], "minItems": member.isRequired ? 1 : 0]
      default:
        guard !member.isRequired else { return nil }
        field = false
      }
      schema[object: "properties"][member.name] = field
    }
    let required = object.members.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    return .object(schema)
  }

  private static let formFields: JSONValue = [
    "type": "object", "description": "A name that is repeated becomes an array.",
  ]

  /// The schemas to which bodies refer.
  var sharedBodies: JSONObject {
    guard bodies != .shaped else {
      var fields = Self.formFields.object ?? [:]
      fields["additionalProperties"] = ["anyOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]]
      return ["FormFields": .object(fields), "PatchOperations": ["type": "array", "items": Self.shapedOperation]]
    }
    return [
      "FormFields": Self.formFields,
      "PatchOperations": [
        "type": "array",
        "items": [
          "anyOf": [
            Self.operation(["add", "replace", "test"], ["value": [:]]), Self.operation(["remove"], [:]),
            Self.operation(["move", "copy"], ["from": Self.pointer]),
          ]
        ],
      ],
    ]
  }

  private static func operation(_ names: [JSONValue], _ more: JSONObject) -> JSONValue {
    var properties: JSONObject = ["op": ["type": "string", "enum": .array(names)], "path": pointer]
    for (name, schema) in more { properties[name] = schema }
    return whole(properties)
  }

  /// A JSON Pointer to a part of a record.
  private static let pointer: JSONValue = ["type": "string", "pattern": "^(/([^~/]|~[01])*)+$", "examples": ["/title"]]

  private static let shapedOperation: JSONValue = [
    "type": "object", "required": ["op", "path"],
    "properties": [
      "op": ["type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"]],
      "path": ["type": "string", "description": "A JSON Pointer.", "examples": ["/title"]],
      "from": ["type": "string", "description": "A JSON Pointer, for `move` and `copy`."],
      "value": ["description": "For `add`, `replace` and `test`."],
    ],
  ]
}

extension ResourceType {
  /// The id as a member that a new record may have; `nil` where any value will do.
  fileprivate var checkedID: MemberType? {
    takesMany ? checked?[idName].map { MemberType(name: idName, type: $0.type, isRequired: false) } : nil
  }

  /// The members that the server demands of a body, without the id, and without those that it sets itself.
  func demanded(besides key: String? = nil) -> ObjectType {
    ObjectType(
      members: (checked?.members ?? []).compactMap { member in
        guard kind == .object || member.name != idName, member.name != key else { return nil }
        guard let filled = filled.first(where: { $0.name == member.name }) else { return member }
        // The server fills what is missing or null.
        let type = ValueType(alternatives: member.type.alternatives, isNullable: true, example: member.type.example)
        return filled.isOnEveryChange ? nil : MemberType(name: member.name, type: type, isRequired: false)
      })
  }
}
