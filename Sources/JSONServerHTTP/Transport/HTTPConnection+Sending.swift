import HTTPTypes
import JSONDatabase
import NIOCore

extension HTTPConnection {
  /// Passes the written bytes to the channel.
  ///
  /// - Parameter promise: Succeeds when they are written, also if there are none.
  func flush(promise: EventLoopPromise<Void>? = nil) {
    guard let context, outbound.readableBytes > 0 || promise != nil else { return }
    let bytes = outbound
    outbound = ByteBuffer()
    // Wrapped here: NIO's own wrapping determines the type at run time.
    context.writeAndFlush(NIOAny(bytes), promise: promise)
    connections.buffers.put(bytes)
  }

  /// Writes the response whose turn has come.
  func send(_ response: PreparedResponse, _ form: ResponseForm) {
    var closes = !form.keepsConnection || isIdle && isEnding || response.asksToClose
    let framing = ResponseWriter.framing(of: response, form: form)
    if framing == .untilClose { closes = true }
    var bodyLimit: Int?
    switch response.delivery {
    case .normal: break
    case .hang: return fallSilent()
    case .reset, .lost:
      if responses.poppedCount > 1 { writeBeginning(of: response, form) }
      return reset()
    case .truncated(let limit): bodyLimit = max(0, limit)
    }
    if outbound.capacity == 0 { outbound = connections.buffers.take() }
    connections.writer.writeHead(of: response, framing: framing, form: form, closes: closes, to: &outbound)
    let hasBody = !form.isHeadOnly && framing != .none && response.status != .notModified
    let lingers = form.isRefusal || form.keepsConnection
    func stream(length: Int?) -> StreamState {
      StreamState(
        isChunked: framing == .chunked, closes: closes, lingers: lingers, isCutShort: bodyLimit != nil,
        remaining: [length, bodyLimit].compactMap(\.self).min())
    }
    switch response.body {
    case .bytes(let bytes)
    where hasBody && (bytes.count > PreparedResponse.largestWhole || response.bytesPerSecond != nil):
      return start(
        SlicedBody(SlicedText([.bytes(bytes)])), stream(length: bytes.count), at: response.bytesPerSecond)
    case .bytes(let bytes) where hasBody:
      outbound.writeBytes(bytes.prefix(bodyLimit ?? bytes.count))
      if bodyLimit != nil { closes = true }
    case .stream(let chunks, let length) where hasBody:
      return start(
        chunks, stream(length: length.map { max($0, 0) }), at: response.bytesPerSecond, isEndless: length == nil)
    case .slices(let body) where hasBody:
      return start(body, stream(length: nil), at: response.bytesPerSecond)
    case .events(let list) where hasBody:
      return start(list.pieces, stream(length: nil), at: response.bytesPerSecond, isEndless: true)
    case .bytes, .stream, .slices, .events: break
    }
    if closes { closeAfterFlush(lingers: lingers) }
  }

  /// Writes the head of a response that a reset ends: on a connection that had responses before, a client takes a reset
  /// without any byte for a connection that was idle for too long, and repeats the request by itself (RFC 9112, section
  /// 9.3.1).
  private func writeBeginning(of response: PreparedResponse, _ form: ResponseForm) {
    connections.writer.writeHead(
      of: response, framing: .length(max(response.bytes.count, 1)), form: form, closes: true, to: &outbound)
  }

  /// Continues reading only to notice when the client disconnects.
  private func fallSilent() {
    flush()
    state.report(.silenced)
    stopReading()
    releaseRequests()
  }
}

extension PreparedResponse {
  /// Whether this must be the last response on the connection; later requests do not begin (RFC 9112, section 9.6).
  var isLast: Bool { delivery != .normal || asksToClose }

  /// Whether the application wants the connection to end with this response.
  fileprivate var asksToClose: Bool {
    commonFields == nil && headerFields.first(.connection)?.lowercased() == "close"
  }
}

/// The state of a response that is sent in pieces.
struct StreamState {
  var isChunked = false
  /// Whether the connection closes after the stream.
  var closes = false
  /// Whether to read and drop further input for a while before closing, so that the client gets the whole response.
  var lingers = false
  /// Whether a fault cuts the response short.
  var isCutShort = false
  /// The number of bytes that may still be sent; `nil` for no limit.
  var remaining: Int?
  /// Sends the pieces as they arrive.
  var task: Task<Void, Never>?
  /// Makes the slices of a plain body; `nil` for pieces that come from elsewhere.
  var maker: SliceMaker?
  /// The memory of the last slice, for the next one.
  var memory = ByteBuffer()
  /// Succeeds when the client has read the sent bytes, and the channel accepts more; the stream waits for it.
  var writable: EventLoopPromise<Void>?
}

extension HTTPConnection {
  /// The slices that are sent without a pause: they take a fraction of a millisecond.
  private static let slicesOfTurn = 4

  /// Sends the slices of a body.
  private func start(_ body: SlicedBody, _ stream: StreamState, at bytesPerSecond: Int?) {
    guard bytesPerSecond == nil, body.isPlain else { return start(body.slices, stream, at: bytesPerSecond) }
    self.stream = stream
    self.stream.maker = SliceMaker(body)
    flush()
    state.report(.streamBegan(isEndless: false))
    sendSlices()
  }

  /// Sends the next slices, and then goes on when the client has read and other connections have had their turn.
  func sendSlices() {
    for _ in 0..<Self.slicesOfTurn {
      guard sendSlice() else { return endStream() }
      if context?.channel.isWritable != true { break }
    }
    guard let context else { return }
    updateTimeouts()
    let loop = context.eventLoop
    let writable = loop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: loop)
    writable.futureResult.whenSuccess { connection.value.connections.sendSlicesSoon(of: connection.value, on: loop) }
    if context.channel.isWritable { writable.succeed() } else { stream.writable = writable }
  }

  /// Makes and sends the next slice.
  ///
  /// No slice is made before the client has read the one before, and nearly all have one memory: bytes that stay in a
  /// processor's cache are made and sent in a fraction of the time.
  ///
  /// - Returns: Whether there is another one.
  private func sendSlice() -> Bool {
    guard let context, state.isStreaming else { return false }
    var slice = stream.memory
    stream.memory = ByteBuffer()
    // The channel may still have a part of the last slice.
    if slice.modifyIfUniquelyOwned({ $0.clear() }) == nil { slice = ByteBuffer() }
    slice.reserveCapacity(SliceMaker.capacity)
    if stream.isChunked { slice.moveWriterIndex(to: ResponseWriter.chunkHeadBound) }
    var count = stream.maker?.appendNext(to: &slice) ?? 0
    guard count > 0 else { return false }
    if let remaining = stream.remaining, remaining < count {
      slice.moveWriterIndex(to: slice.writerIndex - (count - remaining))
      count = remaining
    }
    stream.remaining? -= count
    if stream.isChunked { ResponseWriter.frameChunk(of: count, in: &slice) }
    context.writeAndFlush(NIOAny(slice), promise: nil)
    stream.memory = slice
    return stream.remaining != 0
  }

  /// Sends the pieces of a body as they arrive; waits before each piece until the client has read. The next piece is made
  /// meanwhile.
  ///
  /// The task belongs to the connection: when the connection ends, the task is canceled, which ends the stream.
  private func start(
    _ chunks: AsyncStream<[UInt8]>, _ stream: StreamState, at bytesPerSecond: Int?, isEndless: Bool = false
  ) {
    guard let loop = context?.eventLoop else { return }
    let chunks = bytesPerSecond.map(chunks.paced) ?? chunks
    self.stream = stream
    flush()
    state.report(.streamBegan(isEndless: isEndless))
    let connection = NIOLoopBound(self, eventLoop: loop)
    self.stream.task = Task {
      do {
        var pieces = chunks.makeAsyncIterator()
        var next = await pieces.next()
        while let piece = next {
          let sent = loop.flatSubmit { connection.value.sendChunk(piece, on: loop) }
          next = await pieces.next()
          try await sent.get()
        }
        loop.execute { connection.value.endStream() }
      } catch {
        // The connection has closed, and the stream is not needed any more.
      }
    }
  }

  /// Sends one piece.
  ///
  /// - Returns: A future that succeeds when the client can take the next piece, and fails when the client has
  ///   disconnected.
  private func sendChunk(_ chunk: [UInt8], on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard let context, state.isStreaming else { return loop.makeFailedFuture(ChannelError.alreadyClosed) }
    let bytes = chunk.prefix(stream.remaining ?? chunk.count)
    if stream.isChunked {
      ResponseWriter.writeChunk(bytes, to: &outbound)
    } else {
      outbound.writeBytes(bytes)
    }
    stream.remaining? -= bytes.count
    if stream.remaining == 0 {
      // The rest of the stream is not needed.
      endStream()
      return loop.makeFailedFuture(ChannelError.alreadyClosed)
    }
    flush()
    updateTimeouts()
    guard !context.channel.isWritable else { return loop.makeSucceededVoidFuture() }
    let writable = loop.makePromise(of: Void.self)
    stream.writable = writable
    return writable.futureResult
  }

  private func endStream() {
    guard state.isStreaming else { return }
    stream.task?.cancel()
    (stream.maker, stream.memory) = (nil, ByteBuffer())
    state.report(.streamEnded)
    let isWhole = !stream.isCutShort && stream.remaining ?? 0 == 0
    if stream.isChunked, isWhole { outbound.writeStaticString("0\r\n\r\n") }
    // Only the end of the connection shows the client that bytes are missing.
    if stream.closes || !isWhole { return closeAfterFlush(lingers: stream.lingers) }
    sendReady()
    readMore()
  }
}
