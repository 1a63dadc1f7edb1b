package import JSONDatabase
package import JSONServerHTTP
package import JSONServerValues

/// The limits of a change that depend on the records that it changes.
///
/// Finding these records may take long, so it happens when the change is carried out.
package struct ChangeRights: Sendable {
  /// The rights to the dependent records of a deletion.
  package enum Access: Sendable {
    /// The user may write own records: those with the user's id in a member.
    case owned(by: String, in: String)
    case refused(RequestError)
  }

  /// The limits of a change of many records, where only owners may change records.
  package struct Ownership: Sendable {
    let user: String
    /// The member with the user's id.
    let key: FieldPath
    /// Whether the user may read the records of others; then none of these may match.
    let readsOthers: Bool

    package init(user: String, key: FieldPath, readsOthers: Bool) {
      (self.user, self.key, self.readsOthers) = (user, key, readsOthers)
    }
  }

  package var ownership: Ownership?
  /// The rights to dependent records, by resource; all other records may be written.
  package var dependents: [String: Access] = [:]

  package init() {}

  /// Refuses a change of records that its sender may not write.
  ///
  /// A missing record, and a patch that does not fit, are refused later.
  ///
  /// - Parameter endpoint: The change, limited to the user's records.
  /// - Throws: 401 and 403.
  func check(_ endpoint: Endpoint, on database: Database) throws(RequestError) {
    if endpoint.changesMany { try checkOwnership(endpoint, on: database) }
    guard !self.dependents.isEmpty, case .delete(let dependents) = endpoint.action, let name = endpoint.resource else {
      return
    }
    let slots: [Int]? =
      switch endpoint.target {
      case .record(_, let id): database.slot(of: id, in: name).map { [$0] }
      case .collection: endpoint.list.flatMap { try? database.list(name, $0.query).selection.slots }
      case .database, .object: nil
      }
    guard let slots else { return }
    try check(try? database.recordsAffected(byDeleting: slots, in: name, dependents: dependents))
  }

  /// - Parameter affected: The dependent records of a deletion, by resource.
  private func check(_ affected: [String: [ValidJSON]]?) throws(RequestError) {
    for (name, records) in affected ?? [:] {
      switch dependents[name] {
      case nil: continue
      case .refused(let error)?: throw error
      case .owned(let user, let key)?:
        guard records.allSatisfy({ $0.recordID(in: key) == user }) else { throw Self.foreignDependents(name) }
      }
    }
  }

  private func checkOwnership(_ endpoint: Endpoint, on database: Database) throws(RequestError) {
    guard let ownership, let name = endpoint.resource, let query = endpoint.list?.query,
      let selection = try? database.list(name, query).selection
    else { return }
    if case .patch(let patch) = endpoint.action {
      let idName = database.schema.idName(of: name)
      for record in selection.records {
        guard database.schema.keeps(ownership.user, at: ownership.key, in: record, patch, keeping: idName) else {
          throw .unsigned
        }
      }
    }
    guard ownership.readsOthers else { return }
    var all = query
    all.criteria.owner = nil
    guard (try? database.list(name, all).selection.total) == selection.total else { throw .foreign }
  }

  package static func foreignDependents(_ name: String) -> RequestError {
    RequestError(.forbidden, "The deletion would change records of '\(name)' that you may not write.")
  }
}

extension Schema {
  /// Whether a record still belongs to a user after a patch; `true` for a patch that does not fit.
  ///
  /// - Parameters:
  ///   - key: The member with the user's id.
  ///   - idName: The member that the patch must not change; `nil` for none.
  package func keeps(
    _ user: String, at key: FieldPath, in record: ValidJSON, _ patch: Patch, keeping idName: String?
  ) -> Bool {
    guard let after = try? apply(patch, to: record, keeping: idName) else { return true }
    // Readers use the first value of a name that is given twice.
    return after.recordID(in: key.name) == user
  }
}

extension RequestError {
  package static var unsigned: RequestError {
    RequestError(.forbidden, "Private resource creation: request body must have a reference to the owner id")
  }

  package static var foreign: RequestError {
    RequestError(.forbidden, "Private resource access: entity must have a reference to the owner id")
  }
}
