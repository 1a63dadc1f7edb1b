import JSONDatabase
import OrderedJSON

extension Engine {
  /// The records besides those that a request deletes which are removed or changed with them, by resource.
  ///
  /// - Parameter owner: The user to whose records the request is limited; `nil` for no limit.
  func recordsAffected(
    by endpoint: Endpoint, of owner: String?, _ signIn: SignInState
  ) throws(DatabaseError) -> [String: [ValidJSON]] {
    switch endpoint {
    case .delete(let name, let id, let dependents):
      return try writes.database.recordsAffected(byDeleting: id, in: name, dependents: dependents)
    case .changeMany(let name, let parameters, .delete(let dependents)):
      var query = parameters.query
      if let owner { query.owner = (ownerKey(in: name, signIn), owner) }
      return try writes.database.recordsAffected(byDeleting: query, in: name, dependents: dependents)
    case .database, .list, .record, .singular, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular,
      .changeMany:
      return [:]
    }
  }

  /// Whether a change of many records, which only their owners may change, is about no others than a user's.
  ///
  /// Where the user may read no others, none match; where the user may read them, they must not.
  ///
  /// - Throws: 403, when the records would belong to others then.
  func isOwn(
    _ change: ManyChange, of name: String, _ query: Query, _ context: RequestContext, to user: String,
    _ signIn: SignInState
  ) throws(RequestError) -> Bool {
    // Users are changed one by one, which whoever carries it out says.
    guard name != signIn.users else { return true }
    var own = query
    own.owner = (ownerKey(in: name, signIn), user)
    // What is invalid is refused by whoever carries it out.
    guard let selection = try? writes.database.list(name, own).selection else { return true }
    switch change {
    case .delete: break
    case .merge(let body):
      guard claims(body.json, in: name, signIn).allSatisfy({ $0 == user }) else { throw Self.unsigned }
    case .patch(let patch):
      let idName = writes.database.schema.idName(of: name)
      for record in selection.records {
        guard isKept(by: user, patch, of: record, in: name, keeping: idName, signIn) else { throw Self.unsigned }
      }
    }
    let reading = rule(for: name, prefix: context.guardPrefix, signIn).decision(on: .read, isSignedIn: true)
    if case .allowedToOwner = reading { return true }
    return (try? writes.database.list(name, query).selection.total) == selection.total
  }
}
