/// What a server knows of the tokens in the database that it shares.
struct SharedTokens {
  private struct Entry {
    /// `nil` for a token that is void.
    let token: SharedToken?
    /// When it was looked up.
    let era: Int
  }

  private var entries: [String: Entry] = [:]
  /// Grows whenever tokens may have become void: what was looked up before says only how it was.
  private(set) var era = 0

  /// The most tokens that are known.
  private static let capacity = 10_000

  /// Whether it is known of a token whether it is void now.
  func isCurrent(_ token: String) -> Bool { entries[token]?.era == era }

  /// Records what was found out about a token.
  ///
  /// - Parameter era: ``era`` when it was asked for.
  /// - Returns: Whether that still holds.
  mutating func record(_ found: SharedToken?, of token: String, era: Int) -> Bool {
    guard era == self.era else { return false }
    if entries.count >= Self.capacity { entries = [:] }
    entries[token] = Entry(token: found, era: era)
    return true
  }

  /// Has all tokens looked up again by the requests that come from now on.
  mutating func expire() { era += 1 }

  /// Returns whom an access token stands for; for a request that goes on, that is as it was when the request came.
  ///
  /// - Parameter now: Seconds since 1970.
  func token(_ text: String, now: Double) throws(Tokens.Refusal) -> SharedToken {
    try Self.check(entries[text]?.token, text, isRefresh: false, now: now)
  }

  /// - Throws: Why a token is not accepted for something.
  static func check(
    _ found: SharedToken?, _ text: String, isRefresh: Bool, now: Double
  ) throws(Tokens.Refusal) -> SharedToken {
    guard let found, found.isRefresh == isRefresh else { throw Tokens.Refusal(unknown: text) }
    guard now < found.end else { throw .expired }
    return found
  }
}
