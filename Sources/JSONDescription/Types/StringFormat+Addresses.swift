extension StringFormat {
  /// RFC 5321's `Mailbox` without quoted local parts and address literals; the domain has a dot.
  static func isEmail(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let words = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > 1 && labels.allSatisfy(isDomainLabel)
      && words.allSatisfy { word in !word.isEmpty && word.allSatisfy { isAlphanumeric($0) || atomMarks.contains($0) } }
  }

  /// RFC 3986 with a scheme and an authority: `https://host/path`.
  static func isURI(_ text: ArraySlice<UInt8>) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon]
    let rest = text[colon...].dropFirst()
    guard let first = scheme.first, isLetter(first),
      scheme.allSatisfy({ isAlphanumeric($0) || schemeMarks.contains($0) }),
      rest.starts(with: "//".utf8), let authority = rest.dropFirst(2).first, isAlphanumeric(authority)
    else { return false }
    return hasOnlyURICharacters(rest)
  }

  /// RFC 9562, in upper or lower case.
  static func isUUID(_ text: [UInt8]) -> Bool {
    guard text.count == 36 else { return false }
    return text.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : isHexadecimal(byte)
    }
  }

  /// RFC 2673, `dotted-quad`, without leading zeros.
  static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard 1...3 ~= part.count, part.allSatisfy(isDigit) else { return false }
        return part.first != UInt8(ascii: "0") || part.count == 1
          ? part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } < 256 : false
      }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static let atomMarks = Array("!#$%&'*+-/=?^_`{|}~".utf8)
  private static let schemeMarks = Array("+-.".utf8)
  private static let uriMarks = Array("-._~:/?#@!$&'()*+,;=".utf8)

  private static func isDomainLabel(_ label: ArraySlice<UInt8>) -> Bool {
    !label.isEmpty && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
      && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  private static func hasOnlyURICharacters(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexadecimal) else { return false }
        rest = rest.dropFirst(2)
      } else if !isAlphanumeric(byte), !uriMarks.contains(byte) {
        return false
      }
    }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
  }
}
