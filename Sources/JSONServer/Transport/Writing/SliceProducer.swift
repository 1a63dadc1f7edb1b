import JSONDatabase
import NIOConcurrencyHelpers
import NIOCore

/// Makes the slices of a body one after the other, on any thread.
final class SliceProducer: Sendable {
  private struct State {
    let body: SlicedBody
    var cursor: SliceCursor
    /// The memory of the slice before, for the next one.
    var scratch: [UInt8] = []
  }

  private let state: NIOLockedValueBox<State?>
  private let isChunked: Bool

  /// - Parameter isChunked: Whether each slice is a chunk (RFC 9112, section 7.1).
  init(_ body: SlicedBody, isChunked: Bool) {
    state = NIOLockedValueBox(State(body: body, cursor: SliceCursor(body.text)))
    self.isChunked = isChunked
  }

  /// Makes the next slice.
  ///
  /// - Parameter count: About its size; a value is not divided unless it is large.
  /// - Returns: The bytes to send, and whether they are the last; `nil` when nobody wants them any more.
  func next(_ count: Int) -> (bytes: ByteBuffer, isLast: Bool)? {
    state.withLockedValue { state in
      guard var current = state else { return nil }
      // Taken out while it changes, so that the change does not copy it.
      state = nil
      current.scratch.removeAll(keepingCapacity: true)
      current.cursor.append(toCount: count, to: &current.scratch)
      let isLast = current.cursor.isAtEnd
      let bytes = framed(current.scratch, isLast: isLast)
      if !isLast { state = current }
      return (bytes, isLast)
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

  /// Gives the version of the data up.
  func cancel() {
    state.withLockedValue { $0 = nil }
  }
}
