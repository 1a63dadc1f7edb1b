/// A media type with its parameters, as a `Content-Type` field holds it (RFC 9110, section 8.3.1).
struct MediaType: Hashable {
  /// The type and subtype in lower case: `application/json`.
  let essence: String

  /// The parameters' values by name in lower case; of a repeated name the first.
  let parameters: [String: String]

  /// Reads the value of a field; what is no parameter is skipped.
  init(_ text: String) {
    var parts = HeaderParameters(text)
    essence = parts.nextToken().lowercased()
    parameters = parts.readAll()
  }

  /// Whether the content is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
  var isJSON: Bool {
    essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
  }
}
