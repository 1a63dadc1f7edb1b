import HTTPTypes
import OrderedJSON

extension Request {
  private static let secret = "***"

  /// The request as journal, events and log show it: with `***` in the place of passwords.
  var withoutPasswords: Request {
    var request = self
    request.target = Self.hidingQuery(target)
    request.body = hiddenBody
    return request
  }

  private static func isSecret(_ name: String) -> Bool {
    name.lowercased().contains("password")
  }

  /// A body that cannot be taken apart is left out when it names a password.
  private var hiddenBody: [UInt8] {
    guard !body.isEmpty else { return body }
    if let value = try? JSONValue(parsing: body) {
      let hidden = Self.hiding(value)
      return hidden == value ? body : hidden.utf8Text(.compact)
    }
    if headerFields[.contentType].map(MediaType.init)?.essence == "application/x-www-form-urlencoded" {
      return Array(Self.hidingPairs(String(decoding: body, as: UTF8.self)).utf8)
    }
    let names = String(decoding: body, as: UTF8.self)
    return Self.isSecret(names) ? Array("(left out, since it names a password)".utf8) : body
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

  private static func hidingQuery(_ target: String) -> String {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
    let start = target.utf8.index(after: mark)
    return target[..<start] + hidingPairs(String(target[start...]))
  }

  /// Names and values as forms and queries write them; a `_where` that names a password is hidden as a whole.
  private static func hidingPairs(_ pairs: String) -> String {
    pairs.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decode(parts[0], plusIsSpace: true) ?? String(Substring(parts[0]))
      let value = parts.count > 1 ? PercentEncoding.decode(parts[1], plusIsSpace: true) ?? "" : ""
      guard isSecret(name) || name == "_where" && isSecret(value) else { return String(Substring(pair)) }
      return String(Substring(parts[0])) + "=" + secret
    }
    .joined(separator: "&")
  }
}
