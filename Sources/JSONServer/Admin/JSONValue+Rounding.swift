import OrderedJSON

extension JSONValue {
  /// Creates a number with at most three digits after the point.
  init(rounding number: Double) {
    self = JSONNumber((number * 1000).rounded() / 1000).map(JSONValue.number) ?? .null
  }
}
