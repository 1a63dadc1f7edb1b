import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

/// The fields that most responses share, in a server's responses.
struct FinalizingTests {
  private static let conditions: [HTTPFields] = [
    [:], [.ifNoneMatch: "*"], [.ifNoneMatch: "\"other\""],
  ]

  /// What has passed through middleware has no common fields, and all others are looked for.
  @Test(arguments: [CrossOrigin.loopback, .any, .none], [true, false])
  func `Common fields are what finalizing gives a response that has none`(
    _ crossOrigin: CrossOrigin, _ compresses: Bool
  ) async throws {
    let record: JSONValue = ["id": 1, "body": .string(String(repeating: "text ", count: 500))]
    func server(_ middleware: [any Middleware]) async throws -> Server {
      try await AdminFixture.server(["posts": [record, ["id": 2]]]) { configuration in
        configuration.crossOrigin = crossOrigin
        configuration.compresses = compresses
        configuration.middleware = middleware
      }
    }
    let (plain, passed) = (try await server([]), try await server([Passage()]))
    for target in ["/posts/1", "/posts", "/posts?_page=1&_limit=1", "/posts/3", "/db"] {
      for method in [HTTPRequest.Method.get, .head, .put, .options] {
        for origin in [nil, "http://localhost:5173", "http://example.com"] {
          for coding in [nil, "gzip", "identity"] {
            for condition in Self.conditions {
              var fields = condition
              fields[.origin] = origin
              fields[.acceptEncoding] = coding
              let body: JSONValue? = method == .put ? record : nil
              let one = await plain.send(method, target, body, fields: fields)
              let other = await passed.send(method, target, body, fields: fields)
              #expect(one.status == other.status)
              #expect(one.headerFields == other.headerFields, "\(method) \(target) \(fields)")
              #expect(one.bytes == other.bytes)
            }
          }
        }
      }
    }
  }

  /// Middleware that changes nothing.
  private struct Passage: Middleware {
    func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
      try await next(request)
    }
  }
}
