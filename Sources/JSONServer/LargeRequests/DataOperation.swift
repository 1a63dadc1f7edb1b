import JSONDatabase
import OrderedJSON

/// A request for data once it is known who sent it: any thread can carry it out, with the data alone.
struct DataOperation: Sendable {
  /// What of the users is kept from whoever sent it.
  enum Hiding: Sendable {
    case nothing
    /// Passwords, from what is read and from what decides what is read.
    case passwordsOfData
    /// Passwords, from the result alone: a change of a user needs the whole record.
    case passwordsOfResult
  }

  var endpoint: Endpoint
  let request: Request
  let ids: IDGenerator
  var hiding = Hiding.nothing
  /// What of all data a user may read; `nil` for all of it.
  var share: OwnedShare?
  /// What whoever sent it may not change.
  var rights = ChangeRights()

  /// The same operation, which ends early and with a wrong result once nobody wants it.
  func ending(when isAbandoned: @escaping @Sendable () -> Bool) -> DataOperation {
    guard case .list(let name, var parameters) = endpoint else { return self }
    parameters.query.isAbandoned = isAbandoned
    var operation = self
    operation.endpoint = .list(name, parameters)
    return operation
  }

  /// Carries the request out.
  ///
  /// - Throws: ``RequestError``; the database is unchanged then.
  func perform(
    on database: inout Database, hiding passwords: inout HiddenMember
  ) throws(RequestError) -> EndpointResult {
    try rights.check(endpoint, on: &database)
    switch hiding {
    case .nothing: return try endpoint.perform(request, on: &database, ids: ids)
    case .passwordsOfResult:
      return try endpoint.perform(request, on: &database, ids: ids).removing(SignInState.hiddenName)
    case .passwordsOfData:
      return try database.reading(without: &passwords) { database throws(RequestError) in
        if let share { return share.result(in: &database) }
        return try endpoint.perform(request, on: &database, ids: ids)
      }
    }
  }
}

/// What of all data a user may read where only owners may.
struct OwnedShare: Sendable {
  /// For each resource of which others have a part, the query for the user's records.
  var lists: [String: Query] = [:]
  /// The single objects of others.
  var hidden: Set<String> = []

  /// The data as the user sees it. O(size of the data).
  fileprivate func result(in database: inout Database) -> EndpointResult {
    var data = database.value.object ?? JSONObject()
    for (name, query) in lists {
      let records = try? database.list(name, query).selection.records
      data[name] = .array((records.map(Array.init) ?? []).map { JSONValue($0) })
    }
    for name in hidden { data[name] = nil }
    return EndpointResult(.text(ValidJSON(writing: .object(data))))
  }
}

extension EndpointResult {
  /// The result of a change of one record without a member of it.
  fileprivate func removing(_ name: String) -> EndpointResult {
    var result = self
    if case .text(let text) = content { result.content = .text(text.removing(name)) }
    switch change {
    case .created(let resource, let record)?: result.change = .created(resource, record.removing(name))
    case .updated(let resource, let record)?: result.change = .updated(resource, record.removing(name))
    case .deleted?, .updatedMany?, .deletedMany?, .reloaded?, .replaced?, nil: break
    }
    return result
  }
}
