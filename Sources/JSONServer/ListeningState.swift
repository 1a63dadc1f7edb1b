import Synchronization

/// The sockets of a server, once it listens.
final class ListeningState: Sendable {
  private let listener = Mutex<HTTPListener?>(nil)

  func set(_ listener: HTTPListener) {
    self.listener.withLock { $0 = listener }
  }

  /// Takes the sockets out, to close them.
  func take() -> HTTPListener? {
    listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
  }

  var addresses: [ListenAddress] {
    listener.withLock { $0?.boundAddresses ?? [] }
  }
}
