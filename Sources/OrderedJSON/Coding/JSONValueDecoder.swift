/// Makes Swift values from JSON values; reads what ``JSONValueEncoder`` writes.
///
/// Integers are read from any number text that represents one, `1.0` and `1e3` too, doubles from every number in range,
/// decimals with all their digits.
///
/// ```swift
/// let bookmark = try JSONValueDecoder().decode(Bookmark.self, from: record)
/// ```
public struct JSONValueDecoder: Sendable {
  /// How dates are read.
  public var dates: JSONDateStrategy

  /// How the names of properties become the names of members.
  public var names: JSONNameStrategy

  /// Creates a decoder.
  public init(dates: JSONDateStrategy = .iso8601, names: JSONNameStrategy = .unchanged) {
    self.dates = dates
    self.names = names
  }

  /// Returns the Swift value that a JSON value stands for.
  ///
  /// - Parameters:
  ///   - type: The type to read.
  ///   - value: The JSON value; members that the type does not know are ignored.
  /// - Throws: `DecodingError` with the coding path of what is missing or of another kind.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from value: JSONValue) throws -> Value {
    try TreeDecoder(options: self, value: value, codingPath: []).decode(type)
  }
}
