import JSONServer

/// Lets as many servers listen at a time as the open files of the process suffice for; further ones take turns.
///
/// Swift Testing runs all tests at once, and Xcode starts them with 256 open files: without turns, the sockets of the
/// servers would leave none to the clients, which then say that they cannot connect.
package actor ListeningTurns {
  static let shared = ListeningTurns(openFiles: System.raisedOpenFileLimit)

  /// What a server and its clients open: one or two listening sockets, and both ends of some connections.
  private static let filesOfServer = 8
  /// What the process opens otherwise.
  private static let otherFiles = 64

  private let capacity: Int
  private let patience: Duration
  private var listening = 0
  private var passes = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - openFiles: The most files that the process may have open.
  ///   - patience: How long no server stops before one more starts all the same, since one test may need them all.
  package init(openFiles: Int, patience: Duration = .seconds(2)) {
    capacity = max(1, (openFiles - Self.otherFiles) / Self.filesOfServer)
    self.patience = patience
  }

  /// Waits for a turn.
  ///
  /// - Parameter isNested: Whether the test has a turn already, which it would keep meanwhile.
  package func take(isNested: Bool) async {
    guard listening >= capacity, !isNested else {
      listening += 1
      return
    }
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      if waiting.count == 1 { Task { await hurry() } }
    }
  }

  /// Gives a turn to the server that has waited longest.
  func pass() {
    passes += 1
    listening -= 1
    startNext(atMost: capacity)
  }

  private func startNext(atMost maximum: Int) {
    guard listening < maximum, !waiting.isEmpty else { return }
    listening += 1
    waiting.removeFirst().resume()
  }

  /// Starts one more server each time that none has stopped for a while, as long as any waits.
  private func hurry() async {
    while !waiting.isEmpty {
      let before = passes
      try? await Task.sleep(for: patience)
      if passes == before { startNext(atMost: .max) }
    }
  }
}
