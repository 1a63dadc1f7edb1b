import HTTPTypes
import JSONDatabase
import Testing

@testable import JSONServer

/// What the answers to one target have in common, whatever the method and the conditions.
@Suite struct `Answers to one target` {
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

  private func server(_ dialect: Dialect = .classic) async throws -> Server {
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
    guard case .bytes(let body) = head.body else {
      Issue.record("The answer to HEAD is a stream.")
      return
    }
    #expect(body.isEmpty)
    let length =
      switch whole.body {
      case .bytes(let bytes): bytes.count
      case .stream(_, let length): length ?? 0
      }
    // The health tells the time.
    if target != "/__admin/health" { #expect(head.headerFields[.contentLength] == "\(length)") }
    var fields = whole.headerFields
    fields[.contentLength] = head.headerFields[.contentLength]
    if target == "/__admin/health" { fields[.eTag] = head.headerFields[.eTag] }
    #expect(Set(head.headerFields) == Set(fields))
  }
}
