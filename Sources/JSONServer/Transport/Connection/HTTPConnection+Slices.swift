import NIOCore

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
