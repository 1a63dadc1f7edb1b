import JSONDatabase
import JSONServerResources
import JSONStorage

// Takeovers: an edit of a file, a reset or a snapshot takes the place of the data. First the new data is prepared, and compared
// with the acknowledged writes that it removes; then the store keeps a copy of these; then the new data is served.

extension WriteCoordinator {
  /// Makes the new data, and finds the acknowledged writes that it lacks; on another thread, where that takes long.
  func prepare(_ takeover: Takeover, on engine: isolated Engine) {
    let number = scheduler.workNumber
    let (version, base) = (database, hasHistory ? initial : nil)
    let (isLarge, replace): (Bool, @Sendable (Database) -> Database) =
      switch takeover.replacement {
      case .edit(let file): (file.isLarge, { [ids] in file.applied(to: $0, ids: ids) })
      case .all(let other, _): (!other.isSmall, { _ in other })
      }
    guard !version.isSmall || isLarge else {
      return handle(.prepared(Self.effect(of: replace(version), on: version, since: base)), on: engine)
    }
    WorkerThreads.changes.run {
      let data = replace(version)
      // So the first readers find the records immediately.
      data.readLargeCollections()
      let effect = Self.effect(of: data, on: version, since: base)
      engine.execute { $0.writes.handle(.prepared(effect), ofWork: number, on: $0) }
    }
  }

  /// - Parameter base: The data that was last loaded from the source; `nil` where no copies are kept.
  private static func effect(of data: Database, on version: Database, since base: Database?) -> Takeover.Effect {
    Takeover.Effect(data: data, lost: base.map { version.lostUpdates(by: data, since: $0) } ?? [])
  }

  /// Copies the data before a takeover; acknowledged writes are copied durably first (R2).
  func saveHistory(of takeover: Takeover, on engine: isolated Engine) {
    let number = scheduler.workNumber
    let part: DatabasePart? = if case .edit(let file) = takeover.replacement { file.part } else { nil }
    store?.saveHistory(of: database, part: part?.name) { result in
      engine.execute { $0.writes.handle(.copied(result), ofWork: number, on: $0) }
    }
  }

  /// Serves other data, and saves it.
  func replaceAll(with other: Database, _ pending: PendingResponse, on engine: isolated Engine) {
    var pending = pending
    pending.change = .replaced(database.resourceNames(andOf: other))
    let base = database
    var changed = base
    changed.assign(other)
    take(changed)
    // The records have other places now.
    deletions.kept = [:]
    engine.repetitions.forget(on: engine)
    deltas.restart()
    engine.signIn?.forgetUsers(replacing: base, on: engine)
    enqueueCommit(pending, since: base, replacingAll: true, on: engine)
  }
}
