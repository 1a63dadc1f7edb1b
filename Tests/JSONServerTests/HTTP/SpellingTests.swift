import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

/// Who decides about a request must not see how its path is spelled.
@Suite(.timeLimit(.minutes(1))) struct `A spelling of a path` {
  private static let data: JSONValue = [
    "users": [["id": 1, "email": "ada@x.org", "password": "lovelace"]],
    "posts": [["id": 1, "userId": 1], ["id": "a/b", "userId": 1]], "notes": [["id": 1, "userId": 1]],
  ]

  /// Spells a path otherwise: with escapes, slashes, dots and other letter case of escapes.
  private static func spelling(of path: String, _ random: inout SeededGenerator) -> String {
    let segments = path.split(separator: "/").map { segment in
      segment.utf8.map { byte in
        guard byte != UInt8(ascii: "%"), Int.random(in: 0..<4, using: &random) == 0, !segment.contains("%") else {
          return String(decoding: [byte], as: UTF8.self)
        }
        return "%" + String(byte, radix: 16, uppercase: Bool.random(using: &random))
      }
      .joined()
    }
    let additions = ["/", "/.", "/%2e", "/x/..", "/%78/%2E.", "/640/../", "//"]
    return segments.map { segment in
      (Bool.random(using: &random) ? additions.randomElement(using: &random) ?? "" : "") + "/" + segment
    }
    .joined()
  }

  @Test func `gets the same response as every other`() async throws {
    let server = try await AdminFixture.server(Self.data) {
      $0.signIn = Server.SignIn()
      $0.hasSessions = true
      $0.routes = JSONObject([
        ("posts", 644), ("posts/:id", 600), ("/api/*", "/$1"), ("/open/*", "/664/notes/$1"),
      ])
      $0.stubs = [Stub(.get("/stub/b"), .status(.accepted)), Stub(.get("/stub%2Fb"), .status(.noContent))]
    }
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for path in [
      "/posts", "/posts/1", "/posts/a%2Fb", "/posts%2F1", "/640/posts", "/666/posts/1", "/666/notes/1", "/api/posts/1",
      "/api/666/posts/1", "/open/1", "/stub/b", "/stub%2Fb", "/users/1", "/login", "/nothing", "/__admin/health",
      "/__session/a/posts/1", "/__session/a/640/posts", "/__rules",
    ] {
      for method in [HTTPRequest.Method.get, .patch, .options] {
        let expected = await server.send(method, path, method == .patch ? ["title": "x"] : nil).status
        for _ in 0..<8 {
          let spelling = Self.spelling(of: path, &random)
          let response = await server.send(method, spelling, method == .patch ? ["title": "x"] : nil)
          #expect(response.status == expected, "\(method) \(spelling), seed \(seed)")
        }
      }
    }
    #expect(await server.value == Self.data)
  }

  @Test func `with a guard before it gives no right that the path has not`() async throws {
    for routes in [JSONObject(), JSONObject([("posts", 644), ("posts/:id", 600), ("/p/*", "/640/posts/$1")])] {
      let server = try await AdminFixture.server(Self.data) {
        $0.signIn = Server.SignIn()
        $0.routes = routes
      }
      for path in ["/posts", "/posts/1", "/notes", "/notes/1", "/users", "/users/1", "/posts/1/notes", "/p/1"] {
        for method in [HTTPRequest.Method.get, .patch, .delete, .post] {
          let body: JSONValue? = method == .get ? nil : [:]
          let own = await server.send(method, path, body).status
          guard own == .unauthorized || own == .forbidden else { continue }
          for digits in Guard.all {
            let status = await server.send(method, "/\(digits)\(path)", body).status
            #expect(status.code >= 400, "\(method) /\(digits)\(path): \(status), but \(own) without the guard")
          }
        }
      }
      #expect(await server.value["posts"]?.array?.count == 2)
    }
  }
}
