import JSONServerValues
import Testing

@testable import JSONServer

struct GuardTests {
  private static let all = Guard.Decision.allowed
  private static let own = Guard.Decision.allowedToOwner
  private static let sign = Guard.Decision.signInFirst
  private static let none = Guard.Decision.refused

  @Test(arguments: [
    // Reading as nobody and as somebody, writing as nobody and as somebody.
    ("400", [sign, own, sign, none]),
    ("440", [sign, all, sign, none]),
    ("444", [all, all, none, none]),
    ("600", [sign, own, sign, own]),
    ("640", [sign, all, sign, own]),
    ("644", [all, all, sign, own]),
    ("660", [sign, all, sign, all]),
    ("664", [all, all, sign, all]),
    ("666", [all, all, all, all]),
  ])
  func `A guard's digits decide who may read and write`(digits: String, expected: [Guard.Decision]) throws {
    let rule = try #require(Guard(digits))
    let decisions = Guard.Access.allCases.flatMap { access in
      [false, true].map { rule.decision(on: access, isSignedIn: $0) }
    }
    #expect(decisions == expected)
    #expect(rule.digits == digits)
  }

  @Test(arguments: ["", "64", "6400", "000", "777", "046", "460", "064", "６４０", "640 ", "-60"])
  func `Other digits are no guard`(digits: String) {
    #expect(Guard(digits) == nil)
  }

  @Test(arguments: [
    ("posts/:id", "/posts/1", true), ("posts/:id/", "/posts/1", true), ("posts/:id", "/posts/1/comments", true),
    ("posts/:id", "/posts", false), ("posts/:id/comments", "/posts/1/comments", true),
    ("posts/:id/comments", "/posts/1/comments2", false), ("posts/1", "/posts/11", false), ("posts/1", "/posts/1", true),
    (#"posts/:id(\d+)"#, "/posts/1/comments", true), ("*/comments", "/posts/1/comments", true),
    ("caf\u{E9}/:id", "/caf%C3%A9/1", true), ("POSTS/:id", "/posts/1", true), ("posts/:id", "/posts/a%2Fb", true),
  ])
  func `A guard of a part of a resource covers the path and all below it`(
    name: String, path: String, isCovered: Bool
  ) throws {
    let routes = try Routes(JSONObject([(name, .string("640"))]), allowsGuards: true)
    #expect(routes.guards.isEmpty && routes.rules == nil)
    #expect(routes.pathGuards.map { $0.covers(path) } == [isCovered])
  }

  @Test func `A guard of a part of a resource has no query`() {
    let error = #expect(throws: ServerError.self) {
      try Routes(JSONObject([("posts?id=1", .string("640"))]), allowsGuards: true)
    }
    #expect(error?.message.contains("'posts?id=1'") == true)
  }

  @Test func `Of two guards each takes away what it does not allow`() throws {
    let all = try Guard.all.map { try #require(Guard($0)) }
    for left in all {
      for right in all {
        let both = left.intersection(right)
        for access in Guard.Access.allCases {
          let decisions = [left, right].map { $0.decision(on: access, isSignedIn: true) }
          if decisions.contains(.refused) { #expect(both.decision(on: access, isSignedIn: true) == .refused) }
          if decisions == [.allowed, .allowed] { #expect(both.decision(on: access, isSignedIn: true) == .allowed) }
        }
      }
    }
    #expect(Guard("640")?.intersection(try #require(Guard("664"))) == Guard("640"))
  }
}
