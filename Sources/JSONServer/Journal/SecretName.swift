import JSONServerValues

/// Names of parameters and members whose values are secrets.
enum SecretName {
  /// The words in such a name, without regard to letter case and separators.
  private static let parts = [
    "password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey", "accesskey", "privatekey",
    "signature", "authorization", "sessionid",
  ]

  /// Words that make a name secret, also as a part of it.
  private static let words: Set = ["pwd", "otp", "totp", "pin", "jwt", "token"]

  private static let wholeNames: Set = ["auth", "key", "pass", "sig"]

  /// Positions in a list, which say as much about a request as the number of a page does.
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

  /// Whether a parameter is a secret: by its name, or as a `_where` that may name one.
  static func matches(_ name: String, with value: String) -> Bool {
    matches(name) || name == "_where" && mayBeMentioned(in: value)
  }

  /// Whether a member of an object is a secret: by its name, or as the value of a JSON Patch whose path names one
  /// (RFC 6902).
  static func matches(_ name: String, in members: JSONObject) -> Bool {
    matches(name) || name == "value" && members["path"]?.string.map(isMentioned) == true
  }

  /// Whether a text that cannot be parsed contains such a word, or may do so in escapes.
  static func mayBeMentioned(in text: String) -> Bool { isMentioned(in: text) || text.contains("\\u") }

  /// Whether a text without names contains such a word.
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
  /// The value without members that are secrets.
  var withoutSecrets: JSONValue {
    changingObjects { members in
      JSONObject(members.filter { !SecretName.matches($0.name, in: members) }.map { ($0.name, $0.value) })
    }
  }
}
