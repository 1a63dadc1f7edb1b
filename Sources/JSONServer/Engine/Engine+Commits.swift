import HTTPTypes
import JSONDatabase
import JSONStorage

extension Engine {
  /// Starts a commit when the writes that arrive in the same round of the loop, or soon after, have joined it.
  func startCommitSoon() {
    let start: @Sendable () -> Void = { self.assumeIsolated { $0.startCommit() } }
    if commits.gatheringTime == .zero {
      loop.execute(start)
    } else {
      loop.schedule(after: commits.gatheringTime, start)
    }
  }

  /// Hands the gathered writes to the storage, unless it is busy.
  private func startCommit() {
    guard let persistence, let batch = commits.start() else { return }
    let version = database
    persistence.commit(version, resources: batch.resources) { commit in
      self.loop.execute { self.assumeIsolated { $0.end(commit, of: version) } }
    }
  }

  /// - Parameter version: What was committed; the database may have been replaced since.
  private func end(_ commit: Commit, of version: Database) {
    switch commit {
    case .done:
      let batch = commits.finish()
      acknowledged.record(batch.changes, in: version)
      for answer in batch.answers { acknowledge(answer) }
      takeDelayedEdits()
      if commits.schedule() { startCommitSoon() }
    case .edited(let source):
      take(source)
      takeDelayedEdits()
    case .failed(let error) where error.code == .durabilityUnknown:
      // The file holds the version: memory keeps it, and the client is told what is not known.
      let batch = commits.finish()
      acknowledged.record(batch.changes, in: version)
      for answer in batch.answers {
        publishChange(of: answer)
        finish(answer.call, answer.isWrite ? HTTPError(error).response() : answer.response)
      }
      takeDelayedEdits()
      if commits.schedule() { startCommitSoon() }
    case .failed(let error):
      refuse(error)
      takeDelayedEdits()
    }
  }

  /// Takes back what could not be saved. Writes of the failed commit are refused, all else is answered anew.
  private func refuse(_ error: StorageError) {
    let (failed, later) = commits.takeAll()
    database.undo(later.changes)
    database.undo(failed.changes)
    for answer in failed.answers {
      if answer.isWrite { finish(answer.call, HTTPError(error).response()) } else { retry(answer.call) }
    }
    for answer in later.answers { retry(answer.call) }
  }

  /// Takes an edited source as the base, and applies what was not saved to it again.
  private func take(_ source: LoadedSource) {
    let (failed, later) = commits.takeAll()
    var durable = database
    durable.undo(later.changes)
    durable.undo(failed.changes)
    adopt(source, replacing: durable)
    for answer in failed.answers {
      let call = answer.call.nextAttempt
      if answer.isWrite, call.attempts >= 3 {
        let message = "The file is being edited again and again; the write was not saved. Try again."
        finish(call, HTTPError(.serviceUnavailable, message).response())
      } else {
        retry(call)
      }
    }
    for answer in later.answers { retry(answer.call) }
  }

  private func retry(_ call: RequestContext) {
    do throws(HTTPError) {
      route(call, try QueryParameters(target: call.request.target))
    } catch {
      finish(call, error.response())
    }
  }

  /// Sends the answer to a write that is saved, and to those that waited to see it.
  func acknowledge(_ answer: PendingResponse) {
    publishChange(of: answer)
    finish(answer.call, answer.response)
  }

  private func publishChange(of answer: PendingResponse) {
    if let change = answer.change { events.publish(change, resources: answer.resources) }
  }

  // MARK: Edits from outside

  /// Takes note of what happened to the source.
  func take(_ edit: SourceEdit) {
    switch edit {
    case .changed(let source):
      // A commit in flight was built on the version before: it ends with the same edit, unless it is of other files.
      if commits.inFlight != nil { delayedEdits.append(source) } else { takeNewer(source) }
    case .invalid(let message): configuration.onEvent(.invalid(message: message))
    case .restored(let path): configuration.onEvent(.restored(path: path))
    case .deleted(let path): configuration.onEvent(.deleted(path: path))
    case .conflict(let path):
      configuration.onEvent(
        .warning("An editor saved a version that had been replaced meanwhile; its text is kept as '\(path)'."))
    case .conflictLost(let message): configuration.onEvent(.warning(message))
    }
  }

  private func takeDelayedEdits() {
    let edits = delayedEdits
    delayedEdits = []
    edits.forEach(takeNewer)
  }

  private func takeNewer(_ source: LoadedSource) {
    // What was opened at the start is generation 0; a file that came later brings its own.
    let known = generations[source.name] ?? (database.resource(named: source.name) == nil ? -1 : 0)
    if source.generation > known { take(source) }
  }

  private func adopt(_ source: LoadedSource, replacing old: Database) {
    let edited = source.applied(to: old, ids: ids)
    let undone = acknowledged.undone(by: edited, replacing: old)
    if !undone.isEmpty { keep(old, replacedBy: source, because: undone) }
    acknowledged.forget(source.name)
    addToKeptVersions(source)
    let names = old.resourceNames(andOf: edited)
    database = edited
    generations[source.name] = source.generation
    persistence?.adopt(source)
    events.publishReload(of: names)
    configuration.onEvent(.reloaded(resources: database.resourceNames))
  }

  /// Adds the resource of a file that is new to what a reset and the snapshots go back to.
  private func addToKeptVersions(_ source: LoadedSource) {
    guard case .part(let part) = source.content else { return }
    initial.add(part)
    snapshots.add(part)
  }

  /// Keeps the version that an edit replaces when the editor had not seen what was written over HTTP (R2).
  private func keep(_ old: Database, replacedBy source: LoadedSource, because undone: [String]) {
    let list = undone.prefix(5).joined(separator: ", ") + (undone.count > 5 ? ", …" : "")
    let onEvent = configuration.onEvent
    persistence?.keep(old, replacedBy: source) { result in
      switch result {
      case .success(let path):
        onEvent(
          .warning("The edit removed or reverted \(list), written over HTTP; the version before is kept as '\(path)'."))
      case .failure(let error):
        onEvent(
          .warning(
            "The edit removed or reverted \(list), written over HTTP; the version before could not be kept: \(error.message)"
          ))
      }
    }
  }
}
