import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite struct `Pages of other origins` {
  private typealias AllowedOrigins = CrossOrigin

  private static func request(
    _ method: HTTPRequest.Method, origin: String?, host: String = "localhost:3000", _ fields: HTTPFields = [:]
  ) -> Request {
    var fields = fields
    fields[.host] = host
    fields[.origin] = origin
    return Request(method: method, target: "/posts", headerFields: fields)
  }

  private func fields(_ allowed: AllowedOrigins, origin: String?, to response: PreparedResponse = PreparedResponse())
    -> HTTPFields
  {
    var response = response
    CrossOriginPolicy(allowed).addFields(to: &response, for: Self.request(.get, origin: origin))
    return response.headerFields
  }

  @Test(arguments: [
    "http://localhost", "http://localhost:5173", "https://localhost:8443", "http://LOCALHOST:5173", "HTTP://localhost",
    "http://localhost.:5173", "http://app.localhost:5173", "http://127.0.0.1:5173", "http://127.9.9.9",
    "http://[::1]:5173",
    "https://[::1]", "http://[0:0:0:0:0:0:0:1]",
  ])
  func `A page of this machine may read and write`(origin: String) throws {
    let fields = fields(.loopback, origin: origin)
    #expect(fields[.accessControlAllowOrigin] == origin)
    #expect(fields[.accessControlAllowCredentials] == "true")
    #expect(fields[.vary] == "Origin")
    try CrossOriginPolicy(.loopback).check(Self.request(.post, origin: origin))
  }

  @Test(arguments: [
    "null", "", "http://evil.com", "https://evil.com:3000", "http://localhost.evil.com", "http://127.0.0.1.nip.io",
    "http://127.0.0.1.evil.com:5173", "http://evil.com/localhost", "http://evil.com#localhost",
    "http://localhost@evil.com",
    "http://evil.com@localhost", "http://localhost:5173/", "http://localhost:5173, http://evil.com", "localhost",
    "localhost:5173", "//localhost", "http:localhost", "http://", "http://:5173", "http://localhost:99999",
    "http://localhost:x", "http://127.1", "http://2130706433", "http://0x7f.0.0.1", "http://127.0.0.256",
    "http://192.168.1.5",
    "http://[::2]", "http://[::1].evil.com", "http://[::ffff:10.0.0.1]", "file://localhost", "capacitor://localhost",
    "chrome-extension://localhost", "http://localhost%2eevil.com", "http://notlocalhost", "http://evil-localhost:3000",
    "http://local host", "http://loc\u{430}lhost",
  ])
  func `A foreign page may neither read nor write`(origin: String) {
    let fields = fields(.loopback, origin: origin)
    #expect(fields[.accessControlAllowOrigin] == nil)
    #expect(fields[.accessControlAllowCredentials] == nil)
    #expect(fields[.vary] == "Origin")
    for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
      let error = #expect(throws: RequestError.self) {
        try CrossOriginPolicy(.loopback).check(Self.request(method, origin: origin))
      }
      #expect(error?.status == .forbidden)
      #expect(error?.message.contains("'\(origin)'") == true)
    }
  }

  @Test(arguments: [
    ("http://myapp.example:3000", "myapp.example:3000", true), ("http://MyApp.example", "myapp.example:80", true),
    ("http://myapp.example:80", "myapp.example.", true), ("https://myapp.example", "myapp.example", true),
    ("http://[fe80::1]:3000", "[FE80::1]:3000", true), ("http://192.168.1.5:3000", "192.168.1.5:3000", true),
    ("http://myapp.example:3001", "myapp.example:3000", false),
    ("http://other.example:3000", "myapp.example:3000", false),
    ("https://myapp.example", "myapp.example:80", false), ("null", "myapp.example", false),
  ])
  func `A page of the server itself may write under any policy`(origin: String, host: String, isSame: Bool) throws {
    let request = Self.request(.delete, origin: origin, host: host)
    for allowed in [AllowedOrigins.loopback, .origins([]), .none] {
      if isSame {
        try CrossOriginPolicy(allowed).check(request)
      } else {
        #expect(throws: RequestError.self) { try CrossOriginPolicy(allowed).check(request) }
      }
    }
    try CrossOriginPolicy(.any).check(request)
  }

  @Test func `Reading, and any client that is not a page, is never refused`() throws {
    let policy = CrossOriginPolicy(.none)
    for method in [HTTPRequest.Method.get, .head, .options] {
      try policy.check(Self.request(method, origin: "http://evil.com"))
    }
    try policy.check(Self.request(.post, origin: nil))
  }

  @Test(arguments: [
    ("https://app.example.com", true), ("https://APP.example.com:443", true), ("capacitor://localhost", true),
    ("http://app.example.com", false), ("https://app.example.com:444", false), ("https://sub.app.example.com", false),
    ("http://localhost:5173", false), ("null", false),
  ])
  func `A list allows exactly its origins`(origin: String, isAllowed: Bool) {
    let allowed = AllowedOrigins.origins(["https://app.example.com", "capacitor://localhost", "null", "*"])
    #expect(fields(allowed, origin: origin)[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
    #expect(((try? CrossOriginPolicy(allowed).check(Self.request(.put, origin: origin))) != nil) == isAllowed)
  }

  @Test(arguments: [
    ("https://a.example.com", true), ("https://a.b.example.com", true), ("https://A.EXAMPLE.com:443", true),
    ("https://example.com", false), ("https://badexample.com", false), ("http://a.example.com", false),
    ("https://a.example.com:8443", false), ("https://a.example.com.evil.org", false), ("null", false),
    ("http://x.localhost:5173", true), ("http://x.localhost", false),
  ])
  func `A wildcard allows what is below a name`(origin: String, isAllowed: Bool) throws {
    let allowed = AllowedOrigins.origins(["https://*.example.com", "http://*.localhost:5173"])
    #expect(allowed.unusable == nil)
    #expect(fields(allowed, origin: origin)[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
  }

  @Test(arguments: [
    "https://*", "https://*.", "https://a.*.example.com", "*.example.com", "https://*.127.0.0.1", "https://*.*.com",
    "https://app.example/", "app.example", "https://bücher.example", "https://", "null", "",
  ])
  func `What no origin can match is refused at the start`(text: String) async {
    var configuration = Server.Configuration(source: .value([:]))
    configuration.crossOrigin = .origins(["https://app.example", text])
    let error = await #expect(throws: ServerError.self) { try await Server.load(configuration) }
    #expect(error?.code == .invalidConfiguration && error?.message.contains("'\(text)' is not an origin") == true)
  }

  @Test func `All origins are allowed without credentials`() throws {
    let fields = fields(.any, origin: "http://evil.com")
    #expect(fields[.accessControlAllowOrigin] == "*")
    #expect(fields[.accessControlAllowCredentials] == nil)
    try CrossOriginPolicy(.any).check(Self.request(.post, origin: "null"))
  }

  @Test func `Without cross-origin sharing no field is added`() {
    #expect(fields(.none, origin: "http://localhost:5173").isEmpty)
  }

  @Test func `A preflight echoes what the page asks for`() throws {
    let request = Self.request(
      .options, origin: "http://localhost:5173",
      [.accessControlRequestMethod: "PUT", .accessControlRequestHeaders: "content-type,x-custom"])
    let response = try #require(CrossOriginPolicy(.loopback).preflight(request))
    #expect(response.status == .noContent)
    #expect(response.headerFields[.accessControlAllowOrigin] == "http://localhost:5173")
    #expect(response.headerFields[.accessControlAllowCredentials] == "true")
    #expect(response.headerFields[.accessControlAllowMethods] == "GET,HEAD,PUT,PATCH,POST,DELETE")
    #expect(response.headerFields[.accessControlAllowHeaders] == "content-type,x-custom")
    #expect(response.headerFields[.vary] == "Origin, Access-Control-Request-Headers")
    #expect(response.headerFields[.accessControlMaxAge] == nil)
  }

  @Test func `A foreign preflight gets a response without a permission`() throws {
    for policy in [CrossOriginPolicy(.loopback), CrossOriginPolicy(.none)] {
      let request = Self.request(.options, origin: "http://evil.com", [.accessControlRequestMethod: "PUT"])
      let response = try #require(policy.preflight(request))
      #expect(response.status == .noContent)
      #expect(response.headerFields[.accessControlAllowOrigin] == nil)
      #expect(response.headerFields[.accessControlAllowMethods] == nil)
      #expect(response.headerFields[.accessControlAllowHeaders] == nil)
    }
  }

  @Test func `Only what asks for a method is a preflight`() {
    #expect(CrossOriginPolicy(.loopback).preflight(Self.request(.options, origin: "http://localhost")) == nil)
    let get = Self.request(.get, origin: nil, [.accessControlRequestMethod: "PUT"])
    #expect(CrossOriginPolicy(.loopback).preflight(get) == nil)
  }

  @Test func `The fields that a page may read are those the response has`() {
    var response = PreparedResponse(headerFields: [
      .accessControlExposeHeaders: "x-own, location", .location: "/posts/8",
    ])
    #expect(fields(.loopback, origin: nil, to: response)[.accessControlExposeHeaders] == "x-own, location")
    response.headerFields[.xTotalCount] = "2"
    #expect(
      fields(.any, origin: nil, to: response)[.accessControlExposeHeaders] == "x-own, location, X-Total-Count, Link")
    #expect(fields(.loopback, origin: nil)[.accessControlExposeHeaders] == nil)
  }

  @Test(arguments: [
    ("cross-site", "https://evil.com/page", false), ("cross-site", nil, false),
    ("cross-site", "http://127.0.0.1:5173/", true), ("same-site", "http://localhost:5173/", true), (nil, nil, true),
    // A browser that says nothing of the site.
    (nil, "https://evil.com/page", false), (nil, "http://localhost:5173/", true),
  ])
  func `A script is not read by a foreign page`(site: String?, referer: String?, isAllowed: Bool) throws {
    var fields = HTTPFields()
    fields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
    fields[.referer] = referer
    let request = Self.request(.get, origin: nil, fields)
    #expect(((try? CrossOriginPolicy(.loopback).checkScript(request)) != nil) == isAllowed)
    try CrossOriginPolicy(.any).checkScript(request)
  }
}
