import HTTPTypes
import JSONServerValues

/// Requests and responses for the journal, events, the log and messages, with `***` in place of secrets.
package enum SecretText {
  private static let mask = "***"

  /// A target. An invalid query that names a secret is left out.
  package static func target(_ target: String) -> String {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
    let start = target.utf8.index(after: mark)
    return target[..<start] + (pairs(String(target[start...])) ?? mask)
  }

  /// The address of a source, without its password. Any other text stays the same.
  ///
  /// Of a web address, the user is left out, too: that is often a token.
  package static func source(_ address: String) -> String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return address }
    let isWeb = address.hasPrefix("http")
    var shown = address.unicodeScalars
    // libpq takes a question mark as a part of the password.
    let authority = shown[start...].prefix { $0 != "/" && !(isWeb && ($0 == "?" || $0 == "#")) }
    if let end = authority.lastIndex(of: "@") {
      let colon = authority[..<end].firstIndex(of: ":") ?? end
      shown.removeSubrange(isWeb ? start..<shown.index(after: end) : colon..<end)
    }
    return target(String(shown))
  }

  /// Header fields. Of a field with a scheme, the scheme is shown.
  package static func fields(_ fields: HTTPFields) -> HTTPFields {
    HTTPFields(
      fields.map { field in
        let name = field.name.canonicalName
        guard
          HTTPFields.secretNames.contains(name) || SecretName.matches(name) && !name.hasPrefix("access-control-")
        else { return field }
        let scheme = name.hasSuffix("authorization") ? field.value.prefix { $0 != " " } : ""
        let isAlone = scheme.endIndex == field.value.endIndex
        return HTTPField(name: field.name, value: scheme.isEmpty || isAlone ? mask : "\(scheme) \(mask)")
      })
  }

  /// The body of a request or a response, or a sentence in place of a body that is neither JSON nor a form: nobody can
  /// tell its secrets from the rest. O(length).
  ///
  /// - Parameter type: The value of `Content-Type`.
  package static func body(_ body: [UInt8], type: String?) -> [UInt8] {
    let essence = type.map(MediaType.init)?.essence
    if let json = try? ValidJSON(parsing: body) {
      // A patch names the changed member by a path (RFC 6902).
      let isSecretPatch =
        essence == "application/json-patch+json"
        && SecretName.mayBeMentioned(in: String(decoding: body, as: UTF8.self))
      return members(of: json) {
        let name = $0.unescapedContent
        return SecretName.matches(utf8: name) || isSecretPatch && name.elementsEqual("value".utf8)
      }
    }
    let isForm = essence == "application/x-www-form-urlencoded"
    return Array(((isForm ? pairs(String(decoding: body, as: UTF8.self)) : nil) ?? leftOut).utf8)
  }

  private static let leftOut = "(left out: secrets can be hidden only in JSON and URL-encoded forms)"

  /// JSON in its own layout.
  private static func members(of json: ValidJSON, _ isSecret: (ValueToken) -> Bool) -> [UInt8] {
    json.withToken { whole in
      var shown: [UInt8] = []
      var reader = TokenReader(whole)
      var end = 0
      while let token = reader.next() {
        guard case .name(let name) = token, isSecret(name) else { continue }
        let value = reader.skipValue()
        shown += whole.bytes[end..<value.lowerBound]
        shown += "\"\(mask)\"".utf8
        end = value.upperBound
      }
      return shown + whole.bytes[end...]
    }
  }

  /// Names and values in forms and queries, which are decoded as the server decodes them. A `_where` that names a
  /// secret is hidden completely.
  ///
  /// - Returns: `nil` for a text that names a secret and is not a list of pairs, such as invalid JSON.
  private static func pairs(_ text: String) -> String? {
    var shown: [String] = []
    var isList = true
    for pair in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decodeForm(parts[0])
      let value = parts.count > 1 ? PercentEncoding.decodeForm(parts[1]) : ""
      if !pair.isEmpty, parts.count < 2 || "{[\"'".contains(name.first { !$0.isWhitespace } ?? "=") { isList = false }
      let isHidden = SecretName.matches(name, with: value)
      shown.append(isHidden ? String(Substring(parts[0])) + "=" + mask : String(Substring(pair)))
    }
    let isShown = isList || ![PercentEncoding.decodeForm(text.utf8), text].contains(where: SecretName.mayBeMentioned)
    return isShown ? shown.joined(separator: "&") : nil
  }
}
