import OrderedJSON

/// The fields of a form, in the order of their first appearance.
struct FormFields {
  /// The most fields that a form may have.
  static let maximumCount = 1000

  private var members = JSONObject()

  /// Adds a field. A name that comes twice, or in brackets, becomes an array.
  mutating func append(_ value: JSONValue, to parameter: ParameterName) {
    // No field's own value is an array.
    switch members[parameter.name] {
    case .array(let list)?: members[parameter.name] = .array(list + [value])
    case let first?: members[parameter.name] = [first, value]
    case nil: members[parameter.name] = parameter.isListElement ? [value] : value
    }
  }

  /// The fields as the JSON text of an object.
  var json: [UInt8] { JSONValue.object(members).utf8Text(.compact) }
}
