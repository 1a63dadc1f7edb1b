import JSONDatabase
import JSONServerValues

/// The tokens of users, which are in the server's state.
///
/// A token has the three parts of a JSON Web Token, so that clients can read its claims. The third part is random, not
/// a signature: a token is valid while it is in the state.
struct Tokens: Sendable {
  /// The tokens of one sign-in.
  struct Pair: Sendable {
    let access: String
    let refresh: String
    /// The seconds until the access token expires.
    let lifetime: Int
  }

  /// The user of a token.
  struct Holder: Sendable, Hashable {
    /// The id of the user's record, as text.
    let user: String
    /// The email address, or the name, with which the user signed in.
    let email: String
    /// The slot of the user's record, where records keep their slots: a later user with the same id has another slot.
    var slot: Int?
  }

  /// The reason why a token is refused, in the words of jsonwebtoken, which json-server-auth passes on.
  enum Refusal: String, Error {
    /// The token does not have three parts.
    case malformed = "jwt malformed"
    case unknown = "invalid token"
    case expired = "jwt expired"
  }

  /// The state of a token.
  private struct Entry {
    let holder: Holder
    /// Whether the token is a refresh token.
    let isRefresh: Bool
    /// The first refresh token of the sign-in; signing out voids all tokens with this origin.
    let origin: String
    /// Seconds since 1970.
    var end: Double

    init(_ holder: Holder, isRefresh: Bool, origin: String, end: Double) {
      (self.holder, self.isRefresh, self.origin, self.end) = (holder, isRefresh, origin, end)
    }

    init?(_ value: JSONValue?) {
      guard let value, let user = value["user"]?.string, let email = value["email"]?.string,
        let origin = value["origin"]?.string, case .number(let end)? = value["end"]
      else { return nil }
      holder = Holder(user: user, email: email, slot: value["slot"]?.int)
      isRefresh = value["refresh"] == .bool(true)
      self.origin = origin
      self.end = end.doubleValue
    }

    var value: JSONValue {
      var members = JSONObject([
        ("user", .string(holder.user)), ("email", .string(holder.email)), ("refresh", .bool(isRefresh)),
        ("origin", .string(origin)), ("end", JSONValue(end)),
      ])
      members["slot"] = holder.slot.map { JSONValue($0) }
      return .object(members)
    }
  }

  /// The largest number of tokens. Beyond it, expired tokens are removed; if one kind then has half of the tokens, its
  /// tenth that expires first is removed.
  static let capacity = 20_000
  static let refreshLifetime: Double = 30 * 24 * 3600

  private let lifetime: Double
  private let random: @Sendable () -> UInt64

  /// - Parameters:
  ///   - lifetime: How long an access token is valid; a refresh token is valid for 30 days.
  ///   - random: Makes the random numbers of the third parts.
  init(lifetime: Duration, random: @escaping @Sendable () -> UInt64) {
    self.lifetime = lifetime / .seconds(1)
    self.random = random
  }

  /// Gives tokens to a user who has signed in.
  ///
  /// - Parameters:
  ///   - origin: The first refresh token of the sign-in; `nil` for the tokens of a new one.
  ///   - now: Seconds since 1970, here and below.
  func issue(
    to holder: Holder, origin: String? = nil, now: Double = System.now, in state: inout ServerState
  ) -> Pair {
    Self.makeRoom(now: now, in: &state)
    let end = (access: now + lifetime, refresh: now + Self.refreshLifetime)
    let pair = Pair(
      access: text(for: holder, from: now, to: end.access), refresh: text(for: holder, from: now, to: end.refresh),
      lifetime: Int(lifetime.rounded()))
    let origin = origin ?? pair.refresh
    state[.token, pair.access] = Entry(holder, isRefresh: false, origin: origin, end: end.access).value
    state[.token, pair.refresh] = Entry(holder, isRefresh: true, origin: origin, end: end.refresh).value
    return pair
  }

  private static func makeRoom(now: Double, in state: inout ServerState) {
    guard state[.token].count >= capacity else { return }
    for isRefresh in [false, true] {
      let ends = entries(in: state).filter { $0.entry.isRefresh == isRefresh }.sorted { $0.entry.end < $1.entry.end }
      let expired = ends.prefix { $0.entry.end <= now }.count
      let surplus = ends.count >= capacity / 2 ? ends.count / 10 : 0
      for (token, _) in ends.prefix(max(expired, surplus)) { state[.token, token] = nil }
    }
  }

  /// Returns the user of an access token, or of a refresh token.
  static func holder(
    of token: String, isRefresh: Bool = false, now: Double = System.now, in state: ServerState
  ) throws(Refusal) -> Holder {
    try entry(token, isRefresh: isRefresh, now: now, in: state).holder
  }

  /// Gives new tokens for a refresh token, and voids the refresh token.
  func renew(_ token: String, now: Double = System.now, in state: inout ServerState) throws(Refusal) -> Pair {
    let entry = try Self.entry(token, isRefresh: true, now: now, in: state)
    state[.token, token] = nil
    return issue(to: entry.holder, origin: entry.origin, now: now, in: &state)
  }

  /// Voids all tokens of a sign-in, given one of them, and returns whether there were any.
  static func revoke(_ token: String, in state: inout ServerState) -> Bool {
    guard let origin = Entry(state[.token, token])?.origin else { return false }
    for (token, value) in state[.token] where value["origin"]?.string == origin { state[.token, token] = nil }
    return true
  }

  /// Voids the tokens of missing users.
  static func revoke(in state: inout ServerState, where isGone: (_ holder: Holder) -> Bool) {
    for (token, entry) in entries(in: state) where isGone(entry.holder) { state[.token, token] = nil }
  }

  /// Expires all access tokens, and returns their number.
  static func expire(now: Double = System.now, in state: inout ServerState) -> Int {
    let valid = entries(in: state).filter { !$0.entry.isRefresh && $0.entry.end > now }
    for (token, entry) in valid {
      var entry = entry
      entry.end = now
      state[.token, token] = entry.value
    }
    return valid.count
  }

  private static func entries(in state: ServerState) -> [(token: String, entry: Entry)] {
    state[.token].compactMap { token, value in Entry(value).map { (token, $0) } }
  }

  private static func entry(
    _ token: String, isRefresh: Bool, now: Double, in state: ServerState
  ) throws(Refusal) -> Entry {
    guard let entry = Entry(state[.token, token]), entry.isRefresh == isRefresh else {
      throw token.split(separator: ".", omittingEmptySubsequences: false).count == 3 ? .unknown : .malformed
    }
    guard now < entry.end else { throw .expired }
    return entry
  }

  // MARK: Text

  private static let header: JSONValue = ["alg": "HS256", "typ": "JWT"]

  /// A token as json-server-auth writes it (RFC 7519), but with a third part that is not a signature.
  private func text(for holder: Holder, from start: Double, to end: Double) -> String {
    let claims: JSONValue = [
      "email": .string(holder.email), "iat": .number(JSONNumber(Int(start))), "exp": .number(JSONNumber(Int(end))),
      "sub": .string(holder.user),
    ]
    let signature = (0..<4).flatMap { _ in withUnsafeBytes(of: random()) { Array($0) } }
    return [Self.header.utf8Text(.compact), claims.utf8Text(.compact), signature].map(Self.base64URL)
      .joined(separator: ".")
  }

  /// Bytes as text of URL-safe letters without padding (RFC 4648, section 5).
  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
