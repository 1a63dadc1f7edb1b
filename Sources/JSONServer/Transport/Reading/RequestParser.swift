import HTTPTypes
import NIOCore
import NIOHTTP1

/// Reads requests with NIO's parser, and applies the server's rules also to what that skips, and where it stops.
///
/// The parser reads nothing after a request that asks for an upgrade: a new one reads on. What it skips, such as the
/// extensions of chunks, is counted (RFC 9112, section 7.1.1).
final class RequestParser: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = HTTPServerRequestPart

  /// The parser's own limit, which is far above the server's: those distinguish 414 from 431, and are checked later.
  static let maximumHeadBytes = 128 * 1024

  private let connection: HTTPConnection
  private var decoder = RequestParser.makeDecoder()
  /// What was passed to the parser and is part of something whose end it has not seen.
  private var held = ByteBuffer()
  private var hasFailed = false

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  private static func makeDecoder() -> HTTPRequestDecoder {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = maximumHeadBytes
    limits.maxHeaderListSize = maximumHeadBytes
    limits.maxHeaderFieldCount = 1024
    return HTTPRequestDecoder(limitConfiguration: limits)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    decoder.decoderAdded(context: context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    decoder.decoderRemoved(context: context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = Self.unwrapInboundIn(data)
    while !hasFailed, !connection.reader.isStopped, var piece = connection.reader.takePiece(of: &input) {
      if held.readableBytes == 0 { held = piece } else { held.writeBuffer(&piece) }
      do {
        _ = try decoder.decode(context: context, buffer: &held)
        if connection.reader.hasStoppedParser { input = replaceDecoder(context, before: input) }
        try connection.reader.checkOverhead()
      } catch let error as RequestError {
        connection.refuse(error)
      } catch {
        fail(error, context)
      }
    }
    if input.readableBytes > 0 { connection.reader.drop() }
  }

  /// Replaces the parser after a request after which the old one reads nothing.
  ///
  /// - Returns: What it has to read.
  private func replaceDecoder(_ context: ChannelHandlerContext, before input: ByteBuffer) -> ByteBuffer {
    decoder.decoderRemoved(context: context)
    decoder = Self.makeDecoder()
    decoder.decoderAdded(context: context)
    defer { held = ByteBuffer() }
    return held.readableBytes == 0 ? input : ByteBuffer(bytes: [held, input].flatMap(\.readableBytesView))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, !hasFailed, !connection.reader.isStopped {
      do {
        _ = try decoder.decodeLast(context: context, buffer: &held, seenEOF: true)
      } catch {
        fail(error, context)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    hasFailed = true
    context.fireErrorCaught(error)
  }
}

/// The bytes of a request that have become no part of it: the framing of chunks, trailers, and what is skipped.
struct ParserOverhead {
  /// What a chunk may take besides its data: its size in a sensible number of digits, and two line breaks.
  private static let bytesOfChunk = 16

  private(set) var byteCount = 0
  /// What the chunks that were read may take.
  private(set) var allowance = 0

  mutating func recordInput(_ count: Int) {
    byteCount += count
  }

  /// - Parameter count: About the bytes of the head: how many spaces it has is not known.
  mutating func recordHead(_ count: Int) {
    byteCount = max(0, byteCount - count)
  }

  mutating func recordBody(_ count: Int) {
    byteCount = max(0, byteCount - count)
    allowance += Self.bytesOfChunk
  }

  mutating func recordEnd() {
    self = ParserOverhead()
  }
}

extension RequestError {
  /// Says in plain words what the parser could not read; nil for an error that is not the parser's.
  init?(parser error: any Error) {
    guard let error = error as? HTTPParserError else { return nil }
    switch error {
    case .headerOverflow:
      self.init(.headTooLarge, "The request's line and fields are too large.")
    case .invalidVersion:
      self.init(.malformed, "The request line does not end with the HTTP version 1.1 or 1.0.")
    case .invalidContentLength, .unexpectedContentLength:
      self.init(.malformed, "The Content-Length is not one number of bytes, or stands beside Transfer-Encoding.")
    case .invalidChunkSize:
      self.init(.malformed, "The chunked body is not valid.")
    case .invalidHeaderToken:
      self.init(.malformed, "A header field is not valid.")
    case .invalidEOFState, .closedConnection:
      self.init(.malformed, "The request ended before it was complete.")
    // The list of errors is NIO's.
    default:
      self.init(.malformed, "This is not a valid HTTP request.")
    }
  }
}
