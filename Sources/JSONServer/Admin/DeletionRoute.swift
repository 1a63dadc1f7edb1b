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
    do throws(DatabaseError) {
      if case .preview(let ids, let name) = route {
        let removed = try writes.database.recordsRemoved(byDeleting: ids, in: name)
        return finalize(context, .json(.object(removed.members(as: "deleted"))))
      }
    } catch {
      throw RequestError(error)
    }
    let requester = Requester.client(context, .admin(.deletions(route)))
    try allowWriting("a deletion")
    if try writes.postpone(requester) { return }
    let (response, change) = try carryOut(route)
    writes.enqueueCommit(
      PendingResponse(requester: requester, response: .json(.object(response)), change: change), on: self)
  }

  private func carryOut(_ route: DeletionRoute) throws(RequestError) -> (response: JSONObject, change: DataChange?) {
    do throws(DatabaseError) {
      switch route {
      case .preview: return (JSONObject(), nil)
      case .delete(let ids, let name):
        let removed = try writes.database.delete(ids, in: name)
        if let signIn { forgetUsers(signIn) }
        var members = removed.members(as: "deleted")
        let number = keep(removed)
        members["undo"] = number.map { .number(JSONNumber($0)) } ?? .null
        let change: DataChange =
          ids.count == 1 ? .deleted(name, id: ids[0], dependents: removed.removed) : .reloaded(name)
        return (members, change)
      case .undo(let text):
        guard let removed = Int(text).flatMap({ writes.deletions[$0] }) else {
          throw DatabaseError(
            .unknownRecord,
            "Deletion \(text) cannot be undone any more: it is more than a minute old, or the data was replaced since.")
        }
        try writes.database.putBack(removed)
        return (removed.members(as: "restored"), writes.database.changedResourceNames.first.map { .reloaded($0) })
      }
    } catch {
      throw RequestError(error)
    }
  }

  /// Keeps what a deletion removed, for as long as it can be undone.
  private func keep(_ removed: RemovedRecords) -> Int? {
    guard let number = writes.deletions.keep(removed) else { return nil }
    schedule(after: Deletions.lifetime) { $0.writes.deletions.forget(number) }
    return number
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
