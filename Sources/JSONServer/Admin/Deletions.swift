import JSONDatabase
import JSONServerResources
import JSONServerValues

/// The deletions and imports of the last minutes, which can be undone.
struct Deletions {
  /// How long a deletion can be undone: the page offers it for ten seconds, perhaps on a busy machine.
  static let lifetime = Duration.seconds(300)
  private static let capacity = 16
  /// The largest number of bytes of deleted records.
  private static let byteCapacity = 32 * 1024 * 1024

  /// The deletions by number; the numbers grow.
  var kept: [Int: Reversal] = [:]
  private var lastNumber = 0

  /// Keeps a deletion, and forgets the oldest ones beyond the limits.
  ///
  /// - Returns: The number of the deletion; `nil` when it is too large to keep.
  mutating func keep(_ removed: Reversal) -> Int? {
    guard removed.byteCount <= Self.byteCapacity else { return nil }
    lastNumber += 1
    kept[lastNumber] = removed
    while kept.count > Self.capacity || kept.values.reduce(0, { $0 + $1.byteCount }) > Self.byteCapacity,
      let oldest = kept.keys.min()
    {
      kept[oldest] = nil
    }
    return lastNumber
  }

  /// Goes back to the deletions of an earlier version of the data, except those that were forgotten since.
  mutating func goBack(to earlier: Deletions) {
    kept = earlier.kept.filter { kept[$0.key] != nil }
  }
}

extension AdminCall {
  /// Deletes the records in the body as one change, and responds when that is saved; a preview lists the dependent
  /// records.
  ///
  /// - Throws: 400 that names the invalid member.
  func delete(on engine: isolated Engine) throws(RequestError) {
    try read(on: engine) { body throws(RequestError) in
      try Deletion(body)
    } then: { engine, deletion throws(RequestError) in
      try delete(deletion, on: engine)
    }
  }

  private func delete(_ deletion: Deletion, on engine: isolated Engine) throws(RequestError) {
    let (resource, ids) = (deletion.resource, deletion.ids)
    if deletion.isPreview { return try preview(ids, resource, on: engine) }
    guard try engine.beginOrQueue("a deletion", for: requester) else { return }
    change(on: engine) { database throws(DatabaseError) in
      try database.delete(ids, in: resource)
    } respond: { engine, removed, _ in
      engine.signIn?.forgetUsers(on: engine)
      var response = removed.members(as: "deleted")
      response["undo"] = engine.keepForUndo(removed).map { .number(JSONNumber($0)) } ?? .null
      guard ids.count == 1 else { return (response, .reloaded(resource)) }
      var dependents = removed.removed
      dependents[resource] = dependents[resource].flatMap { $0 > 1 ? $0 - 1 : nil }
      return (response, .deleted(resource, ids: ids, dependents: dependents))
    }
  }

  /// Undoes a deletion or an import, by its number, and responds when that is saved.
  ///
  /// - Throws: 404, when the number is unknown, or forgotten.
  func undo(on engine: isolated Engine) throws(RequestError) {
    guard try engine.beginOrQueue("undoing", for: requester) else { return }
    guard let removed = Int(name).flatMap({ engine.writes.deletions.kept[$0] }) else {
      throw RequestError(
        .notFound,
        "Change \(name) cannot be undone any more: it is more than five minutes old, or the data was replaced since.")
    }
    change(on: engine) { database throws(DatabaseError) in
      try database.undo(removed)
      return removed
    } respond: { engine, removed, base in
      engine.signIn?.forgetUsers(replacing: base, on: engine)
      let changed = engine.database.changedPositions(since: base)
      return (removed.members(as: "restored"), engine.database.resourceNames(at: changed).first.map { .reloaded($0) })
    }
  }

  /// Deletes records, or undoes that, on any thread.
  ///
  /// - Parameter respond: Makes the response and the change for subscribers, before the commit.
  private func change(
    on engine: isolated Engine, _ change: @escaping @Sendable (inout Database) throws(DatabaseError) -> Reversal,
    respond: @escaping @Sendable (isolated Engine, Reversal, _ base: Database) -> (JSONObject, DataChange?)
  ) {
    engine.change(for: requester, change) { engine, outcome, base in
      switch outcome {
      case .success(let removed):
        let (response, change) = respond(engine, removed, base)
        engine.writes.enqueueCommit(
          PendingResponse(requester: requester, response: .json(.object(response)), change: change), since: base,
          on: engine)
      case .failure(let error): requester.completion(engine, .failure(RequestError(error)))
      }
    }
  }

  private func preview(_ ids: [String], _ name: String, on engine: isolated Engine) throws(RequestError) {
    try engine.calculate(for: context) { base -> PreparedResponse in
      var version = base.forked()
      do throws(DatabaseError) {
        return .json(.object(try version.delete(ids, in: name).members(as: "deleted")))
      } catch {
        return RequestError(error).response()
      }
    } then: { engine, response in
      engine.finalize(context, response)
    }
  }
}

/// The records to delete.
private struct Deletion {
  let resource: String
  let ids: [String]
  /// Whether the response only lists what would be deleted.
  let isPreview: Bool

  /// - Throws: 400 that names the invalid member.
  init(_ body: StrictObject) throws(RequestError) {
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
    (self.resource, self.ids, isPreview) = (resource, ids, try body.bool("preview") ?? false)
  }
}

extension Reversal {
  /// The numbers of deleted or restored records, and of records that lose or regain a foreign key, by resource.
  fileprivate func members(as name: String) -> JSONObject {
    JSONObject([(name, Self.object(removed)), ("changed", Self.object(changed))])
  }

  /// The object of some numbers of records, by resource.
  static func object(_ counts: [String: Int]) -> JSONValue {
    .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, .number(JSONNumber($0.value))) }))
  }
}
