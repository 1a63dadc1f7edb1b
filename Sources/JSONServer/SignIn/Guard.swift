import JSONDatabase
import JSONServerValues
import TextMatching

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
  /// All rights for everyone.
  static let open = Guard(6, 6, 6)

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
}

/// A guard of a part of a resource in a routes file: `"posts/:id": 640` guards the path and all paths below it.
struct PathGuard: Sendable {
  let digits: Guard
  private let pattern: CapturingPattern

  /// - Parameter name: The pattern of the path, without a slash at its start and end.
  /// - Throws: ``ServerError`` for an invalid pattern.
  init(_ name: String, _ digits: Guard) throws(ServerError) {
    var parser = RewriteParser("/\(name)/:below*")
    pattern = try parser.parse()
    guard !parser.hasQuery else { throw ServerError(rule: name, "a guard is for paths; leave out the query.") }
    self.digits = digits
  }

  /// - Parameter path: The escaped path of a request, with the names of resources as the data has them.
  func covers(_ path: String) -> Bool { pattern.groups(in: path[...]) != nil }
}

/// The guards of a request's path, in addition to those of its resource.
struct PathGuards: Sendable {
  /// The guards that the routes file gives the path. They replace the default guard of the path's resource.
  var given: [Guard] = []
  /// The guard that the client has written before the path. It only takes rights away.
  var prefix: Guard?
  /// The guard that a rewrite rule has written before the path.
  var written: Guard?
}

extension Database {
  /// The guard before the path of a resource, as in `/640/posts`; `nil` for none.
  func guardPrefix(of target: RequestTarget) -> Guard? {
    let segments = target.segments
    guard segments.count > 1, let prefix = Guard(segments[0]), resource(meantBy: segments[0]) == nil,
      resource(meantBy: segments[1]) != nil
    else { return nil }
    return prefix
  }
}
