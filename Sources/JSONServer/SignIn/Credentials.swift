import JSONDatabase
import JSONServerValues

/// A name, or an email address, and a password.
struct Credentials: Sendable {
  /// The member with the user's name: `email` or `username`.
  let member: String
  let name: String
  let password: String

  /// Reads the body of a registration or a sign-in, with the rules and the messages of json-server-auth.
  ///
  /// - Parameter body: The body; `nil` for none.
  /// - Throws: 400 that names the missing or invalid member.
  init(_ body: ValidJSON?) throws(RequestError) {
    let members = body?.members(named: Self.memberNames)
    let email = members?["email"]
    let member = email == nil && members?["username"] != nil ? "username" : "email"
    guard let name = members?[member]?.string, let password = members?["password"]?.string, !Self.isBlank(name),
      !Self.isBlank(password)
    else {
      throw RequestError(.malformed, "Email and password are required")
    }
    (self.member, self.name, self.password) = (member, name, password)
    try Self.check(email: email, password: .string(password))
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
  static func requireName(email: JSONValue?, username: JSONValue?) throws(RequestError) {
    guard [email, username].contains(where: { !isBlank($0?.string ?? "") }) else {
      throw RequestError(.malformed, "Email and password are required")
    }
  }

  /// The members of a user that signing in reads.
  static let memberNames = ["email", "username", "password"]

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
