import OrderedJSON

/// Names of parameters and members that say that their values are secrets.
enum SecretName {
  /// What such a name holds, without regard to letter case and to what separates words.
  private static let parts = [
    "password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey", "accesskey", "privatekey",
    "signature", "authorization", "sessionid",
  ]

  /// A word that such a name has, or is.
  private static let words: Set = ["pwd", "otp", "totp", "pin", "jwt", "token"]

  private static let wholeNames: Set = ["auth", "key", "pass", "sig"]

  /// Where a list goes on, which says as much about the request as the number of a page.
  private static let places: Set = ["pagetoken", "nextpagetoken", "nexttoken", "continuationtoken", "synctoken"]

  /// Whether a name is that of a secret: `access_token`, `userPassword`, `apiKey`.
  static func matches(_ name: String) -> Bool {
    let words = words(of: name)
    let joined = words.joined()
    if wholeNames.contains(joined) { return true }
    if places.contains(joined) { return false }
    return joined.hasSuffix("token") || words.contains(where: Self.words.contains)
      || parts.contains { joined.contains($0) }
  }

  /// Whether a text that has no names holds a word that such a name has.
  static func isMentioned(in text: String) -> Bool {
    text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }.contains { matches(String($0)) }
  }

  /// The words of a name in lower case: of `userPassword`, `user` and `password`.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var wasLower = false
    var isInWord = false
    for character in name {
      guard character.isLetter || character.isNumber else {
        isInWord = false
        continue
      }
      let begins = !isInWord || wasLower && character.isUppercase
      if begins { words.append("") }
      words[words.count - 1] += character.lowercased()
      (isInWord, wasLower) = (true, !character.isUppercase)
    }
    return words
  }
}

extension JSONValue {
  /// Whether the value is another; members whose names say that they are secrets may be there besides.
  func isExactly(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.object(let whole), .object(let part)):
      part.allSatisfy { name, value in whole[name]?.isExactly(value) ?? false }
        && whole.allSatisfy { name, _ in part[name] != nil || SecretName.matches(name) }
    case (.array(let whole), .array(let part)):
      whole.count == part.count && zip(whole, part).allSatisfy { $0.isExactly($1) }
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): self == value
    }
  }

  /// The value without members whose names say that they are secrets.
  var withoutSecrets: JSONValue {
    switch self {
    case .object(let members):
      .object(JSONObject(members.filter { !SecretName.matches($0.name) }.map { ($0.name, $0.value.withoutSecrets) }))
    case .array(let elements): .array(elements.map(\.withoutSecrets))
    case .null, .bool, .number, .string: self
    }
  }
}
