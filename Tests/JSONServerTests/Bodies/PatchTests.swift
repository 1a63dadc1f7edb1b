import HTTPTypes
import JSONServer
import OrderedJSON
import Testing

@Suite struct `Patches of resources` {
  private static let data: JSONValue = [
    "posts": [["id": 1, "title": "a", "meta": ["lang": "en", "draft": true]]], "profile": ["name": "x", "o": ["a": 1]],
  ]
  private static let merge = "application/merge-patch+json"
  private static let operations = "application/json-patch+json; charset=utf-8"

  struct Case: Sendable {
    let method: HTTPRequest.Method
    let target: String
    let type: String
    let body: String
    let status: Int
    /// A part of the response, without white space.
    let part: String
  }

  /// A text of 1 KB that is doubled 17 times.
  private static let doubling: String = {
    let copies = (0..<17).map { #"{"op":"copy","from":"","path":"/c\#($0)"}"# }
    let text = #"{"op":"add","path":"/x","value":"\#(String(repeating: "x", count: 1000))"}"#
    return "[\(([text] + copies).joined(separator: ","))]"
  }()

  static let cases: [Case] = [
    Case(
      method: .patch, target: "/posts/1", type: merge, body: #"{"id":null,"meta":{"draft":null}}"#, status: 200,
      part: #"{"id":1,"title":"a","meta":{"lang":"en"}}"#),
    Case(
      method: .patch, target: "/posts/1", type: "application/json", body: #"{"title":null,"meta":{"x":1}}"#,
      status: 200,
      part: #"{"id":1,"title":null,"meta":{"x":1}}"#),
    Case(
      method: .patch, target: "/profile", type: merge, body: #"{"o":{"b":2},"name":null}"#, status: 200,
      part: #"{"o":{"a":1,"b":2}}"#),
    Case(
      method: .patch, target: "/posts/1", type: operations,
      body: #"[{"op":"add","path":"/meta/lang","value":"de"},{"op":"replace","path":"/id","value":7}]"#, status: 200,
      part: #"{"id":1,"title":"a","meta":{"lang":"de","draft":true}}"#),
    Case(
      method: .patch, target: "/profile", type: operations, body: #"[{"op":"move","from":"/o/a","path":"/a"}]"#,
      status: 200, part: #"{"name":"x","o":{},"a":1}"#),
    // POST to a record updates it as PATCH does.
    Case(
      method: .post, target: "/posts/1", type: merge, body: #"{"meta":null}"#, status: 200,
      part: #"{"id":1,"title":"a"}"#),
    Case(
      method: .patch, target: "/posts/1", type: operations,
      body: #"[{"op":"remove","path":"/title"},{"op":"test","path":"/meta/lang","value":"de"}]"#, status: 409,
      part: "Operation1ofthepatch,test'/meta/lang'"),
    Case(method: .patch, target: "/posts/9", type: operations, body: "[]", status: 404, part: "norecordwithid9"),
    Case(
      method: .patch, target: "/posts/1", type: operations, body: #"[{"op":"add"}]"#, status: 400, part: "Operation0"),
    Case(method: .patch, target: "/posts/1", type: operations, body: "{}", status: 400, part: "array"),
    Case(method: .patch, target: "/posts/1", type: operations, body: "[", status: 400, part: "notJSON"),
    Case(method: .patch, target: "/posts/1", type: merge, body: "[{}]", status: 400, part: "anarray"),
    Case(method: .patch, target: "/posts/1", type: merge, body: "null", status: 400, part: "null"),
    Case(
      method: .patch, target: "/posts/1", type: operations, body: #"[{"op":"replace","path":"","value":1}]"#,
      status: 400, part: "anumber"),
    Case(method: .post, target: "/posts", type: operations, body: "[]", status: 415, part: "PATCH"),
    Case(method: .put, target: "/posts/1", type: operations, body: "[]", status: 415, part: "PATCH"),
    Case(
      method: .put, target: "/posts/1", type: merge, body: #"{"title":null}"#, status: 415,
      part: "merge-patch+json'isapatch"),
    Case(method: .post, target: "/posts", type: merge, body: #"{"title":null}"#, status: 415, part: "PATCH"),
    Case(method: .put, target: "/profile", type: merge, body: #"{"name":null}"#, status: 415, part: "PATCH"),
    Case(method: .post, target: "/profile", type: merge, body: #"{"name":null}"#, status: 415, part: "PATCH"),
    Case(method: .post, target: "/posts/1/posts", type: merge, body: "{}", status: 415, part: "PATCH"),
    // A document that doubles again and again.
    Case(
      method: .patch, target: "/posts/1", type: operations, body: doubling, status: 413,
      part: "10485760bytesmorethantherewere"),
  ]

  @Test(arguments: cases)
  func `follow the body's type`(_ test: Case) async throws {
    let server = try await Server.load(Server.Configuration(source: .value(Self.data)))
    let response = await send(test.method, test.target, type: test.type, test.body, to: server)
    #expect(response.status.code == test.status)
    let text = String(decoding: response.bytes, as: UTF8.self).filter { !$0.isWhitespace }
    #expect(text.contains(test.part), "\(text)")
    if test.status != 200 {
      let all = await send(.get, "/db", type: nil, "", to: server)
      #expect(try JSONValue(parsing: all.bytes) == Self.data)
    }
  }

  @Test func `are announced where they may be sent`() async throws {
    let server = try await Server.load(Server.Configuration(source: .value(Self.data)))
    let name = try #require(HTTPField.Name("Accept-Patch"))
    for (method, target, type, isAnnounced) in [
      (.options, "/posts/1", nil, true), (.options, "/profile", nil, true), (.options, "/posts", nil, false),
      (.options, "/db", nil, false), (.options, "/__admin/settings", nil, false),
      (.patch, "/posts/1", "text/plain", true), (.put, "/posts/1", "text/plain", false),
      (.put, "/posts/1", Self.merge, true), (.put, "/profile", Self.operations, true),
      (.post, "/profile", Self.merge, true), (.post, "/posts", Self.merge, false),
      (.post, "/posts/1/comments", Self.merge, false),
    ] as [(HTTPRequest.Method, String, String?, Bool)] {
      let response = await send(method, target, type: type, type == nil ? "" : "x", to: server)
      let types = response.headerFields[name] ?? ""
      #expect(types.contains("application/json-patch+json") == isAnnounced, "\(method) \(target)")
      #expect(types.contains("application/merge-patch+json") == isAnnounced)
    }
  }

  private func send(
    _ method: HTTPRequest.Method, _ target: String, type: String?, _ body: String, to server: Server
  ) async -> Response {
    var fields = HTTPFields()
    fields[.contentType] = type
    if let host = HTTPField.Name("Host") { fields[host] = "localhost" }
    return await server.respond(
      to: Request(method: method, target: target, headerFields: fields, body: Array(body.utf8)))
  }
}
