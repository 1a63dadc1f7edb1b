import JSONDatabase
import JSONServerValues

/// What deletions removed, kept for a while so that it can be put back.
struct Deletions {
  /// How long a deletion can be undone: a page offers it for ten seconds, perhaps on a machine that is busy with more.
  static let lifetime = Duration.seconds(300)
  private static let capacity = 16
  /// The most bytes of records that are kept.
  private static let byteCapacity = 32 * 1024 * 1024

  private var numbers: [Int] = []
  /// Oldest first; their numbers are at the same indexes.
  var kept: [RemovedRecords] = []
  private var lastNumber = 0

  /// Keeps what a deletion removed, and forgets the oldest when that is too much.
  ///
  /// - Returns: The number by which it is found; `nil` when it is too large to be kept.
  mutating func keep(_ removed: RemovedRecords) -> Int? {
    guard removed.byteCount <= Self.byteCapacity else { return nil }
    lastNumber += 1
    numbers.append(lastNumber)
    kept.append(removed)
    while kept.count > Self.capacity || kept.reduce(0, { $0 + $1.byteCount }) > Self.byteCapacity {
      numbers.removeFirst()
      kept.removeFirst()
    }
    return lastNumber
  }

  subscript(number: Int) -> RemovedRecords? {
    numbers.firstIndex(of: number).map { kept[$0] }
  }

  mutating func forget(_ number: Int) {
    guard let index = numbers.firstIndex(of: number) else { return }
    numbers.remove(at: index)
    kept.remove(at: index)
  }

  /// Goes back to what was kept for an earlier version of the data, but for what was forgotten since.
  mutating func goBack(to earlier: Deletions) {
    let left = earlier.numbers.indices.filter { numbers.contains(earlier.numbers[$0]) }
    numbers = left.map { earlier.numbers[$0] }
    kept = left.map { earlier.kept[$0] }
  }

  /// Forgets all of them: the records' places are others now.
  mutating func removeAll() {
    numbers = []
    kept = []
  }
}

extension AdminCall {
  /// Deletes the records that the body names as one change, and responds once that is saved; a preview says what would go
  /// with them.
  ///
  /// - Throws: 400 that names the member at fault.
  func delete(on engine: isolated Engine) throws(RequestError) {
    let body = try body()
    try body.allow(only: ["resource", "ids", "preview"])
    guard let resource = try body.string("resource") else {
      throw body.wrong("resource", "the name of a resource, such as \"posts\"")
    }
    let values = body.value("ids")?.array ?? []
    let ids = values.compactMap { value in
      if case .number(let number) = value { number.text } else { value.string }
    }
    guard !ids.isEmpty, ids.count == values.count else {
      throw body.wrong("ids", "an array of at least one id, such as [1, 2]")
    }
    if try body.bool("preview") ?? false { return try preview(ids, resource, on: engine) }
    guard try engine.mayBegin("a deletion", for: requester) else { return }
    carryOut(.delete(ids, resource: resource), on: engine)
  }

  /// Puts back what a deletion removed, by its number, and responds once that is saved.
  ///
  /// - Throws: 404, when what is to be put back is not kept any more.
  func undo(on engine: isolated Engine) throws(RequestError) {
    guard try engine.mayBegin("a deletion", for: requester) else { return }
    guard let removed = Int(name).flatMap({ engine.writes.deletions[$0] }) else {
      throw RequestError(
        .notFound,
        "Deletion \(name) cannot be undone any more: it is more than five minutes old, or the data was replaced since.")
    }
    carryOut(.putBack(removed), on: engine)
  }

  private func carryOut(_ change: DeletionChange, on engine: isolated Engine) {
    engine.change(for: requester) { database throws(RequestError) in
      try change.carryOut(on: &database)
    } then: { engine, outcome, base in
      switch outcome {
      case .success(let removed): enqueue(removed, of: change, since: base, on: engine)
      case .failure(let error): engine.refuse(requester, because: error)
      }
    }
  }

  private func preview(_ ids: [String], _ name: String, on engine: isolated Engine) throws(RequestError) {
    let respond: @Sendable (Database) -> PreparedResponse = { database in
      var version = database.forked()
      do throws(DatabaseError) {
        return .json(.object(try version.delete(ids, in: name).members(as: "deleted")))
      } catch {
        return RequestError(error).response()
      }
    }
    var version = engine.database
    engine.haste.renew()
    version.patience = engine.haste
    let response = respond(version)
    guard engine.haste.isOver else { return engine.finalize(context, response) }
    try engine.calculate(for: context, engine.haste.refusedWork) {
      respond($0)
    } then: { engine, response in
      engine.finalize(context, response)
    }
  }

  private func enqueue(
    _ removed: RemovedRecords, of change: DeletionChange, since base: Database, on engine: isolated Engine
  ) {
    var response: JSONObject
    let dataChange: DataChange?
    switch change {
    case .putBack:
      response = removed.members(as: "restored")
      let changed = engine.database.changedPositions(since: base)
      dataChange = engine.database.resourceNames(at: changed).first.map { .reloaded($0) }
    case .delete(let ids, let name):
      engine.signIn?.forgetUsers(on: engine)
      response = removed.members(as: "deleted")
      let number = engine.writes.deletions.keep(removed)
      if let number { engine.schedule(after: Deletions.lifetime) { $0.writes.deletions.forget(number) } }
      response["undo"] = number.map { .number(JSONNumber($0)) } ?? .null
      dataChange = ids.count == 1 ? .deleted(name, id: ids[0], dependents: removed.removed) : .reloaded(name)
    }
    engine.writes.enqueueCommit(
      PendingResponse(requester: requester, response: .json(.object(response)), change: dataChange), since: base,
      on: engine)
  }
}

/// What deletes records or puts them back, which any thread can do.
private enum DeletionChange: Sendable {
  case delete([String], resource: String)
  case putBack(RemovedRecords)

  /// - Returns: What was removed, now or before.
  /// - Throws: ``RequestError``; nothing is changed then.
  func carryOut(on database: inout Database) throws(RequestError) -> RemovedRecords {
    do throws(DatabaseError) {
      switch self {
      case .delete(let ids, let name): return try database.delete(ids, in: name)
      case .putBack(let removed):
        try database.putBack(removed)
        return removed
      }
    } catch {
      throw RequestError(error)
    }
  }
}

extension RemovedRecords {
  /// How many records of each resource are deleted or restored, and how many lose, or get back, what they refer to.
  fileprivate func members(as name: String) -> JSONObject {
    func counts(_ counts: [String: Int]) -> JSONValue {
      .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, .number(JSONNumber($0.value))) }))
    }
    return JSONObject([(name, counts(removed)), ("changed", counts(changed))])
  }
}
