import HTTPTypes
import JSONServerValues
import NIOCore
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

/// The fields that most responses share, which are written once.
struct CommonFieldsTests {
  private static let common = CommonFields([.contentType: "text/plain", .vary: "Origin"])

  private static func response() -> PreparedResponse {
    PreparedResponse(status: .ok, commonFields: common, body: .bytes(Array("a".utf8)))
  }

  private static func head(_ response: PreparedResponse) -> [Substring] {
    var (writer, output) = (ResponseWriter(), ByteBuffer())
    writer.writeHead(
      of: response, framing: .length(1), form: ResponseForm(keepsConnection: true), closes: false, to: &output)
    return String(buffer: output).split(separator: "\r\n").filter { !$0.hasPrefix("Date: ") }
  }

  @Test func `are written as the fields that they are`() {
    let plain = PreparedResponse(headerFields: Self.common.fields, body: .bytes(Array("a".utf8)))
    let lines = ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Vary: Origin", "Content-Length: 1"]
    #expect(Self.head(Self.response()) == lines[...].map { $0[...] })
    #expect(Self.head(plain) == Self.head(Self.response()))
  }

  @Test func `give way to what is changed`() {
    var response = Self.response()
    response.headerFields[.vary] = "Accept"
    #expect(Self.head(response).contains("Vary: Accept"))
    #expect(!Self.head(response).contains("Vary: Origin"))
    response = Self.response()
    response.headerFields.append(HTTPField(name: .link, value: "b"))
    #expect(Self.head(response).contains("Link: b"))
  }

  @Test func `stay where a field is added beside them`() {
    var response = Self.response()
    response.append(.link, "b")
    #expect(response.commonFields != nil)
    let lines = ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Vary: Origin", "Link: b", "Content-Length: 1"]
    #expect(Self.head(response) == lines[...].map { $0[...] })
  }

  @Test func `are fields like others for Swift code`() {
    #expect(Self.response().response.headerFields == Self.common.fields)
    #expect(PreparedResponse(Self.response().response).commonFields == nil)
  }

  private static let conditions: [HTTPFields] = [
    [:], [.ifNoneMatch: "*"], [.ifNoneMatch: "\"other\""],
  ]

  /// What has passed through middleware has no common fields, and all others are looked for.
  @Test(arguments: [CrossOrigin.loopback, .any, .none], [true, false])
  func `are what finalizing gives a response that has none`(_ crossOrigin: CrossOrigin, _ compresses: Bool) async throws
  {
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
