import HTTPTypes
import JSONServerHTTP
import JSONServerValues
import Testing

@testable import JSONServerRules

@Suite struct `A shape` {
  private static func value(_ name: String) -> JSONValue? {
    let values: JSONValue = ["body": ["a": [1, ["b": "x"]], "n": 1.5], "headers": ["x-a": "1"], "query": [:]]
    return values[name]
  }

  @Test(
    arguments: [
      ("$body.a.0", 1), ("$body.a.1.b", "x"), ("$body.a", [1, ["b": "x"]]), ("$body.a.2", nil), ("$headers.X-A", "1"),
      ("n is $body.n.", "n is 1.5."), ("$query.page", nil), ("page $query.page", "page "), ("$$body", "$body"),
      ("$5 or $", "$5 or $"), (["a": "$query.x", "b": ["$query.x"]], ["b": [nil]]), ([1, true, nil], [1, true, nil]),
      ("$body.a.0$body.a.0", "11"), ("", ""), ("${body.n}.png", "1.5.png"), ("${body.a.0}", 1), ("${body", "${body"),
    ] as [(JSONValue, JSONValue?)])
  func `has the values of its words`(_ shape: JSONValue, _ expected: JSONValue?) throws {
    #expect(try Shape(shape).filled(from: Self.value) == expected)
  }

  @Test(arguments: ["$foo", "a $bodyx b", "${foo}", ["x": ["$"], "y": "$Body"]] as [JSONValue])
  func `has no words that nobody knows`(_ shape: JSONValue) {
    #expect(throws: RequestError.self) { try Shape(shape) }
  }
}

@Suite struct `A name in a path` {
  private func parts(_ pattern: String, _ path: String, ignoresCase: Bool = true) throws -> [String: String]? {
    let request = Request(method: .get, target: path)
    let route = EffectiveRoute(method: .get, target: try RequestTarget(path), ignoresCase: ignoresCase)
    let matcher = try RequestMatcher(.get(pattern))
    let matchable = MatchableRequest(request, route)
    guard matcher.matches(matchable) else { return nil }
    return Dictionary(uniqueKeysWithValues: matcher.pathParts(of: matchable).map { ($0.name, $0.text) })
  }

  @Test(
    arguments: [
      ("/users/:id", "/users/7", ["id": "7", "1": "7"]), ("/users/:id", "/USERS/aB", ["id": "aB", "1": "aB"]),
      ("/users/:id", "/users/7/posts", nil), ("/users/:id", "/users", nil),
      ("/:a/x/*", "/1/x/y/z", ["a": "1", "1": "1", "2": "y/z"]),
      ("/*/x/:b", "/x/x/x/x", ["1": "/x/x", "b": "x", "2": "x"]),
      ("/files/:name.json", "/files/a.json", ["name": "a", "1": "a"]), ("/%3Aid", "/:id", [:]), ("/%3Aid", "/7", nil),
      ("/a*", "/abc", ["1": "bc"]), ("/a:b", "/a:b", [:]),
    ] as [(String, String, [String: String]?)])
  func `stands for a segment`(_ pattern: String, _ path: String, _ expected: [String: String]?) throws {
    #expect(try parts(pattern, path) == expected)
  }

  @Test func `is the same when the pattern is read again`() throws {
    for path in ["/users/:id", "/%3Aid/*"] {
      let pattern = try RequestMatcher(.get(path)).pattern
      #expect(pattern.path == path)
      #expect(try RequestMatcher(pattern).pattern == pattern)
    }
  }
}
