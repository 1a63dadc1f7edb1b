import HTTPTypes
import JSONServerValues
import NIOCore
import NIOHTTP1

/// Assembles the requests of one connection from the parts that the parser returns.
struct RequestReader {
  private enum State {
    case betweenRequests
    case inRequest(RequestHead)
    /// The last request was read, or one was refused; further input is dropped.
    case stopped
  }

  /// The largest head that is kept for later requests; thousands of connections may be idle.
  private static let keptHeadBytes = 1024
  /// The bytes of a chunk in addition to its data: its size in a sensible number of digits, and two line breaks.
  private static let bytesOfChunk = 16

  private let limits: Limits
  private var state = State.betweenRequests
  /// Whether the parser may hold a part of the next request, since a head came in pieces, a body in chunks, or more than
  /// the body's end in one piece. The parser does not report how much it has read, so it then reads all further input.
  private var mayHoldHead = false
  /// The bytes of the body that the parser has read.
  private var bodyBytes = 0
  /// The bytes that the parser has read and that are not part of the request: the framing of chunks, trailers, and
  /// skipped bytes.
  private var overheadBytes = 0
  /// The sizes of the chunks so far; `nil` when the body may have begun in the same piece as its head.
  private var chunks: ChunkSizes?
  /// The bytes that the framing of the chunks so far may have.
  private var framingAllowance = 0
  /// The head of the last request, which the next request usually has, too.
  private var knownHead: RequestHeadCache?
  /// The head in the last piece.
  private var lastHead: RequestHead?
  /// The request whose head was refused, if it can be told.
  private var refused: Request?
  private var body: [UInt8] = []
  /// The decompression of the body; `nil` for an uncompressed body.
  private var decompression: Decompression?
  /// Whether the request being read gets a response without a body.
  private(set) var isHeadOnly = false
  /// Whether the parser stopped after the last request, which requested an upgrade.
  private(set) var hasStoppedParser = false
  /// Whether there was input after the last request.
  private(set) var hasDroppedInput = false

  init(limits: Limits) {
    self.limits = limits
  }

  /// The request that is being read, or whose head was refused, without its body.
  var partialRequest: Request? {
    if case .inRequest(let head) = state { head.request } else { refused }
  }

  var isStopped: Bool {
    if case .stopped = state { true } else { false }
  }

  /// Reads a head.
  ///
  /// - Returns: Whether the client waits for permission to send the body.
  /// - Throws: The error with which the request is refused.
  mutating func begin(_ line: HTTPRequestHead) throws(RequestError) -> Bool {
    guard case .betweenRequests = state else {
      drop()
      return false
    }
    isHeadOnly = line.method == .HEAD
    let head: RequestHead
    do throws(RequestError) {
      head = try RequestHead(line, limits: limits)
    } catch {
      refused = Request(refused: line, limits: limits)
      throw error
    }
    lastHead = head
    bodyBytes = 0
    // The approximate size of the head: the number of its spaces is not known.
    let headBytes = head.request.target.utf8.count + head.fieldBytes + line.method.rawValue.utf8.count + 14
    overheadBytes = max(0, overheadBytes - headBytes)
    if case .length(let length) = head.framing { body.reserveCapacity(min(length, 1 << 20)) }
    decompression = head.coding.map(Decompression.init)
    state = .inRequest(head)
    return head.expectsContinue
  }

  /// Reads a piece of the body.
  mutating func append(_ bytes: ByteBuffer) throws(RequestError) {
    guard case .inRequest = state else { return drop() }
    bodyBytes += bytes.readableBytes
    overheadBytes = max(0, overheadBytes - bytes.readableBytes)
    framingAllowance += Self.bytesOfChunk
    if let decompression {
      return try decompression.append(Array(bytes.readableBytesView), to: &body, limits: limits)
    }
    guard body.count + bytes.readableBytes <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    body.append(contentsOf: bytes.readableBytesView)
  }

  /// Reads a request's end.
  ///
  /// - Returns: The request and the form of its response; `nil` when reading has stopped.
  /// - Throws: The error with which the request is refused, for invalid trailers.
  mutating func end(_ trailers: HTTPHeaders?) throws(RequestError) -> (request: Request, form: ResponseForm)? {
    try decompression?.finish()
    guard case .inRequest(let head) = state else { return nil }
    if let trailers { try head.check(trailers: trailers, limits: limits) }
    state = head.form.keepsConnection ? .betweenRequests : .stopped
    isHeadOnly = false
    hasStoppedParser = head.stopsParser
    (overheadBytes, framingAllowance) = (0, 0)
    decompression = nil
    var request = head.request
    if !body.isEmpty {
      request.bytes = body
      body = []
    }
    return (request, head.form)
  }

  /// Records input that is not read any more.
  mutating func drop() {
    hasDroppedInput = true
  }

  /// Drops all further input.
  mutating func stop() {
    state = .stopped
    body = []
    decompression = nil
    lastHead = nil
    refused = nil
  }

  // MARK: What the parser reads

  /// Takes the parser's next piece from the input.
  ///
  /// A head is read by itself, and a chunked body in small pieces, so that bytes that the parser skips are counted for
  /// their request.
  mutating func takePiece(of input: inout ByteBuffer) -> ByteBuffer? {
    guard input.readableBytes > 0 else { return nil }
    var length = input.readableBytes
    switch state {
    case .betweenRequests:
      chunks = nil
      if let end = input.endOfHead {
        length = end
        chunks = ChunkSizes()
      } else {
        mayHoldHead = true
      }
    case .inRequest(let head):
      switch head.framing {
      case .none: break
      case .length(let count): if length > count - bodyBytes { mayHoldHead = true }
      case .chunked:
        length = min(length, max(limits.maximumHeadBytes / 4, 64))
        mayHoldHead = true
        chunks?.read(input.readableBytesView.prefix(length))
      }
    case .stopped: break
    }
    hasStoppedParser = false
    overheadBytes += length
    return input.readSlice(length: length)
  }

  /// Checks how much of the input became part of the request.
  ///
  /// - Throws: 431 when the client has sent too many bytes that are not part of a request, and 413 when a chunk of the body
  ///   will make it too large.
  func checkOverhead() throws(RequestError) {
    switch state {
    case .betweenRequests:
      // The parser has limits of its own, and reports the error of a head more precisely.
      guard overheadBytes <= 2 * RequestParser.maximumHeadBytes else {
        throw RequestError(.headTooLarge, "The request's line and fields are too large.")
      }
    case .inRequest:
      if let chunks, chunks.total > limits.maximumBodyBytes { throw .bodyTooLarge(limits) }
      guard overheadBytes <= limits.maximumHeadBytes + framingAllowance else {
        throw RequestError(
          .headTooLarge,
          "The extensions of the request's chunks, and its trailers, are larger than \(limits.maximumHeadBytes) bytes.")
      }
    case .stopped: break
    }
  }

  // MARK: Repeated heads

  /// Takes the next request from the input without the parser, if it has the last head.
  ///
  /// - Returns: The request and the form of its response; `nil` when the parser must read the rest.
  mutating func takeKnownRequest(from input: inout ByteBuffer) -> (request: Request, form: ResponseForm)? {
    guard let knownHead, case .betweenRequests = state, !mayHoldHead else { return nil }
    return knownHead.takeRequest(from: &input, limits: limits)
  }

  /// Keeps the head that the parser has read, if its last piece had nothing else.
  mutating func keepHead(of piece: ByteBuffer) {
    defer { self.lastHead = nil }
    guard let lastHead, case .betweenRequests = state, !mayHoldHead else { return }
    let isSmall = piece.readableBytes <= Self.keptHeadBytes
    knownHead = isSmall ? RequestHeadCache(piece, meaning: lastHead) : nil
  }
}

/// Adds up the sizes of a body's chunks (RFC 9112, section 7.1), since the parser reports a chunk only with its bytes.
struct ChunkSizes {
  private enum State {
    /// In the digits of a size.
    case size(Int)
    /// After the digits: in an extension, or before the line break.
    case sizeEnd(Int)
    /// Before so many bytes of a chunk.
    case data(Int)
    /// Before the line break after a chunk.
    case dataEnd
    /// After the last chunk.
    case end
  }

  private var state = State.size(0)
  /// The sizes of all chunks whose heads were read.
  private(set) var total = 0

  mutating func read(_ bytes: ByteBufferView) {
    var rest = bytes
    while let byte = rest.first {
      switch state {
      case .data(let count):
        let read = min(count, rest.count)
        rest = rest.dropFirst(read)
        state = read == count ? .dataEnd : .data(count - read)
        continue
      case .dataEnd: if byte == UInt8(ascii: "\n") { state = .size(0) }
      case .size(let size), .sizeEnd(let size):
        if byte == UInt8(ascii: "\n") {
          total = total.addingReportingOverflow(size).overflow ? .max : total + size
          state = size == 0 ? .end : .data(size)
        } else if case .size = state, let digit = JSONSyntax.hexadecimalValue(byte) {
          state = .size(size > Int.max >> 5 ? size : size << 4 | Int(digit))
        } else {
          state = .sizeEnd(size)
        }
      case .end: return
      }
      rest = rest.dropFirst()
    }
  }
}

/// Reads requests with NIO's parser, and also checks the bytes that the parser skips.
///
/// The parser stops after a request for an upgrade; a new parser reads on. Skipped bytes, such as the extensions of
/// chunks, are counted (RFC 9112, section 7.1.1).
final class RequestParser: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = HTTPServerRequestPart

  /// The parser's own limit, far above the server's limits, which distinguish 414 from 431 and are checked later.
  static let maximumHeadBytes = 128 * 1024

  private let connection: HTTPConnection
  private var decoder = RequestParser.makeDecoder()
  /// The bytes of an unfinished element in the parser.
  private var held = ByteBuffer()

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
    while !connection.reader.isStopped, var piece = connection.reader.takePiece(of: &input) {
      if held.readableBytes == 0 { held = piece } else { held.writeBuffer(&piece) }
      do {
        _ = try decoder.decode(context: context, buffer: &held)
        if connection.reader.hasStoppedParser { input = replaceDecoder(context, before: input) }
        try connection.reader.checkOverhead()
        connection.reader.keepHead(of: piece)
      } catch let error as RequestError {
        connection.refuse(error)
      } catch {
        context.fireErrorCaught(error)
      }
    }
    if input.readableBytes > 0 { connection.reader.drop() }
  }

  /// Replaces a parser that has stopped.
  ///
  /// - Returns: The input for the new parser.
  private func replaceDecoder(_ context: ChannelHandlerContext, before input: ByteBuffer) -> ByteBuffer {
    decoder.decoderRemoved(context: context)
    decoder = Self.makeDecoder()
    decoder.decoderAdded(context: context)
    defer { held = ByteBuffer() }
    return held.readableBytes == 0 ? input : ByteBuffer(bytes: [held, input].flatMap(\.readableBytesView))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, !connection.reader.isStopped {
      do {
        _ = try decoder.decodeLast(context: context, buffer: &held, seenEOF: true)
      } catch {
        context.fireErrorCaught(error)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

extension RequestError {
  /// Explains the parser's error; `nil` for another error.
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
    // NIO may add errors.
    default:
      self.init(.malformed, "This is not a valid HTTP request.")
    }
  }
}
