import JSONDatabase
import JSONServerValues

/// A name, or an email address, and a password.
struct Credentials: Sendable {
  /// The member with the user's name, such as `email`.
  let member: String
  let name: String
  let password: String

  /// Reads the body of a registration or a sign-in, with the rules and the messages of json-server-auth.
  ///
  /// - Parameters:
  ///   - body: The body; `nil` for none.
  ///   - names: The members of which one names the user.
  /// - Throws: 400 that names the missing or invalid member.
  init(_ body: ValidJSON?, names: [String]) throws(RequestError) {
    let members = body?.members(named: names + [DataOperation.hiddenName])
    let member = names.first { members?[$0] != nil } ?? names[0]
    guard let name = Self.name(members?[member], in: member), let password = members?["password"]?.string,
      !Self.isBlank(name),
      !Self.isBlank(password)
    else {
      throw Self.missing(names)
    }
    (self.member, self.name, self.password) = (member, name, password)
    try Self.check(email: members?["email"], password: .string(password))
  }

  /// json-server-auth's message, with the names that the server asks for.
  private static func missing(_ names: [String]) -> RequestError {
    let name = names == usualNames ? "Email" : names.joined(separator: " or ").capitalizedFirst
    return RequestError(.malformed, "\(name) and password are required")
  }

  /// Checks new values of a user's members; `nil` for a member that does not change.
  static func check(email: JSONValue?, password: JSONValue?) throws(RequestError) {
    if let email, !(email.string.map(isEmail) ?? false) {
      throw RequestError(.malformed, "Email format is invalid")
    }
    if let password, (password.string ?? "").unicodeScalars.count < minimumPasswordLength {
      throw RequestError(.malformed, "Password is too short")
    }
  }

  /// Refuses a user without a name, who could never sign in again.
  static func requireName(_ names: [String], of value: (String) -> JSONValue?) throws(RequestError) {
    guard names.contains(where: { !isBlank(name(value($0), in: $0) ?? "") }) else { throw missing(names) }
  }

  /// The members that name a user, unless the table of sign-in has others.
  static let usualNames = ["email", "username"]

  /// The text of a member that names a user; one that the table of sign-in adds, such as a phone number, may be a number.
  static func name(_ value: JSONValue?, in member: String) -> String? {
    usualNames.contains(member) ? value?.string : value?.nameText
  }

  static let minimumPasswordLength = 4

  private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

  private static let localBytes = ByteSet.words.union(ByteSet(".!#$%&'*+/=?^`{|}~-".utf8))
  private static let labelBytes = ByteSet.digits.union(ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z")))

  /// Whether a text is an email address by the rules of HTML forms: a local part, `@`, and labels between dots.
  private static func isEmail(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(localBytes.contains) else { return false }
    return parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
      return labelBytes.contains(first) && labelBytes.contains(last)
        && label.allSatisfy { labelBytes.contains($0) || $0 == UInt8(ascii: "-") }
    }
  }
}

extension JSONValue {
  /// The text of a string, or of a number as written: phone numbers and a fixture's passwords may be either.
  var nameText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .null, .bool, .array, .object: nil
    }
  }
}

extension String {
  /// The text with a capital at its beginning.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
