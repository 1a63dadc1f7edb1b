import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads an input on a queue of its own, until its end or until nobody has the reader any more.
///
/// Not by a dispatch source: on Linux one whose pipe has ended already can end the process, when it is cancelled while
/// Dispatch's own thread is told of the end once more.
final class InputReader {
  /// Ends the reading when it is closed.
  private let end: Int32

  /// Begins to read; `nil` when the process has no descriptors left.
  ///
  /// - Parameters:
  ///   - descriptor: The input. It stays open.
  ///   - onInput: Called on the queue each time more was read. It removes what it understood; the rest comes again with
  ///     the next.
  init?(of descriptor: Int32 = STDIN_FILENO, onInput: @escaping @Sendable (inout [UInt8]) -> Void) {
    guard let ends = PipeEnds() else { return nil }
    end = ends.writing
    DispatchQueue(label: "input").async {
      defer { close(ends.reading) }
      var input: [UInt8] = []
      while Self.wait(for: descriptor, until: ends.reading) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
          count = max(read(descriptor, buffer.baseAddress, 4096), 0)
        }
        if bytes.isEmpty { return }
        input += bytes
        onInput(&input)
      }
    }
  }

  deinit {
    close(end)
  }

  /// Waits until there is something to read, or the input has ended. Blocks.
  ///
  /// - Parameter end: A pipe whose other end is closed when nobody wants the input any more.
  /// - Returns: Whether somebody does.
  private static func wait(for descriptor: Int32, until end: Int32) -> Bool {
    var files = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&files, nfds_t(files.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return files[1].revents == 0
  }
}
