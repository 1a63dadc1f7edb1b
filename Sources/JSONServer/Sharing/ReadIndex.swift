import JSONDatabase
import JSONStorage

/// The requests that wait to learn which version of a shared database is the newest, and then to have it.
///
/// One check serves all requests that arrived before it began: it tells a version at least as new as any that was
/// acknowledged before they arrived (the read index of Raft's authors, section 6.4 of the dissertation by Ongaro).
struct ReadIndex {
  /// What is done when the data is current, or cannot be known to be.
  typealias Work = @Sendable (isolated Engine, StorageError?) -> Void

  /// Those for which no check has begun.
  fileprivate var arrived: [Work] = []
  fileprivate var isChecking = false
  /// Those that wait until the data is of a version, oldest first.
  fileprivate var checked: [(version: Int, work: [Work])] = []
  /// Grows whenever what was found out says nothing any more.
  fileprivate var era = 0

  /// Keeps work until the data is of a version.
  mutating func wait(_ work: [Work], for version: Int) { checked.append((version, work)) }

  /// Has all work ask anew which version is the newest.
  fileprivate mutating func forgetVersions() {
    arrived = checked.flatMap(\.work) + arrived
    checked = []
    era += 1
  }
}

extension WriteCoordinator {
  /// Does work when the data holds what any server has acknowledged by now.
  func whenCurrent(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    readIndex.arrived.append(work)
    startCheckSoon(shared, on: engine)
  }

  /// Has the requests that wait for a version ask again: the database may be another one, which does not get there.
  func askAgain(_ shared: any SharedPersistence, on engine: isolated Engine) {
    readIndex.forgetVersions()
    if !readIndex.arrived.isEmpty { startCheckSoon(shared, on: engine) }
  }

  private func startCheckSoon(_ shared: any SharedPersistence, on engine: isolated Engine) {
    guard !readIndex.isChecking else { return }
    readIndex.isChecking = true
    // What arrives in the same round of the loop is served by the same check.
    engine.loop.execute { engine.assumeIsolated { $0.writes.startCheck(shared, on: $0) } }
  }

  private func startCheck(_ shared: any SharedPersistence, on engine: isolated Engine) {
    let (batch, era) = (readIndex.arrived, readIndex.era)
    readIndex.arrived = []
    shared.check { result in
      engine.loop.execute { engine.assumeIsolated { $0.writes.end(result, for: batch, in: era, shared, on: $0) } }
    }
  }

  private func end(
    _ check: Result<Int, StorageError>, for batch: [ReadIndex.Work], in era: Int, _ shared: any SharedPersistence,
    on engine: isolated Engine
  ) {
    let isOutdated = era != readIndex.era
    if isOutdated { readIndex.arrived = batch + readIndex.arrived }
    readIndex.isChecking = !readIndex.arrived.isEmpty
    if readIndex.isChecking { startCheck(shared, on: engine) }
    if isOutdated { return }
    switch check {
    case .success(let version) where version <= shared.version && readIndex.checked.isEmpty:
      for work in batch { work(engine, nil) }
    case .success(let version): readIndex.wait(batch, for: version)
    case .failure(let error): for work in batch { work(engine, error) }
    }
    releaseReads(on: engine)
  }

  /// Does what waited for a version that the data has reached.
  func releaseReads(on engine: isolated Engine) {
    guard let shared else { return }
    while let first = readIndex.checked.first, first.version <= shared.version {
      readIndex.checked.removeFirst()
      for work in first.work { work(engine, nil) }
    }
  }
}
