/// Makes JSON values from Swift values.
///
/// Members are in the order in which the type encodes its properties, those of a dictionary in the order of their
/// names. Dates follow ``dates``, data is base64 text, a URL is its text, a decimal is a number with all its digits.
/// Properties that are `nil` are left out, as Swift leaves them out.
///
/// ```swift
/// let record = try JSONValueEncoder().encode(Bookmark(title: "Swift", url: "https://swift.org"))
/// ```
public struct JSONValueEncoder: Sendable {
  /// How dates are written.
  public var dates: JSONDateStrategy

  /// How the names of properties become the names of members.
  public var names: JSONNameStrategy

  /// Creates an encoder.
  public init(dates: JSONDateStrategy = .iso8601, names: JSONNameStrategy = .unchanged) {
    self.dates = dates
    self.names = names
  }

  /// Returns the JSON value of a Swift value.
  ///
  /// - Throws: `EncodingError.invalidValue` with the coding path for numbers that JSON lacks, or what the type throws.
  public func encode(_ value: some Encodable) throws -> JSONValue {
    let node = EncodedNode()
    try TreeEncoder(options: self, node: node, codingPath: []).encode(value)
    return node.value
  }
}
