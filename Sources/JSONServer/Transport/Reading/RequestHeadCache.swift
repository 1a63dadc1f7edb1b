import NIOCore
import NIOHTTP1

/// The head of a request that was read by the parser, to recognize it when it comes again.
///
/// A client sends the same head with each request of a connection, but for the target. To parse and interpret it
/// again took longer than to find a record. This is not a parser: every byte must be as it was but those of the target,
/// and the target may have no byte that could end it.
final class RequestHeadCache {
  /// The method and the space before the target.
  private let start: ByteBuffer
  /// What follows the target: the version, the fields and the empty line.
  private let rest: ByteBuffer
  private let meaning: RequestHead

  /// - Parameters:
  ///   - bytes: The whole request, as it came; it has no body.
  ///   - line: What the parser returned for them.
  ///   - meaning: What they mean.
  /// - Returns: nil when its target is not a path, or is not in its usual place.
  init?(_ bytes: ByteBuffer, line: HTTPRequestHead, meaning: RequestHead) {
    let start = "\(line.method.rawValue) "
    let bytes = bytes.readableBytesView
    guard line.uri.utf8.first == UInt8(ascii: "/"), bytes.starts(with: "\(start)\(line.uri) HTTP/1.".utf8) else {
      return nil
    }
    self.start = ByteBuffer(string: start)
    rest = ByteBuffer(bytes: bytes.dropFirst(start.utf8.count + line.uri.utf8.count))
    self.meaning = meaning
  }

  /// Takes the next request off the input, when it has this head.
  func takeRequest(from input: inout ByteBuffer, limits: Limits) -> (request: Request, form: ResponseForm)? {
    var unread = input
    guard unread.readSlice(length: start.readableBytes) == start, let length = lengthOfTarget(unread, limits),
      let target = unread.readString(length: length), unread.readSlice(length: rest.readableBytes) == rest
    else { return nil }
    input = unread
    var request = meaning.request
    request.target = target
    return (request, meaning.form)
  }

  /// The bytes of the path that the input begins with; nil when there is none, or the limits do not allow it.
  private func lengthOfTarget(_ input: ByteBuffer, _ limits: Limits) -> Int? {
    input.withUnsafeReadableBytes { bytes in
      guard bytes.first == UInt8(ascii: "/"), let end = bytes.firstIndex(where: { !Self.isInTarget($0) }),
        end <= min(limits.maximumTargetBytes, limits.maximumHeadBytes - meaning.fieldBytes)
      else { return nil }
      return end
    }
  }

  /// The bytes that the parser takes in any place of a target: the visible ones, except the sign of a fragment.
  private static func isInTarget(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "#")
  }
}

/// Precedes the parser, and passes the connection the requests that need not be parsed.
final class RequestHeadCacheHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = Self.unwrapInboundIn(data)
    connection.takeKnownRequests(from: &input)
    guard input.readableBytes > 0 else { return }
    connection.reader.willParse(input)
    context.fireChannelRead(Self.wrapInboundOut(input))
    connection.reader.didParse(input)
  }
}

/// What the parser was given, and what has come of it, since it was last between two requests.
///
/// The parser does not report how much it has read. Where the bytes do not show it, because a head came in pieces, a
/// body in chunks, or two requests at once, it may hold a part of the next request; then it is never known to be
/// between two again, and reads all that the connection receives.
struct ParserProgress {
  private var given = 0
  /// The bytes of the first head that was given; nil when it did not come in one piece.
  private var headBytes: Int?
  private var bodyBytes = 0
  private var hasEnded = false

  /// Whether it is there again: it has read one request to its end, and was given nothing else.
  var isBetweenRequests: Bool {
    given == 0 || hasEnded && given == headBytes.map { $0 + bodyBytes }
  }

  /// Whether it is at the end of a request without a body.
  var hasReadHeadAlone: Bool { hasEnded && given == headBytes }

  mutating func give(_ bytes: ByteBuffer) {
    if isBetweenRequests { self = ParserProgress() }
    if given == 0 { headBytes = bytes.endOfHead }
    given += bytes.readableBytes
  }

  mutating func recordBody(_ count: Int) {
    bodyBytes += count
  }

  mutating func recordEnd() {
    hasEnded = true
  }
}

extension ByteBuffer {
  /// The bytes up to the first empty line's end.
  var endOfHead: Int? {
    let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    return withUnsafeReadableBytes { bytes in
      bytes.indices.dropFirst(3).first {
        bytes[$0] == lf && bytes[$0 - 1] == cr && bytes[$0 - 2] == lf && bytes[$0 - 3] == cr
      }.map { $0 + 1 }
    }
  }
}
