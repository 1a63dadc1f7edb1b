import HTTPTypes
import JSONDatabase
import JSONServerValues
import NIOConcurrencyHelpers
import NIOCore
import TestSupport
import Testing

@testable import JSONServerHTTP

/// Bodies that connections take slice by slice.
@Suite(.timeLimit(.minutes(1)))
struct TransportSlicesTests {
  /// Makes bodies of some megabytes, and knows whether the one it made last is still held.
  private final class Bodies: Sendable {
    private struct Last {
      weak var body: SlicedBody?
    }

    private let last = NIOLockedValueBox(Last())
    private let value = ValidJSON(writing: .array((0..<150_000).map { .number(JSONNumber($0)) }))

    var isLastHeld: Bool { last.withLockedValue { $0.body != nil } }

    func next() -> PreparedResponse {
      let body = SlicedBody(SlicedText([.value(value, level: 0)]))
      last.withLockedValue { $0.body = body }
      return PreparedResponse(body: .slices(body))
    }
  }

  private static func application(_ bodies: Bodies) -> TestApplication {
    TestApplication { request, reply in reply(request.target == "/large" ? bodies.next() : .echo(request)) }
  }

  private static let large = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let small = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `A body is given up with its last slice, and the connection goes on`() async throws {
    let bodies = Bodies()
    try await TestServer.run(Self.application(bodies)) { server in
      let client = try await server.connect()
      try await client.send(Self.large + Self.small)
      #expect(try await client.readAnswer().body.hasSuffix("  149999\n]"))
      #expect(try await client.readAnswer().body == "GET /small")
      #expect(!bodies.isLastHeld)
    }
  }

  @Test func `A client that leaves gives it up`() async throws {
    let bodies = Bodies()
    try await TestServer.run(Self.application(bodies)) { server in
      let client = try await server.connect()
      try await client.send(Self.large)
      _ = try await client.read(through: "1000")
      try await client.close()
      let other = try await server.connect()
      while bodies.isLastHeld {
        try await other.send(Self.small)
        _ = try await other.readAnswer()
      }
    }
  }

  @Test func `Others are answered while it is sent`() async throws {
    let bodies = Bodies()
    try await TestServer.run(Self.application(bodies)) { server in
      let client = try await server.connect()
      let other = try await server.connect()
      try await client.send(Self.large)
      try await other.send(Self.small)
      #expect(try await other.readAnswer().body == "GET /small")
      #expect(try await client.readAnswer().body.hasSuffix("  149999\n]"))
    }
  }

  @Test func `A client that sends no more reads it to its end`() async throws {
    let bodies = Bodies()
    try await TestServer.run(Self.application(bodies)) { server in
      let client = try await server.connect()
      try await client.send(Self.large)
      _ = try await client.read(through: "1000")
      await client.closeOutput()
      #expect(try await client.readToEnd().hasSuffix("  149999\n]\r\n0\r\n\r\n"))
    }
  }

  @Test(arguments: [0, 40_000, 700_000])
  func `A fault cuts it off`(count: Int) async throws {
    let bodies = Bodies()
    let application = TestApplication { _, reply in
      var response = bodies.next()
      response.delivery = .truncated(after: count)
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.large)
      let body = try await client.readToEnd().split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().joined()
      // Sizes and texts in turn; the last chunk, of no bytes, is missing.
      let lines = body.split(separator: "\r\n")
      #expect(stride(from: 1, to: lines.count, by: 2).reduce(0) { $0 + lines[$1].utf8.count } == count)
      #expect(lines.count.isMultiple(of: 2))
    }
  }

  @Test func `A large body that is there already is sent in slices of its length`() async throws {
    let text = String((0..<500_000).map(String.init).joined(separator: ","))
    let application = TestApplication { request, reply in
      reply(request.target == "/large" ? PreparedResponse(body: .bytes(Array(text.utf8))) : .echo(request))
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.large + Self.small)
      let answer = try await client.readAnswer()
      #expect(answer.fields["content-length"] == "\(text.utf8.count)")
      #expect(answer.body == text)
      #expect(try await client.readAnswer().body == "GET /small")
    }
    var (writer, head) = (ResponseWriter(), ByteBuffer())
    let response = PreparedResponse(body: .bytes(Array(text.utf8)))
    writer.writeHead(
      of: response, framing: .length(text.utf8.count), form: ResponseForm(), closes: false, to: &head)
    #expect(head.capacity < 4096)
  }

  @Test func `A client that sends on gets all of a large last response`() async throws {
    let text = String(repeating: "0123456789", count: 300_000)
    let application = TestApplication { request, reply in
      var response = PreparedResponse.echo(request)
      if request.target == "/large" { response = PreparedResponse(body: .bytes(Array(text.utf8))) }
      response.headerFields[.connection] = "close"
      reply(response)
    }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.large + String(repeating: Self.small, count: 2_000))
      #expect(try await client.readToEnd().hasSuffix("\r\n\r\n" + text))
    }
  }
}
