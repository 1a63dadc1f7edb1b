/// A way to write something as a string, under its name in JSON Schema (2020-12 validation, section 7.3).
///
/// The checks are narrower than the standards where a program that reads the value would be: a date-time has capital
/// letters and no leap second, a URI has a scheme and an authority, an email address needs no quotes.
package enum StringFormat: String, Sendable, Hashable, CaseIterable {
  case dateTime = "date-time"
  case date
  case email
  case uri
  case uuid
  case ipv4

  /// The format that all of some strings are written in; `nil` when there is none, or no string.
  package init?(of strings: [String]) {
    guard let first = strings.first, let format = Self.allCases.first(where: { $0.matches(first) }),
      strings.dropFirst().allSatisfy(format.matches)
    else { return nil }
    self = format
  }

  /// Whether a string is written in this format.
  package func matches(_ string: String) -> Bool {
    let text = Array(string.utf8)
    return switch self {
    case .dateTime: Self.isDateTime(text[...])
    case .date: Self.isDate(text[...])
    case .email: Self.isEmail(text[...])
    case .uri: Self.isURI(text[...])
    case .uuid: Self.isUUID(text)
    case .ipv4: Self.isIPv4(text[...])
    }
  }
}
