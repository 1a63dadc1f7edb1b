import JSONServerValues

/// The rights to a resource, in json-server-auth's digits, which are those of Unix file modes: the first digit is for
/// the owner of a record, the second for signed-in users, the third for everyone; 4 allows reading, 2 writing.
public struct Guard: Sendable, Hashable {
  /// The three digits, such as `640`.
  public let digits: String
  private let owner: UInt8
  private let user: UInt8
  private let anyone: UInt8

  /// All valid guards; each group of people may do at least as much as the next group.
  static let all = ["400", "440", "444", "600", "640", "644", "660", "664", "666"]

  /// Creates a guard from its digits; `nil` when they are not 400, 440, 444, 600, 640, 644, 660, 664 or 666.
  public init?(_ digits: String) {
    guard Self.all.contains(digits) else { return nil }
    let values = digits.utf8.map { $0 - UInt8(ascii: "0") }
    self.init(values[0], values[1], values[2])
  }

  private init(_ owner: UInt8, _ user: UInt8, _ anyone: UInt8) {
    (self.owner, self.user, self.anyone) = (owner, user, anyone)
    digits = "\(owner)\(user)\(anyone)"
  }

  /// The default guard of the users: they see and change only their own record.
  static let ownOnly = Guard(6, 0, 0)
  /// The default guard of other resources: signed-in users may read and write.
  static let signedIn = Guard(6, 6, 0)

  /// The rights that both guards give.
  func intersection(_ other: Guard) -> Guard {
    Guard(owner & other.owner, user & other.user, anyone & other.anyone)
  }
}

extension Guard {
  /// What a request does, as the bit that allows it.
  enum Access: UInt8, Sendable, CaseIterable {
    case read = 4
    case write = 2
  }

  enum Decision: Sendable {
    case allowed
    /// Allowed for the user's own records.
    case allowedToOwner
    /// Refused until the client signs in.
    case signInFirst
    /// Refused for everyone.
    case refused
  }

  /// Decides on a request before its records are known.
  func decision(on access: Access, isSignedIn: Bool) -> Decision {
    if anyone & access.rawValue != 0 { return .allowed }
    // Where everyone may read, a request is refused without asking for a sign-in.
    guard isSignedIn || (owner & access.rawValue == 0 && anyone != 0) else { return .signInFirst }
    if user & access.rawValue != 0 { return .allowed }
    return owner & access.rawValue != 0 ? .allowedToOwner : .refused
  }

  /// Separates json-server-auth's short form of guards, `"posts": 640`, from the rewrite rules of a routes file.
  ///
  /// As in json-server-auth, a guard of a part of a resource, such as `posts/:id`, becomes a rewrite rule. The rule
  /// covers the path and all paths below it.
  ///
  /// - Returns: The guards by the names of their resources as the file has them, and the rules.
  static func split(_ routes: JSONObject) -> (guards: [String: Guard], rules: JSONObject) {
    var guards: [String: Guard] = [:]
    var rules: [(String, JSONValue)] = []
    for (key, value) in routes {
      let name = String(key.reversed().drop { $0 == "/" }.reversed())
      let digits = value.string ?? value.int.map(String.init) ?? ""
      if let new = Guard(digits), !key.hasPrefix("/") {
        if name.contains(where: "/:*()?+".contains) {
          rules.append(("/\(name)/:below*", .string("/\(digits)$0")))
        } else {
          guards[name] = guards[name]?.intersection(new) ?? new
        }
      } else {
        rules.append((key, value))
      }
    }
    return (guards, JSONObject(rules))
  }
}
