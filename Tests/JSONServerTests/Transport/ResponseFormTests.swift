import HTTPTypes
import TestSupport
import Testing

@testable import JSONServer

/// What the responses to one target have in common, whatever the method and the conditions.
@Suite struct `Responses to one target` {
  private static let targets = [
    "/posts", "/posts/1", "/posts?_page=1&_limit=1", "/profile", "/db", "/", "/__rules", "/__admin/health", "/file.txt",
    "/large.txt", "/image.png", "/nothing",
  ]

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("text", to: "file.txt")
    try directory.write(String(repeating: "text", count: 30_000), to: "large.txt")
    try directory.write("image", to: "image.png")
  }

  private func server(_ dialect: Server.Configuration.Dialect = .classic) async throws -> Server {
    try await AdminFixture.server { configuration in
      configuration.staticDirectories = [directory.path]
      configuration.dialect = dialect
    }
  }

  private static let fields: HTTPFields = [.acceptEncoding: "gzip", .origin: "http://localhost:5173"]

  /// Without the fields that a cache uses, it would keep what it has by the wrong rules (RFC 9110, section 15.4.5).
  @Test(arguments: targets.filter { !["/nothing", "/__admin/health"].contains($0) })
  func `304 has the fields of 200 that caches use`(_ target: String) async throws {
    let server = try await server()
    let whole = await server.send(.get, target, fields: Self.fields)
    let tag = try #require(whole.headerFields[.eTag])
    var condition = Self.fields
    condition[.ifNoneMatch] = tag
    let unchanged = await server.send(.get, target, fields: condition)
    #expect(whole.status == .ok)
    #expect(unchanged.status == .notModified)
    #expect(unchanged.bytes.isEmpty)
    #expect(unchanged.headerFields[.contentType] == nil)
    #expect(whole.headerFields[.vary]?.contains("Origin") == true)
    for name in [HTTPField.Name.eTag, .vary, .cacheControl, .lastModified, .accessControlAllowOrigin] {
      #expect(unchanged.headerFields[name] == whole.headerFields[name], "\(name)")
    }
  }

  @Test(arguments: targets)
  func `HEAD has the status and the fields of GET, and no body`(_ target: String) async throws {
    let server = try await server()
    let whole = await server.send(.get, target)
    let head = await server.send(.head, target)
    #expect(head.status == whole.status)
    guard case .bytes(let body) = head.content else {
      Issue.record("The answer to HEAD is a stream.")
      return
    }
    #expect(body.isEmpty)
    let length = if case .stream(_, let length) = whole.content { length ?? 0 } else { whole.bytes.count }
    // The health includes the time.
    if target != "/__admin/health" { #expect(head.headerFields[.contentLength] == "\(length)") }
    var fields = whole.headerFields
    fields[.contentLength] = head.headerFields[.contentLength]
    if target == "/__admin/health" { fields[.eTag] = head.headerFields[.eTag] }
    #expect(Set(head.headerFields) == Set(fields))
  }

  private static let methods: [(String, Server.Configuration.Dialect, String?)] = [
    ("/posts", .classic, "GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
    ("/posts/1", .classic, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ("/posts/1", .v1, "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
    ("/posts/1/comments?_page=1", .classic, "GET, HEAD, POST, OPTIONS"),
    ("/profile", .classic, "GET, HEAD, POST, PUT, PATCH, OPTIONS"),
    ("/profile", .v1, "GET, HEAD, PUT, PATCH, OPTIONS"),
    ("/db", .classic, "GET, HEAD, OPTIONS"), ("/__admin/faults/1", .classic, "DELETE, OPTIONS"),
    ("/__admin/settings", .classic, "GET, HEAD, PATCH, OPTIONS"), ("/", .classic, "GET, HEAD, OPTIONS"),
    ("/__rules", .classic, "GET, HEAD, OPTIONS"), ("/file.txt", .classic, "GET, HEAD, OPTIONS"),
    ("*", .classic, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"), ("/nothing", .classic, nil),
    ("/missing.txt", .classic, nil), ("/__admin/nothing", .classic, nil),
  ]

  @Test(arguments: methods)
  func `OPTIONS names the methods that a refusal names`(
    _ target: String, _ dialect: Server.Configuration.Dialect, _ allowed: String?
  ) async throws {
    let server = try await server(dialect)
    let answer = await server.send(.options, target)
    #expect(answer.status == (allowed == nil ? .notFound : .noContent))
    #expect(answer.headerFields[.allow] == allowed)
    #expect((answer.bytes.isEmpty) == (allowed != nil))
    let refusal = await server.send(try #require(HTTPRequest.Method("PROPFIND")), target)
    if refusal.status == .methodNotAllowed { #expect(refusal.headerFields[.allow] == allowed) }
    let preflight = await server.send(.options, target, fields: [.accessControlRequestMethod: "PUT"])
    #expect(preflight.status == .noContent)
    #expect(preflight.headerFields[.allow] == nil)
  }
}
