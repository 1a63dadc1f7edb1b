import OrderedJSON

/// The fields of a form, in the order of their first appearance.
struct FormFields {
  /// The most fields that a form may have.
  static let maximumCount = 1000

  private var names: [String] = []
  private var values: [String: [JSONValue]] = [:]
  private var lists: Set<String> = []

  /// Adds a field. A name that comes twice, or in brackets, becomes an array.
  mutating func append(_ value: JSONValue, to parameter: ParameterName) {
    if values[parameter.name] == nil { names.append(parameter.name) }
    values[parameter.name, default: []].append(value)
    if parameter.isListElement { lists.insert(parameter.name) }
  }

  /// The fields as the JSON text of an object.
  var json: [UInt8] {
    let members = names.map { name -> (String, JSONValue) in
      let all = values[name, default: []]
      guard let only = all.first, all.count == 1, !lists.contains(name) else { return (name, .array(all)) }
      return (name, only)
    }
    return JSONValue.object(JSONObject(members)).utf8Text(.compact)
  }
}
