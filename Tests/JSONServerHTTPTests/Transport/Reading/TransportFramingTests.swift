import HTTPTypes
import TestSupport
import Testing

@testable import JSONServerHTTP

/// What two readers could read in two ways must be refused (RFC 9112, section 11.2), or else read in the one right way.
@Suite(.timeLimit(.minutes(1)))
struct TransportFramingTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: String
    var statuses: [Int]

    init(_ name: String, _ bytes: String, _ statuses: Int...) {
      testDescription = name
      self.bytes = bytes
      self.statuses = statuses
    }
  }

  static let chunk = "5\r\nhello\r\n0\r\n\r\n"

  static func post(_ fields: String, _ body: String = "hello") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
  }

  static let lengths = [
    Vector("both length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked", chunk), 400),
    Vector("both chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 5", chunk), 400),
    Vector("the same length twice", post("Content-Length: 5\r\nContent-Length: 5"), 400),
    Vector("two lengths", post("Content-Length: 5\r\nContent-Length: 6"), 400),
    Vector("a list of lengths", post("Content-Length: 5, 5"), 400),
    Vector("a length with a plus", post("Content-Length: +5"), 400),
    Vector("a negative length", post("Content-Length: -5"), 400),
    Vector("a hexadecimal length", post("Content-Length: 0x5"), 400),
    Vector("a length with a space in it", post("Content-Length: 5 5"), 400),
    Vector("a length with a fraction", post("Content-Length: 5.0"), 400),
    Vector("an empty length", post("Content-Length:"), 400),
    Vector("a length beyond 64 bits", post("Content-Length: 18446744073709551621"), 400),
    Vector("a length in another case", post("cONTENT-lENGTH: 5"), 200),
    Vector(
      "a request in a body", post("Content-Length: 35", "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"), 200),
  ]

  static let codings = [
    Vector("gzip", post("Transfer-Encoding: gzip"), 501),
    Vector("gzip, chunked", post("Transfer-Encoding: gzip, chunked", chunk), 501),
    Vector("chunked, gzip", post("Transfer-Encoding: chunked, gzip", chunk), 400),
    Vector("chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunk), 400),
    Vector("identity", post("Transfer-Encoding: identity"), 501),
    Vector("xchunked", post("Transfer-Encoding: xchunked", chunk), 501),
    Vector("quoted chunked", post("Transfer-Encoding: \"chunked\"", chunk), 501),
    Vector("chunked after a vertical tab", post("Transfer-Encoding: \u{0b}chunked", chunk), 400),
    Vector("chunked with a space before the colon", post("Transfer-Encoding : chunked", chunk), 400),
    Vector("chunked on a folded line", post("Transfer-Encoding:\r\n chunked", chunk), 400),
    Vector("chunked of HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)", 400),
  ]

  static let chunks = [
    Vector("a size that is no number", post("Transfer-Encoding: chunked", "g\r\nhello\r\n0\r\n\r\n"), 400),
    Vector("a size with 0x", post("Transfer-Encoding: chunked", "0x5\r\nhello\r\n0\r\n\r\n"), 400),
    Vector("a negative size", post("Transfer-Encoding: chunked", "-5\r\nhello\r\n0\r\n\r\n"), 400),
    Vector("a size beyond 64 bits", post("Transfer-Encoding: chunked", "10000000000000005\r\nhello\r\n"), 400),
    Vector("an empty size", post("Transfer-Encoding: chunked", "\r\nhello\r\n0\r\n\r\n"), 400),
    Vector("more data than the size", post("Transfer-Encoding: chunked", "4\r\nhello\r\n0\r\n\r\n"), 400),
    Vector("a bare line feed after the size", post("Transfer-Encoding: chunked", "5\nhello\r\n0\r\n\r\n"), 400),
    Vector("a bare line feed after the data", post("Transfer-Encoding: chunked", "5\r\nhello\n0\r\n\r\n"), 400),
    Vector("an end before the last chunk", post("Transfer-Encoding: chunked", "5\r\nhello\r\n"), 400),
    Vector(
      "a length as trailer", post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n"), 400),
    Vector("a trailer", post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\nX: 9\r\n\r\n"), 200),
    Vector("a last chunk of many zeros", post("Transfer-Encoding: chunked", "5\r\nhello\r\n000\r\n\r\n"), 200),
  ]

  static let heads = [
    Vector("no host", "GET / HTTP/1.1\r\n\r\n", 400),
    Vector("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    Vector("a list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
    Vector("a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    Vector("a host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
    Vector("a URL without host field", "GET http://a/ HTTP/1.1\r\n\r\n", 400),
    Vector("a URL with a user", "GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n", 400),
    Vector("a URL of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("a target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("an asterisk with GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("an asterisk with OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    Vector("two spaces after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    Vector("a tab after the method", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("a control character in the target", "GET /\u{01} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("no version", "GET /\r\n\r\n", 400),
    Vector("version 2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    Vector("version 1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 400),
    Vector("a method that nobody knows", "GETT / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("a method in small letters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    Vector("the beginning of TLS", "\u{16}\u{03}\u{01}\u{02}", 400),
    Vector("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 501),
    Vector("a field without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400),
    Vector("a field without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400),
    Vector("a name with a space", "GET / HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n", 400),
    Vector("a first field that is indented", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
    Vector("a folded value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400),
    Vector("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n", 400),
    Vector("a bare carriage return in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n", 400),
    Vector("bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", 400),
    Vector("an empty line before the request", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    Vector("an end within the head", "GET / HTTP/1.1\r\nHos", 400),
  ]

  static let spaces = [
    Vector("a space after the host", "GET / HTTP/1.1\r\nHost: a \r\n\r\n", 200),
    Vector("a tab around the host", "GET / HTTP/1.1\r\nHost:\ta\t\r\n\r\n", 200),
    Vector("a space after the length", post("Content-Length: 5 "), 200),
    // The parser accepts no tab there.
    Vector("a tab after the length", post("Content-Length: 5\t"), 400),
    Vector("a space after chunked", post("Transfer-Encoding: chunked ", chunk), 200),
    Vector("a tab after chunked", post("Transfer-Encoding: chunked\t", chunk), 400),
    Vector("a space after the coding", post("Content-Length: 5\r\nContent-Encoding: identity "), 200),
    Vector("a host of spaces", "GET / HTTP/1.1\r\nHost:   \r\n\r\n", 200),
    Vector("a space within the host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
  ]

  @Test(arguments: lengths + codings + chunks + heads + spaces)
  func `Each request has one meaning or none`(_ vector: Vector) async throws {
    let application = TestApplication { _, reply in reply(.text("answered")) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(vector.bytes)
      await client.closeOutput()
      let statuses = try await client.readToEnd().split(separator: "HTTP/1.1 ").map { Int($0.prefix(3)) }
      #expect(statuses == vector.statuses)
      #expect(application.requests.count == vector.statuses.count { $0 == 200 })
    }
  }

  @Test(arguments: [
    "Content-Length: 5 ", "Content-Length:\t5 ", "Transfer-Encoding: chunked ", "Expect: 100-continue ",
  ])
  func `The space after a value is not part of it`(_ field: String) async throws {
    let framing = field.hasPrefix("Expect") ? "\(field)\r\nContent-Length: 5" : field
    try await TestServer.run { server in
      let client = try await server.connect()
      try await client.send(Self.post(framing, field.hasPrefix("Transfer") ? Self.chunk : "hello"))
      #expect(try await client.readAnswer().body == "POST / hello")
    }
  }

  @Test func `What follows a refused request is not read as another`() async throws {
    let application = TestApplication()
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
      try await client.send(
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
          + Self.post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n") + hidden)
      #expect(try await client.readAnswer().body == "GET /a")
      #expect(try await client.readAnswer().status == 400)
      #expect(try await client.readToEnd() == "")
      #expect(application.requests.map(\.target) == ["/a"])
    }
  }
}
