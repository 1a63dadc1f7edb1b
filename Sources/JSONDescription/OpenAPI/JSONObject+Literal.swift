import OrderedJSON

extension JSONObject {
  /// Creates an object from a literal, whose order is kept.
  init(_ members: KeyValuePairs<String, JSONValue>) {
    self.init(members.map { ($0.key, $0.value) })
  }
}
