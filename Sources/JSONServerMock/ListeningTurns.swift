import JSONServer

/// Limits how many servers listen at a time by the open files of the process; further servers wait.
///
/// Swift Testing runs all tests at once, and Xcode starts them with 256 open files: without turns, the sockets of the
/// servers would leave none to the clients, which then cannot connect.
package actor ListeningTurns {
  static let shared = ListeningTurns(openFiles: System.raisedOpenFileLimit)

  /// The files of a server and its clients: one or two listening sockets, and both ends of some connections.
  private static let filesOfServer = 8
  /// The other files of the process.
  private static let otherFiles = 64

  private let capacity: Int
  private let patience: Duration
  private var listening = 0
  private var passes = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - openFiles: The most files that the process may have open.
  ///   - patience: How long to wait for a server to stop before one more starts anyway: one test may need several.
  package init(openFiles: Int, patience: Duration = .seconds(2)) {
    capacity = max(1, (openFiles - Self.otherFiles) / Self.filesOfServer)
    self.patience = patience
  }

  /// Waits for a turn.
  ///
  /// - Parameter isNested: Whether the test already has a turn, which it keeps.
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

  /// Passes a turn on to the server that has waited longest.
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

  /// While servers wait, starts one more each time that none has stopped for a while.
  private func hurry() async {
    while !waiting.isEmpty {
      let before = passes
      try? await Task.sleep(for: patience)
      if passes == before { startNext(atMost: .max) }
    }
  }
}
