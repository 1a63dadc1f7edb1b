import NIOCore

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
