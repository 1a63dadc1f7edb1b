import HTTPTypes
import JSONDatabase
import NIOConcurrencyHelpers
import NIOCore

extension HTTPConnection {
  /// Passes what is written to the channel.
  func flush() {
    guard let context, outbound.readableBytes > 0 else { return }
    let bytes = outbound
    outbound = ByteBuffer()
    // Wrapped here: NIO's own wrapping determines the type at run time.
    context.writeAndFlush(NIOAny(bytes), promise: nil)
    connections.buffers.put(bytes)
  }

  /// Writes a response whose turn has come.
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

  /// Keeps reading only to notice that the client disconnects.
  private func fallSilent() {
    flush()
    output = .silent
    reader.stop()
    releaseRequests()
  }
}

extension PreparedResponse {
  /// Whether the connection serves nothing after this response: what came after it does not begin (RFC 9112, section
  /// 9.6).
  var isLast: Bool { delivery != .normal || asksToClose }

  /// Whether the application wants the connection to end with this response.
  fileprivate var asksToClose: Bool {
    commonFields == nil && headerFields.first(.connection)?.lowercased() == "close"
  }
}

/// The response that is being sent piece by piece.
struct StreamState {
  var isChunked = false
  /// Whether the connection ends with the stream.
  var closes = false
  /// Whether what the client goes on sending is read for a while then, so that it gets the whole response.
  var lingers = false
  /// Whether its length is unknown.
  var isEndless = false
  /// Whether the application asked for the response to be cut short.
  var isCutShort = false
  /// The bytes that may still go out, when their number is known.
  var remaining: Int?
  /// Succeeds when the client has taken what was sent; the stream waits for it.
  private var writable: EventLoopPromise<Void>?

  /// Waits until the channel takes more.
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
  /// Sends a stream's pieces as they come, the next only when the client takes it.
  ///
  /// The task belongs to the connection: it is cancelled when the connection ends, which ends the stream.
  ///
  /// - Parameters:
  ///   - length: The number of bytes that was announced to the client.
  ///   - limit: The number of bytes after which the application asked for the response to be cut short.
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
          // The connection is gone, and the stream is not needed any more.
        }
      })
  }

  /// Sends one piece.
  ///
  /// - Returns: A future that succeeds when the client can take the next one, and fails when the client is gone.
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
      // What else the stream may bring is not needed.
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
    // Only the connection's end shows the client that bytes are missing.
    if stream.closes || !isWhole { return closeAfterFlush(lingers: false) }
    sendReady()
    readMore()
  }
}

/// The body that is being sent in slices, which a worker thread makes one ahead of the client.
struct SliceState {
  let producer: SliceProducer
  /// The slice for which the client is not ready.
  var waiting: (bytes: ByteBuffer, isLast: Bool)?
}

extension HTTPConnection {
  /// About the bytes of the first slice, which the client gets soon.
  private static let firstSliceSize = 32 * 1024
  /// About the bytes of a slice: a connection holds two of them at most, and the loop writes one without a pause.
  private static let sliceSize = 256 * 1024

  /// Sends a body slice by slice, the next only when the client takes it.
  ///
  /// The version of the data that the body shows is given up with its last slice, or with the connection.
  func start(_ body: SlicedBody, isChunked: Bool, closes: Bool, lingers: Bool) {
    stream = StreamState()
    stream.isChunked = isChunked
    stream.closes = closes
    stream.lingers = lingers
    let producer = SliceProducer(body, isChunked: isChunked)
    output = .slicing(SliceState(producer: producer))
    // What it shows of each record may be little of much: not even the first slice is made here.
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

  /// Sends the slice that waits for the client, now that it takes more.
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
    /// The memory of the slice before, for the next one.
    var scratch: [UInt8] = []
  }

  private enum State {
    case waiting(Progress)
    /// A slice is being made, by the owner of the progress.
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

  /// Makes the next slice, once the one before is there.
  ///
  /// - Parameter count: About its size; a value is not divided unless it is large.
  /// - Returns: The bytes to send, and whether they are the last; `nil` when nobody wants them any more.
  func next(_ count: Int) -> (bytes: ByteBuffer, isLast: Bool)? {
    guard var current = take() else { return nil }
    current.scratch.removeAll(keepingCapacity: true)
    current.cursor.append(toCount: count, to: &current.scratch)
    if current.body.isScript {
      // What is escaped has three bytes, of which a slice has all or none.
      while current.scratch.suffix(2).contains(0xE2), !current.cursor.isAtEnd {
        current.cursor.append(toCount: current.scratch.count + 1, to: &current.scratch)
      }
      current.scratch = JSONP.escaped(current.scratch)
    }
    let isLast = current.cursor.isAtEnd
    let bytes = framed(current.scratch, isLast: isLast)
    return put(isLast ? .ended : .waiting(current)) ? (bytes, isLast) : nil
  }

  /// Takes the progress out while it changes: the change does not copy it, and nobody waits for it.
  private func take() -> Progress? {
    state.withLockedValue { state in
      guard case .waiting(let progress) = state else { return nil }
      state = .making
      return progress
    }
  }

  /// - Returns: Whether somebody wants the slice still.
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

  /// Gives the version of the data up, at once or when the slice that is being made is there.
  func cancel() {
    state.withLockedValue { $0 = .ended }
  }
}
