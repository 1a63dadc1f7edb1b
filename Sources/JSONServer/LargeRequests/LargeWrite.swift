import HTTPTypes
import JSONDatabase

/// The write that another thread carries out, and the writes that wait until it has.
///
/// It changes a copy of the data, which shares all rows with the data; then the copy takes the data's place. Meanwhile
/// reads show the version before, and writes wait for their turn, in order: it is all or nothing, and what is read after
/// its response has it. The other way, to apply it on the engine's own thread in slices between which reads are served, was
/// not taken: a reader would see half of a change, unless each slice kept the version before as well, and an index that is
/// made anew, as after a change of many records, has no slices.
struct LargeWrite {
  /// Tells it from one that was begun again since.
  let number: Int
  let requester: Requester
  /// The writes that came while it was under way, in order.
  var waiting: [Requester] = []
}

extension WriteCoordinator {
  /// Makes a write wait for the large write or the takeover in progress, if there is one.
  ///
  /// - Returns: Whether it waits.
  /// - Throws: 503 while no copy can be made of what the takeover removes.
  func postpone(_ requester: Requester) throws(RequestError) -> Bool {
    if largeWrite != nil {
      largeWrite?.waiting.append(requester)
      return true
    }
    guard let failure = takeover?.failure else {
      takeover?.waiting.append(requester)
      return takeover != nil
    }
    throw RequestError(.unavailable, failure)
  }

  /// Takes over what a large write has made of a copy of the data.
  ///
  /// - Returns: The writes that have waited for it; `nil` when what it was made from was taken back, and it is carried out
  ///   again.
  func end(_ number: Int, with changed: DataInTransit) -> [Requester]? {
    guard let write = largeWrite, write.number == number, var view = changed.take() else { return nil }
    largeWrite = nil
    if view.database.hasChanges {
      keepSavedVersion()
      swap(&database, &view.database)
    }
    // What was found out about the version before, or by a change that was refused.
    if database.lacksAny(of: view.database) { database.adopt(&view.database) }
    // What holds many records takes long to be freed.
    changed.put(consume view)
    WorkerThreads.changes.run { _ = changed.take() }
    return write.waiting
  }

  /// Gives the large write up: what it was made from is taken back.
  ///
  /// - Returns: What is to be carried out again, in order.
  func abandonLargeWrite() -> [Requester] {
    defer { largeWrite = nil }
    return largeWrite.map { [$0.requester] + $0.waiting } ?? []
  }
}

extension Engine {
  /// Changes a copy of the data on another thread, and goes on on this one once that has taken the data's place.
  ///
  /// No other write may be in progress: ``WriteCoordinator/postpone(_:)``.
  func changeAside<Outcome: Sendable>(
    for requester: Requester, _ change: @escaping @Sendable (inout Database) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome) -> Void
  ) {
    let number = nextNumber()
    writes.largeWrite = LargeWrite(number: number, requester: requester)
    let version = DataInTransit(DataView(writes.database.copy(for: nil)))
    let notice: EventLoopExecutor.ScheduledTask? =
      if case .client(let context, _) = requester { scheduleNotice(or: "changing much", for: context) } else { nil }
    WorkerThreads.changes.run { [loop] in
      guard var view = version.take() else { return }
      let outcome = change(&view.database)
      version.put(consume view)
      loop.execute { [outcome] in
        self.assumeIsolated { engine in
          notice?.cancel()
          guard let waiting = engine.writes.end(number, with: version) else { return }
          goOn(engine, outcome)
          for requester in waiting { engine.perform(requester) }
          // Its commit brings the same edits, counts the attempt and, where servers share the data, keeps the turn: taken
          // back here, it would begin again without that, perhaps for ever.
          if engine.writes.commits.isIdle { engine.writes.takeDelayedEdits(on: engine) }
          engine.writes.releaseUnusedTurn()
        }
      }
    }
  }

  /// Says what is under way when it takes long: some work, or for which request something is done.
  func scheduleNotice(
    _ work: String? = nil, or action: String, for context: RequestContext
  ) -> EventLoopExecutor.ScheduledTask {
    let work = work ?? "\(action) for \(context.original.method.rawValue) \(context.original.target)"
    return loop.schedule(after: ServerEvent.slowDuration) {
      self.assumeIsolated { $0.configuration.onEvent(.working("\(work) …")) }
    }
  }
}
