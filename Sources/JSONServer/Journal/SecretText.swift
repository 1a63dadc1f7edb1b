import HTTPTypes
import JSONServerValues

/// Requests and responses for the journal, events, the log and messages, with `***` in place of secrets.
package enum SecretText {
  private static let mask = "***"
  private static let quote = UInt8(ascii: "\"")

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
  static func fields(_ fields: HTTPFields) -> HTTPFields {
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

  /// The body of a request or a response, or its beginning. O(its length).
  ///
  /// - Parameters:
  ///   - type: The value of `Content-Type`.
  ///   - isCut: Whether only the beginning is given.
  ///   - isRequest: Whether a client sent it. A client's body that cannot be parsed is left out when it names a secret.
  static func body(_ body: ArraySlice<UInt8>, type: String?, isCut: Bool, isRequest: Bool) -> ArraySlice<UInt8> {
    let essence = type.map(MediaType.init)?.essence
    let text = String(decoding: body, as: UTF8.self)
    let leftOut = Array("(left out, since it names a secret)".utf8)[...]
    if essence == "application/x-www-form-urlencoded", (try? JSONValue(parsing: Array(body))) == nil {
      return pairs(text).map { Array($0.utf8)[...] } ?? leftOut
    }
    if isRequest, SecretName.mayBeMentioned(in: text) {
      let isJSON = isCut ? body.first.map("{[".utf8.contains) ?? true : (try? JSONValue(parsing: Array(body))) != nil
      guard isJSON else { return leftOut }
    }
    // A patch names the changed member by a path (RFC 6902).
    let isSecretPatch = essence == "application/json-patch+json" && SecretName.mayBeMentioned(in: text)
    return members(body) { SecretName.matches($0) || isSecretPatch && $0 == "value" }
  }

  /// JSON, which may be cut anywhere, or text with JSON in it.
  private static func members(_ text: ArraySlice<UInt8>, _ isSecret: (String) -> Bool) -> ArraySlice<UInt8> {
    var shown: [UInt8] = []
    var rest = text
    var known: [ArraySlice<UInt8>: Bool] = [:]
    while let start = rest.firstIndex(of: quote), let end = endOfString(rest[start...]) {
      guard let colon = rest[end...].firstIndex(where: isNoSpace), rest[colon] == UInt8(ascii: ":") else {
        // In a text that is not JSON, the quotation mark that ended something other than a name may begin a name.
        shown += rest[..<(end - 1)]
        rest = rest[(end - 1)...]
        if end == rest.endIndex { break }
        continue
      }
      let name = rest[start..<end]
      shown += rest[...colon]
      rest = rest[(colon + 1)...]
      let isHidden = known[name] ?? isSecret(decoded(name))
      known[name] = isHidden
      guard isHidden else { continue }
      let value = rest.drop { !isNoSpace($0) }
      shown += rest[..<value.startIndex] + "\"\(mask)\"".utf8
      rest = value[endOfValue(value)...]
    }
    return (shown + rest)[...]
  }

  private static func isNoSpace(_ byte: UInt8) -> Bool { !ByteSet.spaces.contains(byte) }

  private static func decoded(_ name: ArraySlice<UInt8>) -> String {
    (try? JSONValue(parsing: Array(name)))?.string ?? String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The end of a string that begins with a quotation mark; `nil` for one that is cut.
  private static func endOfString(_ text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex + 1
    while index < text.endIndex {
      if text[index] == quote { return index + 1 }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private static func endOfValue(_ text: ArraySlice<UInt8>) -> Int {
    var depth = 0
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case quote:
        guard let end = endOfString(text[index...]) else { return text.endIndex }
        if depth == 0 { return end }
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","), UInt8(ascii: "\n"): if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return index
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
