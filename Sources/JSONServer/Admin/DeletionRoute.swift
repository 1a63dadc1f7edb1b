import HTTPTypes
import JSONDatabase
import OrderedJSON

/// What a request to `/__admin/deletions` or `/__admin/undo` asks for, parsed once.
enum DeletionRoute {
  /// Says what the deletion of records takes with it.
  case preview(of: [String], resource: String)
  /// Deletes records as one change.
  case delete([String], resource: String)
  /// Puts back what a deletion removed, by its number.
  case undo(String)

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - kind: The second segment of the path: `deletions`, and else `undo`.
  ///   - number: The third.
  /// - Throws: 404 for a path that is none of these, 405 with `Allow` for another method, 400 that names what is wrong.
  init(_ kind: String, _ number: String?, _ request: Request) throws(RequestError) {
    guard (kind == "undo") == (number != nil) else { throw AdminRoute.unknown(request) }
    guard request.method == .post else { throw .methodNotAllowed(request, ["POST"]) }
    if let number {
      self = .undo(number)
      return
    }
    let body = try AdminBody(request)
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
    self =
      try body.bool("preview") ?? false ? .preview(of: ids, resource: resource) : .delete(ids, resource: resource)
  }
}

extension Engine {
  /// Deletes records, or puts them back, and responds once that is saved.
  func perform(_ route: DeletionRoute, _ context: RequestContext) throws(RequestError) {
    if case .preview(let ids, let name) = route { return try preview(ids, name, context) }
    let requester = Requester.client(context, .admin(.deletions(route)))
    guard try mayBegin("a deletion", for: requester) else { return }
    let change = try change(of: route)
    self.change(for: requester) { database throws(RequestError) in
      try change.carryOut(on: &database)
    } then: { engine, outcome, base in
      switch outcome {
      case .success(let removed): engine.enqueue(removed, of: change, since: base, for: requester)
      case .failure(let error): engine.refuse(requester, because: error)
      }
    }
  }

  private func preview(_ ids: [String], _ name: String, _ context: RequestContext) throws(RequestError) {
    let respond: @Sendable (Database) -> PreparedResponse = { database in
      var version = database.forked()
      do throws(DatabaseError) {
        return .json(.object(try version.delete(ids, in: name).members(as: "deleted")))
      } catch {
        return RequestError(error).response()
      }
    }
    var version = writes.database
    haste.renew()
    version.patience = haste
    let response = respond(version)
    guard haste.isOver else { return finalize(context, response) }
    try calculate(for: context, haste.refusedWork) {
      respond($0)
    } then: { engine, response in
      engine.finalize(context, response)
    }
  }

  /// - Throws: 404, when what is to be put back is not kept any more.
  private func change(of route: DeletionRoute) throws(RequestError) -> DeletionChange {
    switch route {
    case .preview(let ids, let name), .delete(let ids, let name): return .delete(ids, resource: name)
    case .undo(let text):
      guard let removed = Int(text).flatMap({ writes.deletions[$0] }) else {
        throw RequestError(
          .notFound,
          "Deletion \(text) cannot be undone any more: it is more than five minutes old, or the data was replaced since."
        )
      }
      return .putBack(removed)
    }
  }

  private func enqueue(
    _ removed: RemovedRecords, of change: DeletionChange, since base: Database, for requester: Requester
  ) {
    var response: JSONObject
    let dataChange: DataChange?
    switch change {
    case .putBack:
      response = removed.members(as: "restored")
      let changed = writes.database.changedPositions(since: base)
      dataChange = writes.database.resourceNames(at: changed).first.map { .reloaded($0) }
    case .delete(let ids, let name):
      if let signIn { forgetUsers(signIn) }
      response = removed.members(as: "deleted")
      response["undo"] = keep(removed).map { .number(JSONNumber($0)) } ?? .null
      dataChange = ids.count == 1 ? .deleted(name, id: ids[0], dependents: removed.removed) : .reloaded(name)
    }
    writes.enqueueCommit(
      PendingResponse(requester: requester, response: .json(.object(response)), change: dataChange), since: base,
      on: self)
  }

  /// Keeps what a deletion removed, for as long as it can be undone.
  private func keep(_ removed: RemovedRecords) -> Int? {
    guard let number = writes.deletions.keep(removed) else { return nil }
    schedule(after: Deletions.lifetime) { $0.writes.deletions.forget(number) }
    return number
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
