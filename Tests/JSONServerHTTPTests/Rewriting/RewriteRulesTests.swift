import JSONServerValues
import Testing

@testable import JSONServerHTTP

@Suite struct `Rewrite rules` {
  struct Case: Sendable {
    let pattern: String
    let target: String
    let sent: String
    let rewritten: String

    init(_ pattern: String, _ target: String, _ sent: String, _ rewritten: String) {
      self.pattern = pattern
      self.target = target
      self.sent = sent
      self.rewritten = rewritten
    }
  }

  static let single: [Case] = [
    Case("/api/*", "/$1", "/api/posts/1", "/posts/1"),
    Case("/api/*", "/$1", "/API/posts", "/posts"),
    Case("/api/*", "/$1", "/api/posts?id=1&id=2", "/posts?id=1&id=2"),
    Case("/api/*", "/$1", "/api/", "/"),
    Case("/api/*", "/$1", "/api", "/api"),
    Case("/api/*", "/$1", "/apix/posts", "/apix/posts"),
    Case("/api/*", "/v1$0", "/api/posts?id=1", "/v1/api/posts?id=1"),
    Case("/api/", "/", "/api/x", "/api/x"),
    Case("/api/", "/", "/api", "/"),
    Case("/*/x/*", "/$2/$1", "/a/x/b", "/b/a"),
    Case("/:resource/:id/show", "/:resource/:id", "/posts/1/show", "/posts/1"),
    Case("/blog/:resource/:id/show", "/:resource/:id", "/blog/posts/1/show?_embed=x", "/posts/1?_embed=x"),
    Case("/blog/posts/:id", "/posts/:id", "/blog/posts/2/", "/posts/2"),
    Case("/blog/posts/:id", "/posts/:id", "/blog/posts/2/3", "/blog/posts/2/3"),
    Case("/by/:name", "/posts?author.name=:name", "/by/ada?views=20", "/posts?author.name=ada&views=20"),
    Case("/by/:name", "/posts?author.name=:name", "/by/ada?", "/posts?author.name=ada"),
    Case("/first", "/posts/1?_embed=comments", "/first", "/posts/1?_embed=comments"),
    Case(#"/articles\?id=:id"#, "/posts/:id", "/articles?id=3", "/posts/3"),
    Case("/articles?id=:id", "/posts/:id", "/articles?id=3", "/posts/3"),
    Case(#"/articles\?id=:id"#, "/posts/:id", "/articles?id=3&_embed=x&a=b", "/posts/3?_embed=x&a=b"),
    Case(#"/articles\?id=:id"#, "/posts/:id", "/articles", "/articles"),
    Case(#"/a\?x=:x&y=:y"#, "/:y/:x", "/a?x=1&y=2", "/2/1"),
    Case(
      "/comments/special/:userId-:body", "/comments/?userId=:userId&body=:body", "/comments/special/2-great-x",
      "/comments/?userId=2&body=great-x"),
    Case("/v1/:a/:b?", "/:a/:b", "/v1/posts/1", "/posts/1"),
    Case("/v1/:a/:b?", "/:a/:b", "/v1/posts", "/posts/"),
    Case("/v1/:a?/end", "/x/:a", "/v1/end", "/x/"),
    Case("/v1/:a+", "/:a", "/v1/x/y/z", "/x/y/z"),
    Case("/v1/:a+", "/:a", "/v1", "/v1"),
    Case("/v1/:a*", "/:a", "/v1", "/"),
    Case(#"/opt/:x(\d+)"#, "/posts/:x", "/opt/12", "/posts/12"),
    Case(#"/opt/:x(\d+)"#, "/posts/:x", "/opt/a2", "/opt/a2"),
    Case(#"/opt/:x(\d{2,3})"#, "/posts/:x", "/opt/1234", "/opt/1234"),
    Case(#"/opt/:x(\d{2})"#, "/posts/:x", "/opt/12", "/posts/12"),
    Case(#"/opt/:x(\d{300}|\b\d\b)"#, "/posts/:x", "/opt/1", "/posts/1"),
    Case("/:kind(posts|comments)/new", "/:kind", "/Comments/new", "/Comments"),
    Case("/:kind(posts|comments)/new", "/:kind", "/users/new", "/users/new"),
    Case("/([a-c_-]+)/([^x]*)", "/$2/$1", "/A-b_c/d", "/d/A-b_c"),
    Case("/(a*?)(a*)", "/$1-$2", "/aaa", "/-aaa"),
    Case("/(.*)end", "/$1", "/a/b/end", "/a/b/"),
    Case(#"/\:x\*"#, "/y", "/:x*", "/y"),
    Case("/posts.:format", "/posts?format=:format", "/posts.json", "/posts?format=json"),
    Case("/popular", "/posts?views:gt=100", "/popular", "/posts?views:gt=100"),
    Case("/more/:n", "/posts?author=:n&views:gt=:n", "/more/5", "/posts?author=5&views:gt=5"),
    Case("/bare*", "$1", "/bareposts", "/posts"),
    Case("/caf\u{E9}/:x", "/:x", "/caf\u{E9}/1", "/1"),
    Case("/caf\u{E9}/:x", "/:x", "/caf%c3%a9/1", "/1"),
    Case("/caf%C3%A9/:x", "/:x", "/caf\u{E9}/1", "/1"),
    Case("/api/*", "/$1", "//x/../%61pi/./posts/%31?x=//", "/posts/1?x=//"),
    Case("/by/:name", "/posts?author=:name", "/by/a%2Fb%3Fc", "/posts?author=a%2Fb%3Fc"),
    Case("/by/:name", "/posts/:name", "/by/..%2Fx", "/posts/..%2Fx"),
    Case("/a/*", "/$1", "/a/../../b", "/b"),
  ]

  @Test(arguments: single)
  func `A rule rewrites what it matches from start to end`(_ test: Case) throws {
    let rules = try RewriteRules(json: JSONObject([(test.pattern, .string(test.target))]))
    #expect(try rules.text(of: test.sent) == test.rewritten)
  }

  @Test func `Rules are tried in order, each on what the one before made`() throws {
    let json = JSONObject([("/b", "/c"), ("/a", "/b"), ("/api/*", "/$1"), ("/posts/:id/show", "/posts/:id")])
    let rules = try RewriteRules(json: json)
    #expect(try rules.text(of: "/a") == "/b")
    #expect(try rules.text(of: "/api/posts/1/show?x=1") == "/posts/1?x=1")
    #expect(rules.rules == json)
  }

  @Test(arguments: [
    ("/a/:id", "/b/:ide", ":ide"), ("/a/*", "/$2", "$2"), ("/a", "/$1", "$1"), ("/a(b", "/", "parenthesis"),
    ("/a()", "/", "parenthesis"), ("/:a([a-z)", "/", "']'"), ("/:a(x{9,1})", "/", "'{9,1}'"),
    ("/:a(*)", "/", "'*'"), (#"/:a(\1)"#, "/", #"\1"#), ("/:a((?=x))", "/", "Lookahead"),
    ("/:a([z-a])", "/", "out of order"),
    ("/:a(\(String(repeating: "x{255}", count: 9)))", "/", "too much"),
  ])
  func `A rule that cannot be used is named`(pattern: String, target: String, hint: String) {
    let error = #expect(throws: ServerError.self) {
      try RewriteRules(json: JSONObject([("/ok", .string("/x")), (pattern, .string(target))]))
    }
    #expect(error?.message.hasPrefix("The rewrite rule '\(pattern)' cannot be used: ") == true)
    #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
  }

  @Test func `A target must be a string`() {
    let error = #expect(throws: ServerError.self) { try RewriteRules(json: JSONObject([("/a", 1)])) }
    #expect(error?.message.contains("'/a'") == true)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["/(a*|a*|.*)*x", "/:a([^/]*)*:b(a+)*:c(a+)*x", "/*/*/*/*/*/*/x"])
  func `A long target costs no more than its length`(pattern: String) throws {
    let rules = try RewriteRules(json: JSONObject([(pattern, .string("/y"))]))
    let target = "/" + String(repeating: "a/", count: 4_000) + "!"
    #expect(try rules.text(of: target) == target)
  }

  @Test(arguments: [
    ("/640/posts/*", "640"), ("/640$0", "640"), ("//640/posts", "640"), ("/640$1", nil), ("/64$1", nil), ("$1", nil),
    ("/$1/posts", nil), ("/640", nil),
  ])
  func `A new target's first segment is the rule's when no group has a part in it`(
    target: String, segment: String?
  ) throws {
    let rules = try RewriteRules(json: JSONObject([("/*", .string(target))]))
    #expect(try rules.rewrite(RequestTarget("/x"))?.firstSegment == segment)
  }
}

extension RewriteRules {
  /// The text of a target after rewriting.
  fileprivate func text(of sent: String) throws -> String {
    let target = try RequestTarget(sent)
    return try rewrite(target)?.target.text ?? target.text
  }
}
