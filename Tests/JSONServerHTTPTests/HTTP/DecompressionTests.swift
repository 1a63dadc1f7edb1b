import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1))) struct `A compressed body of a request` {
  private static let limits: Limits = {
    var limits = Limits()
    limits.bodyTimeout = .seconds(3600)
    limits.maximumBodyBytes = 1000
    return limits
  }()

  private static let text = Array(String(repeating: "{\"title\": \"Hello\"} ", count: 20).utf8)

  private static func packed(_ bytes: [UInt8], _ coding: ContentCoding = .gzip) -> [UInt8] {
    coding.compress(bytes, level: 9) ?? []
  }

  /// How a body's end is told.
  enum Framing: CaseIterable {
    case length, chunk, chunksOfOneByte, legacy

    func request(_ coding: String, _ body: [UInt8]) -> [UInt8] {
      let version = self == .legacy ? "1.0\r\nConnection: keep-alive" : "1.1"
      let head = "PUT /packed HTTP/\(version)\r\nHost: a\r\nContent-Encoding: \(coding)\r\n"
      let chunks =
        switch self {
        case .length, .legacy: [] as [ArraySlice<UInt8>]
        case .chunk: [body[...]]
        case .chunksOfOneByte: body.indices.map { body[$0...$0] }
        }
      guard !chunks.isEmpty else { return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body }
      let framed = chunks.map { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + Array("\r\n".utf8) }
      return Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + framed.joined() + Array("0\r\n\r\n".utf8)
    }
  }

  @Test(arguments: ["gzip", "GZIP", "x-gzip", "deflate"], Framing.allCases)
  func `is unpacked, however it comes`(_ coding: String, _ framing: Framing) async throws {
    let application = TestApplication()
    try await TestServer.run(application, limits: Self.limits) { server in
      let client = try await server.connect()
      let body = Self.packed(Self.text, coding == "deflate" ? .deflate : .gzip)
      try await client.send(framing.request(coding, body) + Array("GET /next HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await client.readAnswer().body == "PUT /packed " + String(decoding: Self.text, as: UTF8.self))
      #expect(try await client.readAnswer().body == "GET /next")
    }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    var coding = "gzip"
    let body: [UInt8]
    let status: Int

    var testDescription: String { name }
  }

  static let refusals: [Refusal] = [
    Refusal(name: "no gzip", body: Array("{}".utf8), status: 400),
    Refusal(name: "deflate without its frame", coding: "deflate", body: [0x4B, 0x04, 0x00], status: 400),
    Refusal(name: "gzip as deflate", coding: "deflate", body: packed(text), status: 400),
    Refusal(name: "cut short", body: packed(text).dropLast(), status: 400),
    Refusal(name: "a wrong checksum", body: packed(text).dropLast(8) + [UInt8](repeating: 1, count: 8), status: 400),
    Refusal(name: "something after it", body: packed(text) + [0], status: 400),
    Refusal(name: "a byte too many", body: packed([UInt8](repeating: 1, count: 1001)), status: 413),
    Refusal(name: "a bomb", body: packed([UInt8](repeating: 1, count: 500_000)), status: 413),
    Refusal(name: "empty members", body: Array([[UInt8]](repeating: packed([]), count: 100).joined()), status: 413),
    Refusal(name: "another coding", coding: "br", body: [0x3B], status: 415),
    Refusal(name: "two codings", coding: "deflate, gzip", body: packed(packed(text, .deflate)), status: 415),
  ]

  @Test(arguments: refusals, Framing.allCases)
  func `is refused when it is broken, too large or unknown`(_ test: Refusal, _ framing: Framing) async throws {
    let application = TestApplication()
    try await TestServer.run(application, limits: Self.limits) { server in
      let client = try await server.connect()
      try await client.send(framing.request(test.coding, test.body))
      let answer = try await client.readAnswer()
      #expect(answer.status == test.status, "\(test.name): \(answer.body)")
      #expect(answer.fields["accept-encoding"] == (test.status == 415 ? "gzip, deflate" : nil))
      #expect(application.requests.isEmpty)
    }
  }

  @Test func `may have as many bytes as any, and several members`() throws {
    let half = [UInt8](repeating: 1, count: 500)
    var request = Request(
      method: .put, target: "/", headerFields: [.contentEncoding: "gzip"], body: Self.packed(half) + Self.packed(half))
    try request.unpackBody(limits: Self.limits)
    #expect(request.bytes == half + half)
  }

  /// A bomb costs what is unpacked of it, which ends at the limit.
  @Test func `takes no more memory than the limit`() throws {
    let bomb = Self.packed([UInt8](repeating: 0, count: 50_000_000))
    var limits = Limits()
    limits.maximumBodyBytes = 1_000_000
    var body: [UInt8] = []
    let error = #expect(throws: RequestError.self) {
      try Decompression(.gzip).append(bomb, to: &body, limits: limits)
    }
    #expect(error?.status == .contentTooLarge)
    #expect(body.count <= limits.maximumBodyBytes)
  }
}
