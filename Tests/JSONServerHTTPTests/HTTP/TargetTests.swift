import HTTPTypes
import Testing

@testable import JSONServerHTTP

@Suite struct `Request targets` {
  @Test(arguments: [
    ("/posts", []),
    ("/posts?", []),
    ("/posts?&", []),
    ("/posts?a=1&", ["a=1"]),
    ("/posts?a=1&&b=2", ["a=1", "b=2"]),
    ("/posts?a", ["a="]),
    ("/posts?a=", ["a="]),
    ("/posts?=1", []),
    ("/posts?a=b=c", ["a=b=c"]),
    ("/posts?a+b=c+d", ["a b=c d"]),
    ("/posts?q=%2B%26%3D%25", ["q=+&=%"]),
    ("/posts?q=caf%C3%A9", ["q=café"]),
    ("/posts?q=café", ["q=café"]),
    ("/posts?tags[]=x&tags[0]=y&tags%5B12%5D=z", ["tags=x", "tags=y", "tags=z"]),
    ("/posts?a[b]=x&[]=y&a[]b=z", ["a[b]=x", "[]=y", "a[]b=z"]),
    ("/posts?a=1?b=2", ["a=1?b=2"]),
  ])
  func `A query is read in order`(target: String, expected: [String]) throws {
    #expect(try QueryParameters(target: target).items.map { "\($0.name)=\($0.value)" } == expected)
  }

  @Test func `A repeated parameter has a first value and all values`() throws {
    let parameters = try QueryParameters(target: "/posts?id=1&x=y&id=2")
    #expect(parameters.first("id") == "1")
    #expect(parameters.all("id") == ["1", "2"])
    #expect(parameters.first("none") == nil)
  }

  @Test(arguments: [
    ("q=100%", "q=100%"), ("q=%2", "q=%2"), ("q=%zz", "q=%zz"), ("q=%ff", "q=%ff"), ("q=%C3", "q=%C3"),
    ("q=50%25+%", "q=50%25 %"), ("q=%25%&r=%25", "q=%25% r=%"), ("100%=%20", "100%= "), ("q=%%%", "q=%%%"),
    ("q=é%", "q=é%"), ("q=%E9", "q=%E9"), ("q=%u00e9", "q=%u00e9"), ("a%5B%5D=%&a[]=x", "a=% a=x"),
  ])
  func `Text of a query that does not decode stands for itself`(query: String, expected: String) throws {
    let items = try QueryParameters(target: "/posts?\(query)").items
    #expect(items.map { "\($0.name)=\($0.value)" }.joined(separator: " ") == expected)
  }

  @Test func `More than 100 parameters are refused`() throws {
    let hundred = (0..<100).map { "a\($0)=1&a\($0)=2&" }.joined()
    #expect(try QueryParameters(target: "/?\(hundred)").items.count == 200)
    #expect(throws: RequestError.self) { try QueryParameters(target: "/?\(hundred)b=2") }
  }

  @Test(arguments: [
    ("/", []),
    ("", []),
    ("/posts/1", ["posts", "1"]),
    ("//posts//1/?a=/b", ["posts", "1"]),
    ("/users/%31", ["users", "1"]),
    ("/slugs/a%2Fb", ["slugs", "a/b"]),
    ("/a+b/%2B", ["a+b", "+"]),
    ("/once/%2531", ["once", "%31"]),
    ("/z%C3%BCrich", ["zürich"]),
    ("/./users", ["users"]), ("/users/../sections", ["sections"]), ("/users/1/..", ["users"]), ("/..", []),
    ("/../../users/./1/.", ["users", "1"]), ("/users/%2e%2E/a", ["a"]), ("/users/.%2e/a", ["a"]), ("/%2e/a", ["a"]),
    ("/users/...", ["users", "..."]), ("/users/..%2Fa", ["users", "../a"]), ("/users/.a", ["users", ".a"]),
    ("/a?b=/../c", ["a"]),
  ])
  func `A path is taken apart and decoded once`(target: String, expected: [String]) throws {
    #expect(try RequestTarget(target).segments == expected)
  }

  @Test(arguments: [
    ("/posts/1?a=%70", "/posts/1?a=%70"), ("/", "/"), ("", "/"), ("?a", "/?a"), ("posts", "/posts"),
    ("//posts/", "/posts/"),
    ("/posts//", "/posts/"), ("/%70osts/%2F", "/posts/%2F"), ("/x/..?y", "/?y"), ("/x/../y/.", "/y/"),
    ("/a/./b", "/a/b"),
    ("/a%3ab@c;d/%7E", "/a:b@c;d/~"), ("/caf\u{E9}/%c3%a9", "/caf%C3%A9/%C3%A9"), ("/100%25/[1]", "/100%25/%5B1%5D"),
    ("/a?b?c//../d", "/a?b?c//../d"), ("/..%2Fa", "/..%2Fa"), ("*", "/*"),
  ])
  func `A path has one spelling that stands for all`(target: String, text: String) throws {
    let read = try RequestTarget(target)
    #expect(read.text == text)
    #expect(try RequestTarget(text).segments == read.segments)
    #expect(try RequestTarget(text).text == text)
  }

  @Test(arguments: [
    ("/a/b/c?d", 1, "/b/c?d", "/b/c?d"), ("/a", 1, "/", "/"), ("/a?b", 1, "/?b", "/?b"), ("/a/", 1, "/", "/"),
    ("//a//%62//c", 1, "/b/c", "//%62//c"), ("//a//%62//c", 2, "/c", "//c"), ("/x/../a/%62", 1, "/b", "/b"),
    ("/a%2Fb/c", 1, "/c", "/c"), ("/a/b", 0, "/a/b", "/a/b"),
  ])
  func `The rest below a prefix is a target`(target: String, count: Int, text: String, spelling: String) throws {
    let rest = try RequestTarget(target).dropping(count)
    #expect(rest.text == text)
    #expect(rest.spelling == spelling)
    #expect(try RequestTarget(text).segments == rest.segments)
    #expect(try rest.endsWithSlash == RequestTarget(target).endsWithSlash)
  }

  @Test(arguments: ["/users/%zz", "/users/%", "/users/%f", "/users/%ff"])
  func `A bad escape in a path names its segment`(target: String) {
    let error = #expect(throws: RequestError.self) { try RequestTarget(target) }
    #expect(error?.status == .badRequest)
    #expect(error?.message.contains("'%") == true)
  }
}
