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
    let work: Work
  }

  private let store: (any Store)?
  /// The requests for which no check has begun.
  private var arrived: [Waiting] = []
  private var isChecking = false
  /// The requests that wait for a version of the data, oldest first.
  private var checked: [(version: Int, requests: [Waiting])] = []
  /// A number that grows whenever earlier results become invalid.
  private var era = 0

  init(_ store: (any Store)?) {
    self.store = store
  }

  /// Does work when the data contains all writes that any server has acknowledged by now.
  ///
  /// - Parameter isRead: Whether the work only reads ``WriteCoordinator/shown``.
  func whenCurrent(on engine: isolated Engine, isRead: Bool = false, _ work: @escaping Work) {
    guard store != nil else { return work(engine, nil) }
    arrived.append(Waiting(isRead: isRead, work: work))
    startCheckSoon(on: engine)
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
    let (batch, era) = (arrived, era)
    arrived = []
    store?.check { result in engine.execute { $0.writes.readIndex.endCheck(result, for: batch, in: era, on: $0) } }
  }

  private func endCheck(
    _ check: Result<Int, StorageError>, for batch: [Waiting], in era: Int, on engine: isolated Engine
  ) {
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
