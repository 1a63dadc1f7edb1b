import JSONServerValues

/// A string format, by its name in JSON Schema (2020-12 validation, section 7.3).
///
/// The checks are stricter than the standards where readers are: a date-time has capital letters and no leap second, a
/// URI has a scheme and an authority, an email address needs no quotes.
package enum StringFormat: String, Sendable, Hashable, CaseIterable {
  case dateTime = "date-time"
  case date
  case email
  case uri
  case uuid
  case ipv4

  /// The common format of some strings; `nil` without strings, or without a common format.
  package init?(of strings: [String]) {
    guard let first = strings.first, let format = Self.allCases.first(where: { $0.matches(first) }),
      strings.dropFirst().allSatisfy(format.matches)
    else { return nil }
    self = format
  }

  /// Whether a string has this format.
  package func matches(_ string: String) -> Bool {
    let text = Array(string.utf8)
    return switch self {
    case .dateTime: Self.isDateTime(text[...])
    case .date: Self.isDate(text[...])
    case .email: Self.isEmail(text[...])
    case .uri: Self.isURI(text[...])
    case .uuid: text.withUnsafeBufferPointer(UUIDText.isUUID)
    case .ipv4: Self.isIPv4(text[...])
    }
  }

  /// RFC 3339, `full-date`.
  private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    guard let parts = numbers(in: text, separator: "-", digits: [4, 2, 2]) else { return false }
    return 1...12 ~= parts[1] && parts[2] >= 1 && parts[2] <= daysIn(month: parts[1], of: parts[0])
  }

  /// RFC 3339, `date-time`.
  private static func isDateTime(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count >= 20, isDate(text.prefix(10)), text.dropFirst(10).first == UInt8(ascii: "T"),
      isTime(text.dropFirst(11).prefix(8), digits: [2, 2, 2])
    else { return false }
    var rest = text.dropFirst(19)
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard let sign = rest.popFirst() else { return false }
    return sign == UInt8(ascii: "Z") ? rest.isEmpty : "+-".utf8.contains(sign) && isTime(rest, digits: [2, 2])
  }

  /// Whether a text is an hour and a minute, and perhaps a second.
  private static func isTime(_ text: ArraySlice<UInt8>, digits: [Int]) -> Bool {
    guard let parts = numbers(in: text, separator: ":", digits: digits) else { return false }
    return parts[0] < 24 && parts.dropFirst().allSatisfy { $0 < 60 }
  }

  private static func daysIn(month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// The numbers between separators; `nil` unless each has its number of digits.
  private static func numbers(
    in text: ArraySlice<UInt8>, separator: Unicode.Scalar, digits: [Int]
  ) -> [Int]? {
    let parts = text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    guard parts.map(\.count) == digits, parts.joined().allSatisfy(isDigit) else { return nil }
    return parts.map { part in part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
  }

  /// RFC 5321's `Mailbox` without quoted local parts and address literals; the domain has a dot.
  private static func isEmail(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let words = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > 1 && labels.allSatisfy(isDomainLabel)
      && words.allSatisfy { word in !word.isEmpty && word.allSatisfy { isAlphanumeric($0) || atomMarks.contains($0) } }
  }

  /// RFC 3986 with a scheme and an authority: `https://host/path`.
  private static func isURI(_ text: ArraySlice<UInt8>) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon]
    let rest = text[colon...].dropFirst()
    guard let first = scheme.first, isLetter(first),
      scheme.allSatisfy({ isAlphanumeric($0) || schemeMarks.contains($0) }),
      rest.starts(with: "//".utf8), let authority = rest.dropFirst(2).first, isAlphanumeric(authority)
    else { return false }
    return hasOnlyURICharacters(rest)
  }

  /// RFC 2673, `dotted-quad`, without leading zeros.
  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        let number = String(decoding: part, as: UTF8.self)
        return UInt8(number).map(String.init) == number
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
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
        guard rest.count >= 2, rest.prefix(2).allSatisfy(JSONSyntax.isHexadecimal) else { return false }
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

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte)
  }
}
