import JSONServerValues

/// The parameters of operations.
enum OpenAPIParameters {
  /// The parameters with the same meaning for every list, by component name.
  ///
  /// An open document says that the server also accepts fractions, and treats an empty text and a script's text for a
  /// missing number as an absent parameter.
  static func shared(_ bodies: OpenAPIDocument.Bodies) -> JSONObject {
    JSONObject(
      QueryParameter.table.compactMap { row in
        guard let component = row.component, bodies == .shaped || isOpen(row) else { return nil }
        if row.name == "_where", bodies != .shaped {
          let schema = OpenAPISchemas.reference("Conditions")
          return (
            component,
            [
              "name": .string(row.name), "in": "query", "description": .string(row.description),
              "content": ["application/json": ["schema": schema]],
            ]
          )
        }
        let schema: JSONValue =
          switch (row.value, bodies) {
          case (.text, _), (.fields, _), (.relations, _): ["type": "string"]
          case (.number, .shaped): ["type": "integer"]
          case (.number, _): ["type": ["number", "string"], "pattern": numberOrNothing]
          }
        return (component, parameter(row.name, description: row.description, schema: schema))
      })
  }

  /// Whether a parameter stands in an open document by itself: whether `_since` and `_all` are valid depends on others.
  private static func isOpen(_ row: QueryParameter.Row) -> Bool { !["_since", "_all"].contains(row.name) }

  /// The text of a number or nothing, as a regular expression of ECMA-262.
  private static let numberOrNothing: JSONValue =
    #"^(undefined|null|NaN|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?$"#

  /// The largest number of members and names that are repeated for each path below a record: a record that refers to
  /// many others has as many paths as members.
  private static let maximumRepeated = 100

  /// The parameters of a list: a filter for each member, then the shared ones, then the relations.
  ///
  /// - Parameter isBelow: Whether the list is below a record, with only a few filters.
  static func list(
    of resource: NamedResource, relations: OpenAPIRelations, below isBelow: Bool = false,
    _ bodies: OpenAPIDocument.Bodies
  ) -> [JSONValue] {
    let taken = QueryParameter.table.filter { $0.component != nil || $0.value == .relations }.map(\.name)
    let paths = filterPaths(of: resource.resource.record).filter { !taken.contains($0) }
    let filters = (isBelow ? paths.prefix(maximumRepeated) : paths[...]).map { filter($0, bodies) }
    return filters + shared { $0.takers.contains(.list) && (bodies == .shaped || isOpen($0)) }
      + related(to: resource, relations: relations)
  }

  /// The parameters of a change of all matching records, in addition to the filters of the list.
  ///
  /// An open document describes them as one object, since the request needs one of them.
  static func many(of resource: ResourceType, _ bodies: OpenAPIDocument.Bodies) -> [JSONValue] {
    guard bodies != .shaped else {
      return shared { $0.takers.contains(.changeOfMany) && $0.value != .fields } + [fields]
    }
    let taken = QueryParameter.names
    var filters = JSONObject(
      filterPaths(of: resource.record).filter { !taken.contains($0) }.map {
        ($0, ["type": "string"])
      })
    filters["q"] = ["type": "string", "minLength": 1]
    filters["_all"] = ["type": "string", "enum": ["true"]]
    return [
      [
        "name": "filters", "in": "query", "required": true, "style": "form", "explode": true,
        "description": "Filters by members, a text to search, or `_all=true`: at least one.",
        "schema": [
          "type": "object", "properties": .object(filters), "additionalProperties": false, "minProperties": 1,
        ],
      ]
    ]
  }

  /// The members of records that a response shows.
  static let fields = reference("fields")

  private static func shared(where isTaken: (QueryParameter.Row) -> Bool) -> [JSONValue] {
    QueryParameter.table.filter(isTaken).compactMap(\.component).map(reference)
  }

  static func reference(_ component: String) -> JSONValue {
    ["$ref": .string("#/components/parameters/\(component)")]
  }

  /// `_embed` and `_expand`, with their possible names.
  static func related(to resource: NamedResource, relations: OpenAPIRelations) -> [JSONValue] {
    let children = relations.below(resource).map(\.child.resource.name)
    let parents = relations.above(resource).map(\.parentName)
    return QueryParameter.table.filter { $0.value == .relations }.map { row in
      let names = names(row.name == "_embed" ? children + parents : parents)
      return parameter(row.name, description: row.description.dropLast() + names, schema: ["type": "string"])
    }
  }

  /// The id of a record in a path.
  ///
  /// An open document allows any text: clients may add a record with an id that is not an integer.
  static func id(
    _ name: String, ofRecordIn resource: ResourceType, _ bodies: OpenAPIDocument.Bodies
  ) -> JSONValue {
    let types: [JSONValue] =
      switch (resource.hasIntegerIDs, bodies) {
      case (true, .shaped): ["integer"]
      case (true, _): ["integer", "string"]
      case (false, _): ["string"]
      }
    return path(name, to: resource, types: types)
  }

  /// The id of a parent in the path of its children; any text is valid, since an unknown parent has an empty list.
  static func parentID(_ name: String, ofRecordIn resource: ResourceType) -> JSONValue {
    path(name, to: resource, types: ["string"])
  }

  private static func path(_ name: String, to resource: ResourceType, types: [JSONValue]) -> JSONValue {
    var schema = JSONObject([("type", types.count == 1 ? types[0] : .array(types))])
    // An empty id would give the collection's own path.
    if types.contains("string") { schema["minLength"] = 1 }
    return [
      "name": .string(name),
      "in": "path",
      "description": .string("The `\(resource.idName)` of a record of \(resource.name)."),
      "required": true,
      "schema": .object(schema),
    ]
  }

  /// A filter by a member, which may be repeated; in an open document it may also be a single text.
  private static func filter(_ path: String, _ bodies: OpenAPIDocument.Bodies) -> JSONValue {
    let type: JSONValue =
      switch bodies {
      case .shaped: "array"
      case .open, .checked: ["array", "string"]
      }
    return parameter(
      path, description: "Only records whose `\(path)` is this.",
      schema: ["type": type, "items": ["type": "string"]])
  }

  /// The members that are text, numbers or booleans; those of nested objects as `address.city`.
  private static func filterPaths(of object: ObjectType, prefix: String = "") -> [String] {
    object.members.flatMap { member -> [String] in
      let path = prefix + member.name
      return member.type.alternatives.reduce(into: []) { paths, alternative in
        switch alternative {
        case .boolean, .integer, .number, .string, .array: if !paths.contains(path) { paths.append(path) }
        case .object(let object): paths += filterPaths(of: object, prefix: "\(path).")
        }
      }
    }
  }

  private static func names(_ names: [String]) -> String {
    if names.isEmpty { return "." }
    let end = names.count > maximumRepeated ? ", …" : "."
    return ": " + names.prefix(maximumRepeated).map { "`\($0)`" }.joined(separator: ", ") + end
  }

  /// A parameter of a query.
  static func parameter(_ name: String, description: String, schema: JSONValue) -> JSONValue {
    ["name": .string(name), "in": "query", "description": .string(description), "schema": schema]
  }
}
