import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import JSONServerHTTP

/// Requests whose head a connection has seen before, which the parser does not read again.
struct KnownHeadTests {
  /// A connection over which a test sends, with or without the handler that knows heads.
  private struct Wire {
    let application = TestApplication { request, reply in
      let fields = request.headerFields.map { "\($0.name.rawName): \($0.value)" }
      reply(.text("\(request.method) \(request.target) \(fields) \(String(decoding: request.bytes, as: UTF8.self))"))
    }
    let parsed = ParsedBytes()
    private let channel = EmbeddedChannel()

    init(knowsHeads: Bool, limits: Limits = Limits()) throws {
      var handlers = HTTPConnection.handlers(Connections(limits: limits, application: application))
      if knowsHeads { handlers.insert(parsed, at: 1) } else { handlers[0] = parsed }
      try channel.pipeline.syncOperations.addHandlers(handlers)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    var isOpen: Bool { channel.isActive }

    func send(_ text: String) throws {
      try send(Array(text.utf8))
    }

    func send(_ bytes: some Sequence<UInt8>) throws {
      guard isOpen else { return }
      try channel.writeInbound(ByteBuffer(bytes: bytes))
      channel.embeddedEventLoop.run()
    }

    /// What was sent back, but for the date.
    func answers() throws -> String {
      var text = ""
      while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
      return text.replacing(/Date: [^\r]*\r\n/, with: "")
    }
  }

  /// Counts what reaches the parser.
  private final class ParsedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      count += Self.unwrapInboundIn(data).readableBytes
      context.fireChannelRead(data)
    }
  }

  private static func get(_ target: String, method: String = "GET", fields: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static let put = "PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"

  struct Case: Sendable {
    /// What is sent, each piece by itself.
    var sent: [String]
    /// The pieces that the parser need not read.
    var known: Set<Int>
  }

  @Test(arguments: [
    Case(sent: [get("/1"), get("/2"), get("/3?a=b")], known: [1, 2]),
    Case(sent: [get("/1"), get("/2") + get("/3") + get("/4")], known: [1]),
    Case(sent: [get("/1") + get("/2"), get("/3")], known: [1]),
    Case(sent: [get("/1") + get("/2", fields: "A: b\r\n"), get("/3"), get("/4", fields: "A: b\r\n")], known: []),
    Case(sent: [get("/1", method: "HEAD"), get("/2", method: "HEAD")], known: [1]),
    Case(sent: [get("/1"), get("/2", method: "DELETE"), get("/3", method: "DELETE")], known: [2]),
    Case(sent: [get("/1"), put + "ok", get("/3")], known: [2]),
    Case(sent: [get("/1"), put, "o", "k", get("/3")], known: [4]),
    // Other bytes, in any place but the target.
    Case(sent: [get("/1"), get("/2", fields: "A: b\r\n")], known: []),
    Case(sent: [get("/1"), "get /2 HTTP/1.1\r\nHost: a\r\n\r\n"], known: []),
    Case(sent: [get("/1"), "GET /2 HTTP/1.1\r\nhost: a\r\n\r\n"], known: []),
    Case(sent: [get("/1"), "GET /2 HTTP/1.0\r\nHost: a\r\n\r\n"], known: []),
    Case(sent: [get("/1"), "\r\n" + get("/2"), get("/3")], known: []),
    // Targets that are not paths, and what could be read in another way.
    Case(sent: [get("/1"), get("")], known: []),
    Case(sent: [get("/1"), get("*")], known: []),
    Case(sent: [get("/1"), get("http://b/")], known: []),
    Case(sent: [get("/1"), get("/a#b#c")], known: []),
    Case(sent: [get("http://b/"), get("/2"), get("/3")], known: [2]),
    // The parser holds a part of a request, or could.
    Case(sent: [get("/1"), "GET ", get("/2")], known: []),
    Case(sent: [get("/1"), put, get("/2")], known: []),
    Case(sent: [get("/1"), put + "okG", "ET /2 HTTP/1.1\r\nHost: a\r\n\r\n", get("/3")], known: []),
    Case(sent: ["GET /1 HTTP/1.1\r\n", "Host: a\r\n\r\n", get("/2"), get("/3")], known: []),
    // The last request of a connection.
    Case(sent: [get("/1"), get("/2", fields: "Connection: close\r\n") + get("/3")], known: []),
    Case(
      sent: [get("/1", fields: "Proxy-Connection: close\r\n"), get("/2", fields: "Proxy-Connection: close\r\n")],
      known: []),
    Case(sent: ["GET / HTTP/1.0\r\nConnection: \u{212A}eep-alive\r\n\r\n" + get("/2")], known: []),
    Case(sent: [get("/1", fields: "Upgrade: b\r\nConnection: upgrade\r\n") + get("/2")], known: []),
  ])
  func `What the parser need not read gets the response that it would get if it had`(_ test: Case) throws {
    let (wire, plain) = (try Wire(knowsHeads: true), try Wire(knowsHeads: false))
    for (index, piece) in test.sent.enumerated() {
      let before = wire.parsed.count
      let isParsed = wire.isOpen && !test.known.contains(index)
      try wire.send(piece)
      try plain.send(piece)
      #expect(wire.parsed.count - before == (isParsed ? piece.utf8.count : 0), "piece \(index)")
      #expect(try wire.answers() == plain.answers(), "piece \(index)")
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `Any byte in a target is taken as the parser takes it`(_ byte: UInt8) throws {
    for target in [[byte], Array("/a".utf8) + [byte], Array("/a".utf8) + [byte] + Array("b?c".utf8) + [byte]] {
      let (wire, plain) = (try Wire(knowsHeads: true), try Wire(knowsHeads: false))
      for request in [Array(Self.get("/1").utf8), "GET ".utf8 + target + " HTTP/1.1\r\nHost: a\r\n\r\n".utf8] {
        try wire.send(request)
        try plain.send(request)
      }
      #expect(try wire.answers() == plain.answers())
    }
  }

  @Test func `A known head does not get around the limits`() throws {
    // A field without a space takes less than the limits count for it.
    let fields = [String(repeating: "A: b\r\n", count: 20), String(repeating: "A:b\r\n", count: 20)]
    for (targetBytes, headBytes) in [(20, 1000), (1000, 160)] {
      var limits = Limits()
      limits.maximumTargetBytes = targetBytes
      limits.maximumHeadBytes = headBytes
      for length in 1...80 {
        let target = "/" + String(repeating: "a", count: length)
        for fields in fields {
          let (wire, plain) = (try Wire(knowsHeads: true, limits: limits), try Wire(knowsHeads: false, limits: limits))
          for request in [Self.get("/", fields: fields), Self.get(target, fields: fields)] {
            try wire.send(request)
            try plain.send(request)
          }
          #expect(try wire.answers() == plain.answers(), "\(length)")
        }
      }
    }
  }

  @Test(.calculates, arguments: UInt64(1)...200)
  func `Whatever is sent, in whatever pieces, is understood as the parser reads it`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (wire, plain) = (try Wire(knowsHeads: true), try Wire(knowsHeads: false))
    for request in [Self.get("/1"), Self.get("/2")] {
      try wire.send(request)
      try plain.send(request)
    }
    for round in 1...40 {
      // From a piece that ends within a head, or a chunked body, the parser reads all that follows.
      let count = round > 10 ? Int.random(in: 1...3, using: &random) : 1
      var bytes = (0..<count).flatMap { _ in Array(Self.request(&random).utf8) }
      if Int.random(in: 0..<50, using: &random) == 0, let index = bytes.indices.randomElement(using: &random) {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      let isCut = round > 5 && Int.random(in: 0..<4, using: &random) == 0
      let cut = isCut ? Int.random(in: 0...bytes.count, using: &random) : 0
      for piece in [bytes[..<cut], bytes[cut...]] where !piece.isEmpty {
        try wire.send(piece)
        try plain.send(piece)
      }
      #expect(try wire.answers() == plain.answers())
    }
    #expect(wire.parsed.count < plain.parsed.count)
  }

  private static func request(_ random: inout SeededGenerator) -> String {
    let target = "/" + String(UInt32.random(in: 0...UInt32.max, using: &random), radix: 36)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "PUT \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
    case 1: return "PUT \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
    case 2: return get(target, method: "DELETE")
    case 3: return get(target, fields: "Accept: */*\r\n")
    default: return get(target)
    }
  }
}
