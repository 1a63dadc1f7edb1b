import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer
@testable import JSONServerRules

/// A stubs file that another server's responses are recorded in.
@Suite(.timeLimit(.minutes(1))) struct `A recording` {
  private let address: UpstreamAddress
  private static let json: HTTPFields = [.contentType: "application/json; charset=utf-8"]

  private let directory: TemporaryDirectory
  private let failures = NIOLockedValueBox<[String]>([])

  init() throws {
    directory = try TemporaryDirectory()
    address = try UpstreamAddress("https://api.example.com/v2")
    try directory.write("[]\n", to: "stubs.json")
  }

  private func recorder() throws -> StubRecorder {
    try StubRecorder(directory.path("stubs.json")) { [failures] failure in
      failures.withLockedValue { $0.append(failure) }
    }
  }

  private func request(_ method: HTTPRequest.Method, _ target: String, _ body: String = "") -> Request {
    Request(
      method: method, target: target, headerFields: body.isEmpty ? [:] : [.contentType: "application/json"],
      body: Array(body.utf8))
  }

  private func response(_ body: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = json) -> Response {
    Response(status: status, headerFields: fields, body: .bytes(Array(body.utf8)))
  }

  private var stubs: [JSONValue] {
    get throws { try JSONValue(parsing: directory.text("stubs.json") ?? "").array ?? [] }
  }

  /// A server that has nothing but what was recorded.
  private func replay() async throws -> Server {
    let path = directory.path("stubs.json")
    return try await AdminFixture.server([:]) { $0.stubsFile = path }
  }

  @Test func `leaves nothing beside its file when it ends`() async throws {
    let recorder = try recorder()
    await recorder.record(request(.get, "/posts"), response("[1]"), from: address)
    #expect(directory.names.contains(".stubs.json.lock"))
    #expect(await recorder.finish() == nil)
    #expect(directory.names == ["stubs.json"])
    #expect(try stubs.count == 1)
  }

  @Test func `responds as the other server did, whatever came first`() async throws {
    let recorder = try recorder()
    let exchanges: [(Request, Response)] = [
      (request(.get, "/posts"), response(#"[{"id":1.0,"b":1e2,"a":"é\/"}]"#)),
      (request(.get, "/posts?_page=2"), response("[2]")),
      (request(.get, "/posts?_page=2&_limit=1"), response("[3]")),
      (request(.head, "/posts"), Response(headerFields: [.contentLength: "7", .contentType: "text/x"])),
      (request(.get, "/posts?tag=a&tag=b"), response("[4]")),
      (request(.get, "/caf%C3%A9/100%2525%20a%3Fb*c:%2Fd"), response("[5]")),
      (request(.post, "/posts", #"{"title":"a"}"#), response(#"{"id":1}"#, status: .created)),
      (request(.post, "/posts", #"{"title":"a","more":1}"#), response(#"{"id":2}"#, status: .created)),
      (request(.delete, "/posts/1"), Response(status: .noContent)),
      (request(.get, "/missing"), response(#"{"error":1}"#, status: .notFound)),
      (request(.get, "/text"), response("\"no JSON\"", fields: [.contentType: "text/plain"])),
      (request(.get, "/typeless"), response("plain", fields: [:])),
      (request(.get, "/broken"), response("{", fields: Self.json)),
      (
        request(.get, "/logo.png"),
        Response(headerFields: [.contentType: "image/png"], body: .bytes((0...255).map { UInt8($0) }))
      ),
    ]
    for (request, response) in exchanges { await recorder.record(request, response, from: address) }
    #expect(failures.withLockedValue { $0 } == [])
    let server = try await replay()
    for (request, expected) in exchanges {
      let response = await server.respond(to: request)
      #expect(response.status.code == expected.status.code, "\(request.method) \(request.target)")
      if let type = expected.headerFields[.contentType] { #expect(response.headerFields[.contentType] == type) }
      if request.method == .head { #expect(response.headerFields[.contentLength] == "7") }
      if let value = try? JSONValue(parsing: expected.bytes), expected.headerFields == Self.json {
        #expect(try response.json.text() == value.text(), "\(request.target)")
      } else {
        #expect(response.bytes == expected.bytes, "\(request.target)")
      }
    }
    #expect(directory.names.contains { $0.hasPrefix("stubs-logo-") && $0.hasSuffix(".png") })
  }

  @Test func `keeps responses to one request in order, and the last one once`() async throws {
    let recorder = try recorder()
    for body in ["1", "1", "2", "2", "2", "3", "3"] {
      await recorder.record(request(.get, "/job"), response(body), from: address)
    }
    let bodies = try stubs[0]["responses"]?.array?.map { $0["body"] }
    #expect(bodies == [1, 1, 2, 2, 2, 3])
    for number in 0..<(2 * StubRecording.maximumResponses) {
      await recorder.record(request(.get, "/job"), response("\(number)"), from: address)
    }
    let responses = try #require(try stubs[0]["responses"]?.array)
    #expect(responses.count == StubRecording.maximumResponses)
    #expect(responses.last?["body"] == .init(2 * StubRecording.maximumResponses - 1))
  }

  @Test(arguments: [
    ("/a", #"{"q":1,"r":2}"#, "/a", #"{"r": 2, "q": 1.0}"#), ("/a?b=1&c=2", "", "/a?c=2&b=1", ""),
    ("/comments/2", "", "/comments//2/", ""), ("/a%62c?x=%41", "", "/abc?x=A", ""),
  ])
  func `keeps responses to one request in order, however the request is spelled`(
    _ target: String, _ body: String, _ other: String, _ otherBody: String
  ) async throws {
    let recorder = try recorder()
    await recorder.record(request(.post, target, body), response("1"), from: address)
    await recorder.record(request(.post, other, otherBody), response("2"), from: address)
    #expect(try stubs.count == 1)
    #expect(try stubs[0]["responses"]?.array?.map { $0["body"] } == [1, 2])
  }

  @Test func `replaces what an earlier run recorded, and leaves all else as it is`() async throws {
    let text = """
      [
        { "request": {"method": "GET", "path": "/a", "exact": true}, "response": {"body": 1.50}, "delay": 5 },
        {"request": {"path": "/mine"},   "response": {}}
      ]
      """
    try directory.write(text, to: "stubs.json")
    let recorder = try recorder()
    await recorder.record(request(.get, "/b"), response("2"), from: address)
    #expect(directory.text("stubs.json")?.hasPrefix(text.dropLast(2)) == true)
    await recorder.record(request(.get, "/a"), response("3"), from: address)
    #expect(try stubs.map { $0["request"]?["path"] } == ["/a", "/mine", "/b"])
    #expect(try stubs[0]["response"]?["body"] == 3)
    #expect(try stubs[0]["delay"] == 5)
    #expect(directory.text("stubs.json")?.contains(#"{"request": {"path": "/mine"},   "response": {}}"#) == true)
  }

  @Test func `has no secrets of fields, parameters and request bodies`() async throws {
    let fields: HTTPFields = [
      .contentType: "application/json", .setCookie: "secret", .eTag: "\"1\"", .date: "now",
      .accessControlAllowOrigin: "*", .cacheControl: "max-age=5",
      .location: "https://api.example.com/v2/login/1", .link: "<https://api.example.com/v2/login?page=2>; rel=\"next\"",
    ]
    var login = request(.post, "/login?access_token=secret&page=1", #"{"user":"a","nested":[{"PassWord":"secret"}]}"#)
    login.headerFields[.authorization] = "secret"
    login.headerFields[.cookie] = "secret"
    await (try recorder()).record(login, response("{}", fields: fields), from: address)
    #expect(directory.text("stubs.json")?.contains("secret") == false)
    #expect(
      try stubs == [
        [
          "request": [
            "method": "POST", "path": "/login", "query": ["page": "1"], "body": ["user": "a", "nested": [[:]]],
            "exact": true,
          ],
          "response": [
            "headers": [
              "Cache-Control": "max-age=5", "Link": "</login?page=2>; rel=\"next\"", "Location": "/login/1",
            ],
            "body": [:],
          ],
        ]
      ])
    let server = try await replay()
    let other = request(.post, "/login?page=1&access_token=other", #"{"user":"a","nested":[{"PassWord":"other"}]}"#)
    #expect(await server.respond(to: other).status == .ok)
  }

  @Test(arguments: [
    ("/u", "/u?page=3"), ("/p/x*y", "/p/xOTHERy"), ("/v/aBc", "/v/abc"), ("/u?a=1", "/u?a=1&b=2"),
    ("/u?a=1", "/u?a=1&a=2"), ("/u?a=1&a=2", "/u?a=2&a=1"), ("/u?a=1", "/u"), ("/ids/%2A", "/ids/x"),
  ])
  func `responds to no request that was not recorded`(_ target: String, _ other: String) async throws {
    await (try recorder()).record(request(.get, target), response("1"), from: address)
    let server = try await replay()
    #expect(await server.respond(to: request(.get, target)).status == .ok)
    #expect(await server.respond(to: request(.get, other)).status == .notFound)
    #expect(await server.respond(to: request(.delete, target)).status == .notFound)
    #expect(await server.respond(to: request(.get, target, #"{"a":1}"#)).status == .notFound)
  }

  @Test func `responds to a body that is exactly the one that was recorded`() async throws {
    await (try recorder()).record(request(.post, "/a", #"{"a":1.0,"b":[{"c":2}]}"#), response("1"), from: address)
    let server = try await replay()
    #expect(await server.respond(to: request(.post, "/a", #"{"b":[{"c":2}],"a":1}"#)).status == .ok)
    for body in [#"{"a":1,"b":[{"c":2,"d":3}]}"#, #"{"a":1}"#, #"{"a":1,"b":[{"c":2}],"d":1}"#, ""] {
      #expect(await server.respond(to: request(.post, "/a", body)).status == .notFound, "\(body)")
    }
  }

  @Test func `lets letter case count`() async throws {
    let recorder = try recorder()
    await recorder.record(request(.get, "/v/aBc"), response("1"), from: address)
    await recorder.record(request(.get, "/v/abc"), response("2"), from: address)
    let server = try await replay()
    #expect(await server.respond(to: request(.get, "/v/aBc")).text == "1")
    #expect(await server.respond(to: request(.get, "/v/abc")).text == "2")
  }

  @Test func `replays what the newest of requests got that differ in secrets alone`() async throws {
    let recorder = try recorder()
    for (password, status) in [("wrong", HTTPResponse.Status.unauthorized), ("right", .ok)] {
      let login = request(.post, "/login", #"{"user":"a","password":"\#(password)"}"#)
      await recorder.record(login, response("{}", status: status), from: address)
    }
    let other = request(.post, "/login", #"{"user":"b","password":"x"}"#)
    await recorder.record(other, response("{}", status: .forbidden), from: address)
    #expect(try stubs.count == 2)
    let server = try await replay()
    for _ in 1...2 {
      let login = request(.post, "/login", #"{"user":"a","password":"any"}"#)
      #expect(await server.respond(to: login).status == .ok)
    }
    #expect(await server.respond(to: other).status == .forbidden)
  }

  @Test(arguments: [
    "id_token", "X-CSRF-Token", "userPassword", "new_password_2", "clientSecret", "pwd", "passphrase", "otp", "pin",
    "cardPin", "jwt", "api_key", "X-API-Key", "key", "signature", "X-Amz-Signature", "Authorization", "awsAccessKeyId",
  ])
  func `has no value of a name that says that it is a secret`(_ name: String) async throws {
    let recorder = try recorder()
    await recorder.record(request(.get, "/a?\(name)=hush&b=1"), response("1"), from: address)
    await recorder.record(request(.post, "/b", #"{"x":[{"\#(name)":"hush"}]}"#), response("1"), from: address)
    var form = request(.post, "/c", "\(name)=hush&b=1")
    form.headerFields[.contentType] = "application/x-www-form-urlencoded"
    await recorder.record(form, response("1"), from: address)
    var text = request(.post, "/d", "<\(name)>hush</\(name)>")
    text.headerFields[.contentType] = "text/plain"
    await recorder.record(text, response("1"), from: address)
    #expect(directory.text("stubs.json")?.contains("hush") == false)
    #expect(try stubs.compactMap { $0["request"]?["path"] } == ["/a", "/b", "/c"])
    #expect(failures.withLockedValue { $0.count } == 1)
    let server = try await replay()
    #expect(await server.respond(to: request(.get, "/a?b=1&\(name)=other")).status == .ok)
  }

  @Test(arguments: [
    (#"[{"op":"add","path":"/password","value":"hush"}]"#, #"[{"op":"add","path":"/password","value":"other"}]"#),
    (#"[{"op":"add","path":"/users/0","value":{"pin":"hush"}}]"#, #"[{"op":"add","path":"/users/0","value":{}}]"#),
  ])
  func `has no secret of a JSON Patch, and no filter that names one`(_ patch: String, _ other: String) async throws {
    let recorder = try recorder()
    await recorder.record(patching(patch), response("1"), from: address)
    await recorder.record(request(.get, #"/a?_where={"password":"hush"}&b=1"#), response("2"), from: address)
    await recorder.record(request(.get, #"/a?_where={"title":"kept"}"#), response("3"), from: address)
    #expect(directory.text("stubs.json")?.contains("hush") == false)
    let server = try await replay()
    #expect(await server.respond(to: patching(other)).text == "1")
    #expect(await server.respond(to: patching(#"[{"op":"add","path":"/title","value":"x"}]"#)).status == .notFound)
    #expect(await server.respond(to: request(.get, #"/a?b=1&_where={"password":"x"}"#)).text == "2")
    #expect(await server.respond(to: request(.get, #"/a?_where={"title":"kept"}"#)).text == "3")
    #expect(await server.respond(to: request(.get, #"/a?_where={"title":"x"}"#)).status == .notFound)
  }

  private func patching(_ body: String) -> Request {
    var request = request(.patch, "/users/1", body)
    request.headerFields[.contentType] = "application/json-patch+json"
    return request
  }

  @Test(arguments: ["page", "nextPageToken", "shopping", "max_tokens", "author", "keyword", "monkey", "spinner"])
  func `keeps a name that is no secret`(_ name: String) async throws {
    await (try recorder()).record(request(.get, "/a?\(name)=1"), response("1"), from: address)
    #expect(try stubs[0]["request"]?["query"]?[name] == "1")
  }

  @Test func `is in another file when its own stays invalid`() async throws {
    let recorder = try recorder()
    try directory.write("[{", to: "stubs.json")
    await recorder.record(request(.get, "/a"), response("1"), from: address)
    let failure = try #require(await recorder.finish())
    #expect(failure.contains("1 recorded response") && failure.contains("stubs.json.recorded"))
    let kept = try JSONValue(parsing: directory.text("stubs.json.recorded") ?? "")
    #expect(kept.array?.map { $0["request"]?["path"] } == ["/a"])
  }

  @Test func `takes over an edit that is made meanwhile`() async throws {
    let recorder = try recorder()
    await recorder.record(request(.get, "/a"), response("1"), from: address)
    try directory.write(#"[{"request": {"path": "/mine"}, "response": {}}]"#, to: "stubs.json")
    await recorder.record(request(.get, "/b"), response("2"), from: address)
    #expect(try stubs.map { $0["request"]?["path"] } == ["/mine", "/b"])
  }

  @Test func `waits while the file is invalid, and is in it when it is mended`() async throws {
    let recorder = try recorder()
    try directory.write("[{", to: "stubs.json")
    await recorder.record(request(.get, "/a"), response("1"), from: address)
    #expect(directory.text("stubs.json") == "[{")
    #expect(failures.withLockedValue { $0.count } == 1)
    try directory.write("[{}]", to: "stubs.json")
    await recorder.record(request(.get, "/b"), response("2"), from: address)
    #expect(try stubs.count == 3)
    #expect(try Set(stubs.compactMap { $0["request"]?["path"]?.string }) == ["/a", "/b"])
  }

  @Test(arguments: ["{}", "", "[{]", "\"a\""])
  func `is refused for a file that holds no stubs`(_ text: String) throws {
    try directory.write(text, to: "stubs.json")
    #expect(throws: ServerError.self) { try recorder() }
    #expect(directory.text("stubs.json") == text)
  }

  @Test func `holds all of many responses that come at once`() async throws {
    let recorder = try recorder()
    await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask { await recorder.record(request(.get, "/a\(number)"), response("\(number)"), from: address) }
      }
    }
    #expect(try Set(stubs.compactMap { $0["request"]?["path"]?.string }).count == 40)
  }

  @Test func `leaves out what no stub can be like`() async throws {
    let recorder = try recorder()
    await recorder.record(request(.get, "/a"), Response(status: .init(code: 999)), from: address)
    #expect(failures.withLockedValue { $0.count } == 1)
    #expect(try stubs == [])
  }
}
