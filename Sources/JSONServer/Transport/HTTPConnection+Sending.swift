import HTTPTypes
import JSONDatabase
import NIOConcurrencyHelpers
import NIOCore

extension HTTPConnection {
  /// Passes the written bytes to the channel.
  func flush() {
    guard let context, outbound.readableBytes > 0 else { return }
    let bytes = outbound
    outbound = ByteBuffer()
    // Wrapped here: NIO's own wrapping determines the type at run time.
    context.writeAndFlush(NIOAny(bytes), promise: nil)
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
    case .reset: return reset()
    case .truncated(let limit): bodyLimit = max(0, limit)
    }
    if outbound.capacity == 0 { outbound = connections.buffers.take() }
    connections.writer.writeHead(of: response, framing: framing, form: form, closes: closes, to: &outbound)
    let hasBody = !form.isHeadOnly && framing != .none && response.status != .notModified
    let lingers = form.isRefusal || form.keepsConnection
    switch response.body {
    case .bytes(let bytes) where hasBody && bodyLimit == nil && bytes.count > PreparedResponse.largestWhole:
      return start(SlicedBody(SlicedText([.bytes(bytes)])), isChunked: false, closes: closes, lingers: lingers)
    case .bytes(let bytes) where hasBody:
      outbound.writeBytes(bytes.prefix(bodyLimit ?? bytes.count))
      if bodyLimit != nil { closes = true }
    case .stream(let chunks, let length) where hasBody:
      return start(
        chunks, length: length.map { max($0, 0) }, isChunked: framing == .chunked, limit: bodyLimit, closes: closes)
    case .slices(let body) where hasBody:
      return start(body, isChunked: framing == .chunked, closes: closes, lingers: lingers)
    case .bytes, .stream, .slices: break
    }
    if closes { closeAfterFlush(lingers: lingers) }
  }

  /// Continues reading only to notice when the client disconnects.
  private func fallSilent() {
    flush()
    output = .silent
    reader.stop()
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
  /// Whether the length is unknown.
  var isEndless = false
  /// Whether a fault cuts the response short.
  var isCutShort = false
  /// The number of bytes that may still be sent; `nil` for no limit.
  var remaining: Int?
  /// Succeeds when the client has read the sent bytes; the stream waits for it.
  private var writable: EventLoopPromise<Void>?

  /// Waits until the channel accepts more.
  mutating func pause(on loop: any EventLoop) -> EventLoopFuture<Void> {
    let promise = writable ?? loop.makePromise()
    writable = promise
    return promise.futureResult
  }

  mutating func resume() {
    writable?.succeed()
    writable = nil
  }

  mutating func abandon() {
    writable?.fail(ChannelError.alreadyClosed)
    writable = nil
  }
}

extension HTTPConnection {
  /// Sends the pieces of a stream as they arrive; waits before each piece until the client has read.
  ///
  /// The task belongs to the connection: when the connection ends, the task is canceled, which ends the stream.
  ///
  /// - Parameters:
  ///   - length: The number of bytes in the head's `Content-Length`.
  ///   - limit: The number of bytes after which a fault cuts the response short.
  func start(_ chunks: AsyncStream<[UInt8]>, length: Int?, isChunked: Bool, limit: Int?, closes: Bool) {
    guard let loop = context?.eventLoop else { return }
    stream.isChunked = isChunked
    stream.closes = closes
    stream.isEndless = length == nil
    stream.isCutShort = limit != nil
    stream.remaining = [length, limit].compactMap(\.self).min()
    flush()
    let connection = NIOLoopBound(self, eventLoop: loop)
    output = .streaming(
      Task {
        do {
          for await chunk in chunks {
            try await loop.flatSubmit { connection.value.sendChunk(chunk, on: loop) }.get()
          }
          loop.execute { connection.value.endStream() }
        } catch {
          // The connection has closed, and the stream is not needed any more.
        }
      })
  }

  /// Sends one piece.
  ///
  /// - Returns: A future that succeeds when the client can take the next piece, and fails when the client has
  ///   disconnected.
  private func sendChunk(_ chunk: [UInt8], on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard let context, case .streaming = output else { return loop.makeFailedFuture(ChannelError.alreadyClosed) }
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
    return context.channel.isWritable ? loop.makeSucceededVoidFuture() : stream.pause(on: loop)
  }

  private func endStream() {
    guard case .streaming = output else { return }
    output = .ready
    let isWhole = !stream.isCutShort && stream.remaining ?? 0 == 0
    if stream.isChunked, isWhole { outbound.writeStaticString("0\r\n\r\n") }
    // Only the end of the connection shows the client that bytes are missing.
    if stream.closes || !isWhole { return closeAfterFlush(lingers: false) }
    sendReady()
    readMore()
  }
}

/// The state of a body that is sent in slices. A worker thread makes the next slice while the client reads.
struct SliceState {
  let producer: SliceProducer
  /// The slice for which the client is not ready yet.
  var waiting: (bytes: ByteBuffer, isLast: Bool)?
}

extension HTTPConnection {
  /// The approximate size of the first slice, which the client gets quickly.
  private static let firstSliceSize = 32 * 1024
  /// The approximate size of the other slices: a connection holds at most two, and the event loop writes one without a
  /// pause.
  private static let sliceSize = 256 * 1024

  /// Sends a body slice by slice; waits before each slice until the client has read.
  ///
  /// The body's version of the data is released with the last slice, or with the connection.
  func start(_ body: SlicedBody, isChunked: Bool, closes: Bool, lingers: Bool) {
    stream = StreamState()
    stream.isChunked = isChunked
    stream.closes = closes
    stream.lingers = lingers
    let producer = SliceProducer(body, isChunked: isChunked)
    output = .slicing(SliceState(producer: producer))
    // Not even the first slice is made on the event loop: a small slice may need many records.
    makeNext(Self.firstSliceSize, by: producer)
  }

  private func makeNext(_ count: Int, by producer: SliceProducer) {
    guard let context else { return }
    let (connection, loop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
    WorkerThreads.slices.run {
      guard let next = producer.next(count) else { return }
      loop.execute { connection.value.receive(next, of: producer) }
    }
  }

  private func send(_ slice: (bytes: ByteBuffer, isLast: Bool)) {
    guard case .slicing(let state) = output else { return }
    var bytes = slice.bytes
    outbound.writeBuffer(&bytes)
    if slice.isLast {
      output = .ready
      if stream.closes { return closeAfterFlush(lingers: stream.lingers) }
      sendReady()
      return readMore()
    }
    flush()
    updateTimeouts()
    makeNext(Self.sliceSize, by: state.producer)
  }

  private func receive(_ slice: (bytes: ByteBuffer, isLast: Bool), of producer: SliceProducer) {
    guard let context, case .slicing(var state) = output, state.producer === producer else { return }
    if context.channel.isWritable { return send(slice) }
    state.waiting = slice
    output = .slicing(state)
  }

  /// Sends the waiting slice when the client can take more.
  func resumeSlices() {
    guard case .slicing(var state) = output, let slice = state.waiting else { return }
    state.waiting = nil
    output = .slicing(state)
    send(slice)
  }
}

/// Makes the slices of a body one after the other, on any thread.
final class SliceProducer: Sendable {
  private struct Progress {
    let body: SlicedBody
    var cursor: SliceCursor
    /// The memory of the last slice, reused for the next one.
    var scratch: [UInt8] = []
  }

  private enum State {
    case waiting(Progress)
    /// The owner of the progress is making a slice.
    case making
    case ended
  }

  private let state: NIOLockedValueBox<State>
  private let isChunked: Bool

  /// - Parameter isChunked: Whether each slice is a chunk (RFC 9112, section 7.1).
  init(_ body: SlicedBody, isChunked: Bool) {
    state = NIOLockedValueBox(.waiting(Progress(body: body, cursor: SliceCursor(body.text))))
    self.isChunked = isChunked
  }

  /// Makes the next slice after the last one.
  ///
  /// - Parameter count: The approximate size; only a large value is divided.
  /// - Returns: The bytes to send, and whether they are the last; `nil` after ``cancel()``.
  func next(_ count: Int) -> (bytes: ByteBuffer, isLast: Bool)? {
    guard var current = take() else { return nil }
    current.scratch.removeAll(keepingCapacity: true)
    current.cursor.append(toCount: count, to: &current.scratch)
    if current.body.isScript {
      // A character that must be escaped has three bytes, which must be in one slice.
      while current.scratch.suffix(2).contains(0xE2), !current.cursor.isAtEnd {
        current.cursor.append(toCount: current.scratch.count + 1, to: &current.scratch)
      }
      current.scratch = JSONP.escaped(current.scratch)
    }
    let isLast = current.cursor.isAtEnd
    let bytes = framed(current.scratch, isLast: isLast)
    return put(isLast ? .ended : .waiting(current)) ? (bytes, isLast) : nil
  }

  /// Takes the progress out of the state while it changes: the change then copies nothing, and holds no lock.
  private func take() -> Progress? {
    state.withLockedValue { state in
      guard case .waiting(let progress) = state else { return nil }
      state = .making
      return progress
    }
  }

  /// - Returns: Whether the slice is still needed.
  private func put(_ next: State) -> Bool {
    state.withLockedValue { state in
      guard case .making = state else { return false }
      state = next
      return true
    }
  }

  private func framed(_ slice: [UInt8], isLast: Bool) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: slice.count + 32)
    guard isChunked else {
      buffer.writeBytes(slice)
      return buffer
    }
    ResponseWriter.writeChunk(slice, to: &buffer)
    if isLast { buffer.writeStaticString("0\r\n\r\n") }
    return buffer
  }

  /// Releases the version of the data, immediately or after the slice that is being made.
  func cancel() {
    state.withLockedValue { $0 = .ended }
  }
}
