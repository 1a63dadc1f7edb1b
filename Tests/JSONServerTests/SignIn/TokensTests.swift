import Foundation
import JSONDatabase
import JSONServerValues
import Testing

@testable import JSONServer

struct TokensTests {
  private let ada = Tokens.Holder(user: "1", email: "ada@x.org")
  private let bob = Tokens.Holder(user: "2", email: "bob@x.org")

  private func tokens(_ lifetime: Duration = .seconds(60)) -> Tokens {
    Tokens(lifetime: lifetime, random: { .random(in: .min ... .max) })
  }

  private func claims(_ token: String) throws -> JSONValue {
    let parts = token.split(separator: ".").map(String.init)
    #expect(parts.count == 3)
    var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    let data = try #require(Data(base64Encoded: String(text)))
    return try JSONValue(parsing: Array(data))
  }

  @Test(arguments: ["a", "ab", "abc", "å@x", "\"quoted\"", String(repeating: "x", count: 99)])
  func `Clients read the claims of a token`(email: String) throws {
    let tokens = tokens()
    var state = ServerState()
    let pair = tokens.issue(to: Tokens.Holder(user: "7", email: email), now: 1_000.9, in: &state)
    #expect(try claims(pair.access) == ["email": .string(email), "iat": 1000, "exp": 1060, "sub": "7"])
    #expect(try claims(pair.refresh)["sub"] == "7")
    #expect(pair.lifetime == 60)
  }

  @Test func `A token is valid until its end, and no two are the same`() throws {
    let tokens = tokens()
    var state = ServerState()
    let first = tokens.issue(to: ada, now: 0, in: &state)
    let second = tokens.issue(to: bob, now: 0, in: &state)
    #expect(Set([first.access, first.refresh, second.access, second.refresh]).count == 4)
    #expect(try Tokens.holder(of: first.access, now: 59.9, in: state) == ada)
    #expect(try Tokens.holder(of: second.access, now: 59.9, in: state) == bob)
    #expect(throws: Tokens.Refusal.expired) { try Tokens.holder(of: first.access, now: 60, in: state) }
    #expect(throws: Tokens.Refusal.unknown) { try Tokens.holder(of: first.refresh, now: 0, in: state) }
    #expect(throws: Tokens.Refusal.unknown) { try Tokens.holder(of: first.access + "x", now: 0, in: state) }
    #expect(throws: Tokens.Refusal.malformed) { try Tokens.holder(of: "x", now: 0, in: state) }
  }

  @Test func `All access tokens expire at once, and refresh tokens stay`() throws {
    let tokens = tokens()
    var state = ServerState()
    let old = tokens.issue(to: ada, now: 0, in: &state)
    // Of less than a millisecond, too.
    let now = 1.0006
    let counts = [Tokens.expire(now: now, in: &state), Tokens.expire(now: now, in: &state)]
    #expect(counts == [1, 0])
    #expect(throws: Tokens.Refusal.expired) { try Tokens.holder(of: old.access, now: now, in: state) }
    let new = try tokens.renew(old.refresh, now: 1, in: &state)
    #expect(try Tokens.holder(of: new.access, now: 60.9, in: state) == ada)
    #expect(throws: Tokens.Refusal.unknown) { _ = try tokens.renew(old.refresh, now: 1, in: &state) }
  }

  @Test func `Signing out voids what goes back to the same sign-in`() throws {
    let tokens = tokens()
    var state = ServerState()
    let phone = tokens.issue(to: ada, now: 0, in: &state)
    let later = try tokens.renew(phone.refresh, now: 0, in: &state)
    let laptop = tokens.issue(to: ada, now: 0, in: &state)
    let wasThere = [Tokens.revoke(later.access, in: &state), Tokens.revoke(later.access, in: &state)]
    #expect(wasThere == [true, false])
    for token in [phone.access, later.access] {
      #expect(throws: Tokens.Refusal.unknown) { try Tokens.holder(of: token, now: 0, in: state) }
    }
    #expect(throws: Tokens.Refusal.unknown) { _ = try tokens.renew(later.refresh, now: 0, in: &state) }
    #expect(try Tokens.holder(of: laptop.access, now: 0, in: state) == ada)
  }

  @Test func `The oldest tokens are forgotten when there are too many`() throws {
    let tokens = tokens()
    var state = ServerState()
    let pairs = (0...Tokens.capacity / 2).map { tokens.issue(to: ada, now: Double($0) / 1_000, in: &state) }
    let tenth = Tokens.capacity / 20
    for (pair, isForgotten) in [(pairs[0], true), (pairs[tenth - 1], true), (pairs[tenth], false)] {
      #expect((state[.token, pair.access] == nil) == isForgotten)
      #expect((state[.token, pair.refresh] == nil) == isForgotten)
    }
    #expect(try Tokens.holder(of: pairs[Tokens.capacity / 2].access, now: 1, in: state) == ada)
  }

  @Test func `Tokens that have expired are forgotten before others`() throws {
    let tokens = tokens(.seconds(1))
    var state = ServerState()
    let first = tokens.issue(to: ada, now: 0, in: &state)
    var pair = first
    for number in 1...Tokens.capacity { pair = try tokens.renew(pair.refresh, now: Double(number) * 2, in: &state) }
    let now = Double(Tokens.capacity) * 2
    #expect(throws: Tokens.Refusal.unknown) { try Tokens.holder(of: first.access, now: now, in: state) }
    #expect(try Tokens.holder(of: pair.access, now: now, in: state) == ada)
    #expect(try Tokens.holder(of: pair.refresh, isRefresh: true, now: now, in: state) == ada)
    #expect(state[.token].count < Tokens.capacity)
  }
}
