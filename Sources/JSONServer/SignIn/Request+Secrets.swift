import HTTPTypes
import OrderedJSON

/// What journal, events and log show of a request, with `***` in the place of passwords.
extension Request {
  private static let secret = "***"

  /// The target. A query that cannot be taken apart is left out when it names a password.
  var targetWithoutPasswords: String {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
    let start = target.utf8.index(after: mark)
    let query = String(target[start...])
    guard Self.mayNameSecret(query) || query.utf8.contains(UInt8(ascii: "%")) else { return target }
    return target[..<start] + (Self.hidingPairs(query) ?? Self.secret)
  }

  /// The body. One that cannot be taken apart is left out when it names a password.
  var bodyWithoutPasswords: [UInt8] {
    guard !body.isEmpty else { return body }
    if let value = try? JSONValue(parsing: body) {
      let hidden = Self.hiding(value)
      return hidden == value ? body : hidden.utf8Text(.compact)
    }
    let text = String(decoding: body, as: UTF8.self)
    if headerFields[.contentType].map(MediaType.init)?.essence == "application/x-www-form-urlencoded" {
      if let pairs = Self.hidingPairs(text) { return Array(pairs.utf8) }
    } else if !Self.mayNameSecret(text) {
      return body
    }
    return Array("(left out, since it names a password)".utf8)
  }

  private static func isSecret(_ name: String) -> Bool {
    name.lowercased().contains("password")
  }

  /// Whether JSON that was not parsed names a password, or may do so in escapes.
  private static func mayNameSecret(_ text: String) -> Bool {
    isSecret(text) || text.contains("\\u")
  }

  private static func hiding(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null, .bool, .number, .string: return value
    case .array(let elements): return .array(elements.map(hiding))
    case .object(let members):
      // A patch names what it changes by a path (RFC 6902).
      let isSecretPatch = members["path"]?.string.map(isSecret) ?? false
      return .object(
        JSONObject(
          members.map { name, value in
            (name, isSecret(name) || isSecretPatch && name == "value" ? .string(secret) : hiding(value))
          }))
    }
  }

  /// Names and values as forms and queries write them, decoded as they are when they are read; a `_where` that names a
  /// password is hidden as a whole.
  ///
  /// - Returns: `nil` for what names a password and is no list of pairs: JSON with a mistake, for example.
  private static func hidingPairs(_ text: String) -> String? {
    var shown: [String] = []
    var isList = true
    for pair in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decodeForm(parts[0])
      let value = parts.count > 1 ? PercentEncoding.decodeForm(parts[1]) : ""
      if !pair.isEmpty, parts.count < 2 || "{[\"'".contains(name.first { !$0.isWhitespace } ?? "=") { isList = false }
      let isHidden = isSecret(name) || name == "_where" && mayNameSecret(value)
      shown.append(isHidden ? String(Substring(parts[0])) + "=" + secret : String(Substring(pair)))
    }
    return isList || !mayNameSecret(PercentEncoding.decodeForm(text.utf8)) && !mayNameSecret(text)
      ? shown.joined(separator: "&") : nil
  }
}
