import JSONDatabase
import JSONServerValues

/// The limits of a change that depend on the records it changes.
///
/// Which records those are may take long to find out: it happens where the change is carried out.
struct ChangeRights: Sendable {
  /// The rights for records that a deletion deletes or changes besides those that it names.
  enum Access: Sendable {
    /// Those of a user may be written: a member holds the user's id.
    case owned(by: String, in: String)
    case refused(RequestError)
  }

  /// The records that a change of many may be about, where only owners may change them.
  struct Ownership: Sendable {
    let user: String
    /// The member that holds the user's id.
    let key: FieldPath
    /// Whether the user reads the records of others, too: then none of them may match.
    let readsOthers: Bool
  }

  var ownership: Ownership?
  /// By resource; the records of all others may be written.
  var dependents: [String: Access] = [:]

  /// Refuses a change of what its sender may not write.
  ///
  /// A record that is missing or does not fit is refused when the change is carried out.
  ///
  /// - Parameter endpoint: The change, limited to what is the user's.
  /// - Throws: 401 and 403.
  func check(_ endpoint: Endpoint, on database: Database) throws(RequestError) {
    if endpoint.changesMany { try checkOwnership(endpoint, on: database) }
    guard !self.dependents.isEmpty, case .delete(let dependents) = endpoint.action else { return }
    switch endpoint.target {
    case .record(let name, let id):
      try check(try? database.recordsAffected(byDeleting: id, in: name, dependents: dependents))
    case .collection(let name):
      guard let query = endpoint.list?.query else { return }
      try check(try? database.recordsAffected(byDeleting: query, in: name, dependents: dependents))
    case .database, .object: return
    }
  }

  /// - Parameter affected: The records besides those that a deletion names, by resource.
  private func check(_ affected: [String: [ValidJSON]]?) throws(RequestError) {
    for (name, records) in affected ?? [:] {
      switch dependents[name] {
      case nil: continue
      case .refused(let error)?: throw error
      case .owned(let user, let key)?:
        let key = Array(key.utf8)
        guard records.allSatisfy({ $0.withToken { $0.member(key)?.recordID } == user }) else {
          throw Self.foreignDependents(name)
        }
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
    all.owner = nil
    guard (try? database.list(name, all).selection.total) == selection.total else { throw .foreign }
  }

  static func foreignDependents(_ name: String) -> RequestError {
    RequestError(.forbidden, "The deletion would change records of '\(name)' that you may not write.")
  }
}

extension Schema {
  /// Whether a record still belongs to a user once it is patched; one that the patch does not fit does.
  ///
  /// - Parameters:
  ///   - key: The member that holds the user's id.
  ///   - idName: The member that the patch must leave as it is; `nil` for none.
  func keeps(
    _ user: String, at key: FieldPath, in record: ValidJSON, _ patch: Patch, keeping idName: String?
  ) -> Bool {
    guard let after = try? apply(patch, to: record, keeping: idName) else { return true }
    // Of a name given twice the first value counts for readers.
    return after.member(Array(key.name.utf8))?.withToken(\.recordID) == user
  }
}
