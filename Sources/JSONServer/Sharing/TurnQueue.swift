import JSONStorage
import NIOConcurrencyHelpers

/// The requests that wait until no other server can write.
///
/// Where servers write the same data all the time, a write that is carried out first and compared with theirs then is
/// nearly always carried out twice. There it waits for the turn, and is carried out on what is there then.
struct TurnQueue {
  /// How many turns in a row have to be undisturbed before writes go without waiting again.
  private static let caution = 8

  fileprivate var waiting: [ReadIndex.Work] = []
  fileprivate var isTaking = false
  /// How many of those that have come were let go.
  fileprivate var served = 0
  /// How many have come; read by the thread that takes the turn.
  fileprivate let arrived = NIOLockedValueBox(0)
  private var remaining = 0

  /// Whether other servers have just written, too.
  var isContended: Bool { remaining > 0 }

  /// Records that another server wrote between two commits of this one.
  mutating func recordConflict() { remaining = Self.caution }

  /// Records that no other server did.
  fileprivate mutating func recordPeace() { remaining = max(0, remaining - 1) }

  fileprivate mutating func add(_ work: @escaping ReadIndex.Work) {
    waiting.append(work)
    arrived.withLockedValue { $0 += 1 }
  }

  /// Takes out those that had come when the turn was there: what was found out then is as new as they may ask for.
  fileprivate mutating func take(upTo number: Int) -> [ReadIndex.Work] {
    let count = number - served
    defer { waiting.removeFirst(count) }
    served = number
    return Array(waiting.prefix(count))
  }
}

extension WriteCoordinator {
  /// Whether the turn is being waited for, or is kept for the next commit.
  var isTakingTurn: Bool { turns.isTaking }

  /// Does work when the data holds what any server has acknowledged by now, and no other server can write.
  func whenInTurn(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    turns.add(work)
    if !turns.isTaking { takeTurnSoon(shared, on: engine) }
  }

  /// Takes the turn after what is already waiting on the loop: a commit that is about to begin.
  private func takeTurnSoon(_ shared: any SharedPersistence, on engine: isolated Engine) {
    turns.isTaking = true
    engine.loop.execute {
      engine.assumeIsolated { engine in
        let arrived = engine.writes.turns.arrived
        shared.takeTurn(mark: { arrived.withLockedValue { $0 } }) { number, result in
          engine.loop.execute { engine.assumeIsolated { $0.writes.useTurn(number, result, shared, on: $0) } }
        }
      }
    }
  }

  private func useTurn(
    _ number: Int, _ result: Result<LoadedSource, StorageError>, _ shared: any SharedPersistence,
    on engine: isolated Engine
  ) {
    let batch = turns.take(upTo: number)
    switch result {
    case .success(let source):
      if source.isUnchanged { turns.recordPeace() } else { turns.recordConflict() }
      delayedEdits.append(source)
      readIndex.wait(batch, for: source.generation)
      takeForeignChanges(shared, on: engine)
      if !isChanging { shared.releaseTurn() }
    case .failure(let error):
      for work in batch { work(engine, error) }
    }
    turns.isTaking = false
    if !turns.waiting.isEmpty { takeTurnSoon(shared, on: engine) }
  }
}

extension LoadedSource {
  /// Whether nobody has written.
  fileprivate var isUnchanged: Bool {
    switch content {
    case .rows(_, let since): generation == since
    case .whole, .part: false
    }
  }
}
