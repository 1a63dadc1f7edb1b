import NIOCore

/// The answer that is being sent piece by piece.
struct StreamState {
  var isChunked = false
  var closes = false
  /// The bytes that may still go out, when the application wished the answer cut short.
  var remaining: Int?
  /// Kept when the client has taken what was sent; the stream waits for it.
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
  func start(_ chunks: AsyncStream<[UInt8]>, isChunked: Bool, limit: Int?, closes: Bool) {
    guard let loop = context?.eventLoop else { return }
    stream.isChunked = isChunked
    stream.closes = closes
    stream.remaining = limit
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
          // The connection is gone, and with it whom the stream was for.
        }
      })
  }

  /// Sends one piece.
  ///
  /// - Returns: Kept when the client can take the next; failed when there is no client any more.
  private func sendChunk(_ chunk: [UInt8], on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard let context, case .streaming = output else { return loop.makeFailedFuture(ChannelError.alreadyClosed) }
    let bytes = chunk.prefix(stream.remaining ?? chunk.count)
    if stream.isChunked {
      ResponseWriter.writeChunk(bytes, to: &outbound)
    } else {
      outbound.writeBytes(bytes)
    }
    if let remaining = stream.remaining {
      stream.remaining = remaining - bytes.count
      if remaining == bytes.count {
        closeAfterFlush(lingers: false)
        return loop.makeFailedFuture(ChannelError.alreadyClosed)
      }
    }
    flush()
    updatePatience()
    return context.channel.isWritable ? loop.makeSucceededVoidFuture() : stream.pause(on: loop)
  }

  private func endStream() {
    guard case .streaming = output else { return }
    output = .ready
    let isCutShort = stream.remaining != nil
    if stream.isChunked, !isCutShort { outbound.writeStaticString("0\r\n\r\n") }
    if stream.closes || isCutShort { return closeAfterFlush(lingers: false) }
    sendReady()
    readMore()
  }
}
