import JSONStorage

/// The requests that wait for the number of the newest version of a shared database, and then for this version.
///
/// One check serves all requests that arrived before it began: it returns a version at least as new as any that was
/// acknowledged before they arrived (the read index of Raft's authors, section 6.4 of the dissertation by Ongaro). The
/// read index belongs to one engine, and runs on its event loop.
final class ReadIndex {
  /// The work to do when the data is current, or when the check has failed.
  typealias Work = @Sendable (isolated Engine, StorageError?) -> Void

  private struct Waiting {
    /// Whether the request changes nothing, so that it need not wait for the data that writes change.
    let isRead: Bool
    /// The system's uptime at which the request is refused.
    let end: Duration
    let work: Work
  }

  /// How long a request waits, from its arrival, if it changes nothing; and else: a write then still has time for its commit.
  private static let (patience, writePatience) = (Duration.milliseconds(2_900), Duration.seconds(9))
  private static let sweepInterval = Duration.milliseconds(100)

  private let store: (any Store)?
  /// The requests for which no check has begun.
  private var arrived: [Waiting] = []
  /// The requests of the check in progress.
  private var checking: [Waiting] = []
  private var isChecking = false
  private var isSweepDue = false
  /// The requests that wait for a version of the data, oldest first.
  private var checked: [(version: Int, requests: [Waiting])] = []
  /// A number that grows whenever earlier results become invalid.
  private var era = 0

  init(_ store: (any Store)?) {
    self.store = store
  }

  /// Does work when the data contains all writes that any server has acknowledged by now.
  ///
  /// - Parameters:
  ///   - arrival: The system's uptime when the request arrived.
  ///   - isRead: Whether the work only reads ``WriteCoordinator/shown``.
  func whenCurrent(
    on engine: isolated Engine, since arrival: Duration = System.uptime, isRead: Bool = false, _ work: @escaping Work
  ) {
    guard store != nil else { return work(engine, nil) }
    let end = arrival + (isRead ? Self.patience : Self.writePatience)
    arrived.append(Waiting(isRead: isRead, end: end, work: work))
    startCheckSoon(on: engine)
    sweepLater(on: engine)
  }

  /// Refuses the requests that have waited too long, whatever they wait for.
  private func sweep(on engine: isolated Engine) {
    isSweepDue = false
    let now = System.uptime
    var late: [Waiting] = []
    func take(_ waiting: inout [Waiting]) {
      late += waiting.filter { $0.end <= now }
      waiting.removeAll { $0.end <= now }
    }
    for index in checked.indices { take(&checked[index].requests) }
    checked.removeAll(where: \.requests.isEmpty)
    take(&checking)
    take(&arrived)
    if !checked.isEmpty || !checking.isEmpty || !arrived.isEmpty { sweepLater(on: engine) }
    let error = StorageError(.unavailable, "The newest version of the data did not arrive in time. Try again.")
    for request in late { request.work(engine, error) }
  }

  private func sweepLater(on engine: isolated Engine) {
    guard !isSweepDue else { return }
    isSweepDue = true
    engine.execute(after: Self.sweepInterval) { $0.writes.readIndex.sweep(on: $0) }
  }

  /// Retries the reads that wait for a version. After a failover the database may never reach this version.
  func retry(on engine: isolated Engine) {
    arrived = checked.flatMap(\.requests) + arrived
    checked = []
    era += 1
    if !arrived.isEmpty { startCheckSoon(on: engine) }
  }

  /// Does the work that waited for a version that the data has reached.
  func release(on engine: isolated Engine) {
    let (written, shown) = (engine.writes.dataVersion, engine.writes.shownVersion)
    var ready: [Waiting] = []
    for index in checked.indices where checked[index].version <= shown {
      let isWritten = checked[index].version <= written
      ready += checked[index].requests.filter { isWritten || $0.isRead }
      checked[index].requests.removeAll { isWritten || $0.isRead }
    }
    checked.removeAll { $0.requests.isEmpty }
    for request in ready { request.work(engine, nil) }
  }

  private func startCheckSoon(on engine: isolated Engine) {
    guard !isChecking else { return }
    isChecking = true
    // One check serves all requests of the same tick of the event loop.
    engine.execute { $0.writes.readIndex.startCheck(on: $0) }
  }

  private func startCheck(on engine: isolated Engine) {
    let era = era
    (checking, arrived) = (arrived, [])
    store?.check { result in engine.execute { $0.writes.readIndex.endCheck(result, in: era, on: $0) } }
  }

  private func endCheck(_ check: Result<Int, StorageError>, in era: Int, on engine: isolated Engine) {
    let batch = checking
    checking = []
    let isOutdated = era != self.era
    if isOutdated { arrived = batch + arrived }
    isChecking = !arrived.isEmpty
    if isChecking { startCheck(on: engine) }
    if isOutdated { return }
    switch check {
    case .success(let version): checked.append((version, batch))
    case .failure(let error): for request in batch { request.work(engine, error) }
    }
    release(on: engine)
  }
}
