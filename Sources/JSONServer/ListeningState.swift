import NIOConcurrencyHelpers

/// The sockets of a server, once it listens.
final class ListeningState: Sendable {
  private let listener = NIOLockedValueBox<HTTPListener?>(nil)

  func set(_ listener: HTTPListener) {
    self.listener.withLockedValue { $0 = listener }
  }

  /// Takes the sockets out, to close them.
  func take() -> HTTPListener? {
    listener.withLockedValue { listener in
      defer { listener = nil }
      return listener
    }
  }

  var addresses: [ListenAddress] {
    listener.withLockedValue { $0?.boundAddresses ?? [] }
  }
}
