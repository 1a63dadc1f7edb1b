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

  /// Keeps work until the data is of a version.
  mutating func wait(_ work: [Work], for version: Int) { checked.append((version, work)) }
}

extension WriteCoordinator {
  /// Does work when the data holds what any server has acknowledged by now.
  func whenCurrent(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    readIndex.arrived.append(work)
    guard !readIndex.isChecking else { return }
    readIndex.isChecking = true
    // What arrives in the same round of the loop is served by the same check.
    engine.loop.execute { engine.assumeIsolated { $0.writes.startCheck(shared, on: $0) } }
  }

  private func startCheck(_ shared: any SharedPersistence, on engine: isolated Engine) {
    let batch = readIndex.arrived
    readIndex.arrived = []
    shared.check { result in
      engine.loop.execute { engine.assumeIsolated { $0.writes.end(result, for: batch, shared, on: $0) } }
    }
  }

  private func end(
    _ check: Result<Int, StorageError>, for batch: [ReadIndex.Work], _ shared: any SharedPersistence,
    on engine: isolated Engine
  ) {
    readIndex.isChecking = !readIndex.arrived.isEmpty
    if readIndex.isChecking { startCheck(shared, on: engine) }
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
