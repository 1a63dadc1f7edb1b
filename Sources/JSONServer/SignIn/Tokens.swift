import DequeModule
import OrderedJSON

/// The tokens that users were given.
///
/// A token has the three parts of a JSON Web Token, so that clients can read its claims. What makes it valid is that it is
/// in this list, not its third part: that is random, and no signature.
struct Tokens: Sendable {
  /// What a user gets who signs in.
  struct Pair: Sendable {
    let access: String
    let refresh: String
    /// The seconds until the access token expires.
    let lifetime: Int
  }

  /// Whom a token stands for.
  struct Holder: Sendable, Hashable {
    /// The id of the user's record, as text.
    let user: String
    /// What the user signed in with: an email address, or a name.
    let email: String
  }

  /// Why a token is not accepted.
  enum Refusal: Error {
    /// It is not three parts.
    case malformed
    case unknown
    case expired

    /// The refusal of a token that nobody remembers.
    init(unknown token: String) {
      self = token.split(separator: ".", omittingEmptySubsequences: false).count == 3 ? .unknown : .malformed
    }
  }

  private struct Entry {
    let holder: Holder
    /// The sign-in that it goes back to, which ends all its tokens.
    let origin: Int
    /// Seconds since 1970.
    var end: Double
  }

  /// Tokens of one kind, by their text.
  private struct Kind {
    var entries: [String: Entry] = [:]
    /// From the oldest; those of tokens that are gone may be among them.
    private var order: Deque<String> = []

    mutating func add(_ token: String, _ entry: Entry) {
      entries[token] = entry
      order.append(token)
      while order.count > Tokens.capacity, let oldest = order.popFirst() { entries[oldest] = nil }
    }
  }

  /// The most tokens of one kind that are remembered; the oldest go first.
  static let capacity = 10_000
  static let refreshLifetime: Double = 30 * 24 * 3600

  private let lifetime: Double
  private let random: @Sendable () -> UInt64
  private var access = Kind()
  private var refresh = Kind()
  private var lastOrigin = 0

  /// - Parameters:
  ///   - lifetime: How long an access token is valid; a refresh token is for 30 days.
  ///   - random: Makes the random numbers of the third parts.
  init(lifetime: Duration, random: @escaping @Sendable () -> UInt64) {
    self.lifetime = lifetime / .seconds(1)
    self.random = random
  }

  /// Gives a user who has signed in tokens.
  ///
  /// - Parameter now: Seconds since 1970, here and below.
  mutating func issue(to holder: Holder, now: Double) -> Pair {
    lastOrigin += 1
    return issue(to: holder, origin: lastOrigin, now: now)
  }

  private mutating func issue(to holder: Holder, origin: Int, now: Double) -> Pair {
    let pair = pair(for: holder, now: now)
    access.add(pair.access, Entry(holder: holder, origin: origin, end: now + lifetime))
    refresh.add(pair.refresh, Entry(holder: holder, origin: origin, end: now + Self.refreshLifetime))
    return pair
  }

  /// Makes tokens that are remembered elsewhere.
  func pair(for holder: Holder, now: Double) -> Pair {
    Pair(
      access: text(for: holder, from: now, to: now + lifetime),
      refresh: text(for: holder, from: now, to: now + Self.refreshLifetime), lifetime: Int(lifetime.rounded()))
  }

  /// Returns whom an access token stands for.
  func holder(of token: String, now: Double) throws(Refusal) -> Holder {
    try Self.entry(token, of: access, now: now).holder
  }

  /// Gives new tokens for a refresh token, which is void from then on.
  mutating func renew(_ token: String, now: Double) throws(Refusal) -> Pair {
    let entry = try Self.entry(token, of: refresh, now: now)
    refresh.entries[token] = nil
    return issue(to: entry.holder, origin: entry.origin, now: now)
  }

  /// Returns whom a refresh token stands for.
  func holder(ofRefresh token: String, now: Double) throws(Refusal) -> Holder {
    try Self.entry(token, of: refresh, now: now).holder
  }

  /// Voids all tokens of the sign-in that an access or refresh token goes back to, and returns whether there was one.
  mutating func revoke(_ token: String) -> Bool {
    guard let origin = (access.entries[token] ?? refresh.entries[token])?.origin else { return false }
    remove { $0.origin == origin }
    return true
  }

  /// Voids the tokens of users that are gone.
  mutating func revoke(where isGone: (_ user: String) -> Bool) {
    remove { isGone($0.holder.user) }
  }

  /// Has all access tokens expire, and returns how many did.
  mutating func expire(now: Double) -> Int {
    let valid = access.entries.filter { $0.value.end > now }.keys
    for token in valid { access.entries[token]?.end = now }
    return valid.count
  }

  private mutating func remove(_ isVoid: (Entry) -> Bool) {
    access.entries = access.entries.filter { !isVoid($0.value) }
    refresh.entries = refresh.entries.filter { !isVoid($0.value) }
  }

  private static func entry(_ token: String, of kind: Kind, now: Double) throws(Refusal) -> Entry {
    guard let entry = kind.entries[token] else { throw Refusal(unknown: token) }
    guard now < entry.end else { throw .expired }
    return entry
  }

  // MARK: Text

  private static let header: JSONValue = ["alg": "HS256", "typ": "JWT"]

  /// A token as json-server-auth writes it (RFC 7519), save that its third part signs nothing.
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
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }
}
