import JSONServerValues

/// Names of parameters and members whose values are secrets.
package enum SecretName {
  /// The words in such a name, without regard to letter case and separators.
  private static let parts = [
    "password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey", "accesskey", "privatekey",
    "signature", "authorization", "sessionid",
  ].map { Array($0.utf8) }

  /// Words that make a name secret, also as a part of it.
  private static let words = ["pwd", "otp", "totp", "pin", "jwt", "token"].map { Array($0.utf8) }

  private static let token = Array("token".utf8)

  private static let wholeNames = ["auth", "key", "pass", "sig"].map { Array($0.utf8) }

  /// Positions in a list, which say as much about a request as the number of a page does.
  private static let places = ["pagetoken", "nextpagetoken", "nexttoken", "continuationtoken", "synctoken"]
    .map { Array($0.utf8) }

  private static let letters = ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z")).union(.digits)
  private static let nameBytes = ByteSet.words.union(ByteSet("-".utf8))

  /// Whether a name is that of a secret: `access_token`, `userPassword`, `apiKey`. O(length).
  static func matches(_ name: String) -> Bool { matches(utf8: name.utf8) }

  /// Whether a name is that of a secret, given in UTF-8. Characters other than ASCII separate words.
  static func matches(utf8 name: some Sequence<UInt8>) -> Bool {
    let (joined, starts) = words(of: name)
    if wholeNames.contains(joined) { return true }
    if places.contains(joined) { return false }
    let ends = starts.dropFirst() + [joined.count]
    return joined.suffix(token.count) == token[...]
      || zip(starts, ends).contains { start, end in words.contains { $0[...] == joined[start..<end] } }
      || parts.contains { holds($0, in: joined) }
  }

  /// Compares at each place: a general search for a sequence prepares more than these few bytes are worth.
  private static func holds(_ part: [UInt8], in name: [UInt8]) -> Bool {
    name.count >= part.count
      && (0...(name.count - part.count)).contains { start in
        name[start] == part[0] && name[start..<(start + part.count)] == part[...]
      }
  }

  /// Whether a parameter is a secret: by its name, or as a `_where` that may name one.
  package static func matches(_ name: String, with value: String) -> Bool {
    matches(name) || name == "_where" && mayBeMentioned(in: value)
  }

  /// Whether a member of an object is a secret: by its name, or as the value of a JSON Patch whose path names one
  /// (RFC 6902).
  package static func matches(_ name: String, in members: JSONObject) -> Bool {
    matches(name) || name == "value" && members["path"]?.string.map(isMentioned) == true
  }

  /// Whether a text that cannot be parsed contains such a word, or may do so in escapes.
  static func mayBeMentioned(in text: String) -> Bool { isMentioned(in: text) || text.contains("\\u") }

  /// Whether a text without names contains such a word. O(length).
  package static func isMentioned(in text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while let start = rest.firstIndex(where: nameBytes.contains) {
      let word = rest[start...].prefix(while: nameBytes.contains)
      if matches(utf8: word) { return true }
      rest = rest[word.endIndex...]
    }
    return false
  }

  /// The words of a name, joined in lower case, and where they begin: of `userPassword`, `user` and `password`.
  private static func words(of name: some Sequence<UInt8>) -> (joined: [UInt8], starts: [Int]) {
    var joined: [UInt8] = []
    var starts: [Int] = []
    var (isInWord, wasLower) = (false, false)
    for byte in name {
      guard letters.contains(byte) else {
        isInWord = false
        continue
      }
      let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
      if !isInWord || wasLower && isUpper { starts.append(joined.count) }
      joined.append(isUpper ? byte | 0x20 : byte)
      (isInWord, wasLower) = (true, !isUpper)
    }
    return (joined, starts)
  }
}

extension JSONValue {
  /// The value without members that are secrets.
  package var withoutSecrets: JSONValue {
    changingObjects { members in
      JSONObject(members.filter { !SecretName.matches($0.name, in: members) }.map { ($0.name, $0.value) })
    }
  }
}
