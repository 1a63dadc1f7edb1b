#if PostgreSQL
  import JSONStorage
  import CPostgreSQL

  /// Wakes a thread that waits for a socket.
  final class Signal: Sendable {
    private let input: Int32
    private let output: Int32

    /// - Throws: ``StorageError`` when the process has no file descriptors left.
    init(_ address: DatabaseAddress) throws(StorageError) {
      var ends: [Int32] = [-1, -1]
      guard postgresql_make_signal(&ends) == 0 else {
        throw StorageError(.refused, "\(address.description): no file descriptors are left; allow more (ulimit -n).")
      }
      (input, output) = (ends[0], ends[1])
    }

    deinit {
      postgresql_close_signal(input, output)
    }

    func send() { postgresql_send_signal(output) }

    /// Waits until a connection has something to read or a signal is sent, but not longer than until a moment.
    ///
    /// - Returns: Whether the connection has something to read.
    func wait(with connection: Connection?, until moment: ContinuousClock.Instant) -> Bool {
      let rest = moment - .now
      let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000 + 1
      return postgresql_wait_for_signal(connection?.socket ?? -1, input, Int32(clamping: max(milliseconds, 0))) != 0
    }
  }
#endif
