import Foundation
import OrderedJSON
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
    var tokens = tokens()
    let pair = tokens.issue(to: Tokens.Holder(user: "7", email: email), now: 1_000.9)
    #expect(try claims(pair.access) == ["email": .string(email), "iat": 1000, "exp": 1060, "sub": "7"])
    #expect(try claims(pair.refresh)["sub"] == "7")
    #expect(pair.lifetime == 60)
  }

  @Test func `A token is valid until its end, and no two are the same`() throws {
    var tokens = tokens()
    let first = tokens.issue(to: ada, now: 0)
    let second = tokens.issue(to: bob, now: 0)
    #expect(Set([first.access, first.refresh, second.access, second.refresh]).count == 4)
    #expect(try tokens.holder(of: first.access, now: 59.9) == ada)
    #expect(try tokens.holder(of: second.access, now: 59.9) == bob)
    #expect(throws: Tokens.Refusal.expired) { try tokens.holder(of: first.access, now: 60) }
    #expect(throws: Tokens.Refusal.unknown) { try tokens.holder(of: first.refresh, now: 0) }
    #expect(throws: Tokens.Refusal.unknown) { try tokens.holder(of: first.access + "x", now: 0) }
    #expect(throws: Tokens.Refusal.malformed) { try tokens.holder(of: "x", now: 0) }
  }

  @Test func `All access tokens expire at once, and refresh tokens stay`() throws {
    var tokens = tokens()
    let old = tokens.issue(to: ada, now: 0)
    let counts = [tokens.expire(now: 1), tokens.expire(now: 1)]
    #expect(counts == [1, 0])
    #expect(throws: Tokens.Refusal.expired) { try tokens.holder(of: old.access, now: 1) }
    let new = try tokens.renew(old.refresh, now: 1)
    #expect(try tokens.holder(of: new.access, now: 60.9) == ada)
    #expect(throws: Tokens.Refusal.unknown) { _ = try tokens.renew(old.refresh, now: 1) }
  }

  @Test func `Signing out voids what goes back to the same sign-in`() throws {
    var tokens = tokens()
    let phone = tokens.issue(to: ada, now: 0)
    let later = try tokens.renew(phone.refresh, now: 0)
    let laptop = tokens.issue(to: ada, now: 0)
    let wasThere = [tokens.revoke(later.access), tokens.revoke(later.access)]
    #expect(wasThere == [true, false])
    for token in [phone.access, later.access] {
      #expect(throws: Tokens.Refusal.unknown) { try tokens.holder(of: token, now: 0) }
    }
    #expect(throws: Tokens.Refusal.unknown) { _ = try tokens.renew(later.refresh, now: 0) }
    #expect(try tokens.holder(of: laptop.access, now: 0) == ada)
  }

  @Test func `The oldest tokens are forgotten when there are too many`() throws {
    var tokens = tokens()
    let first = tokens.issue(to: ada, now: 0)
    let second = tokens.issue(to: ada, now: 0)
    for _ in 1..<Tokens.capacity { _ = tokens.issue(to: bob, now: 0) }
    #expect(throws: Tokens.Refusal.unknown) { try tokens.holder(of: first.access, now: 0) }
    #expect(try tokens.holder(of: second.access, now: 0) == ada)
  }
}
