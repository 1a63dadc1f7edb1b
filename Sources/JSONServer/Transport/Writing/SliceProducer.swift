import JSONDatabase
import NIOConcurrencyHelpers
import NIOCore

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
    /// A slice is being made, by whoever has the progress.
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
