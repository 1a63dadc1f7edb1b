/// A media type with its parameters, as a `Content-Type` field holds it (RFC 9110, section 8.3.1).
struct MediaType: Hashable {
  /// The type and subtype in lower case: `application/json`.
  let essence: String

  /// The parameters' values by name in lower case; of a repeated name the first.
  let parameters: [String: String]

  /// Reads the value of a field; what is not a parameter is skipped.
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

/// Reads a field's value of the form `token; name=value; name="value"` from left to right.
struct HeaderParameters {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  /// Reads up to the next semicolon, without the white space around it.
  mutating func nextToken() -> String {
    let token = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest[token.endIndex...]
    return Self.trimmed(token)
  }

  /// Reads all parameters, their names in lower case. Of a repeated name the first counts.
  mutating func readAll() -> [String: String] {
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
      rest = rest[name.endIndex...]
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest.removeFirst()
      let value = readValue()
      let key = Self.trimmed(name).lowercased()
      if parameters[key] == nil { parameters[key] = value }
    }
    return parameters
  }

  /// Reads a value up to the next semicolon outside quotes.
  ///
  /// A backslash escapes only a quote or a backslash: browsers once sent whole Windows paths as file names.
  private mutating func readValue() -> String {
    rest = rest.drop(while: Self.isSpace)
    guard rest.first == UInt8(ascii: "\"") else { return nextToken() }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
        rest.removeFirst()
        value.append(next)
      } else {
        value.append(byte)
      }
    }
    _ = nextToken()
    return String(decoding: value, as: UTF8.self)
  }

  private static func trimmed(_ bytes: Substring.UTF8View) -> String {
    let start = bytes.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return end.map { String(Substring(start[...$0])) } ?? ""
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
