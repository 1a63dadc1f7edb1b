import JSONDatabase
import OrderedJSON

/// A request for data once it is known who sent it: any thread can carry it out, with a version of the data alone.
struct DataOperation: Sendable {
  /// What of the users is kept from whoever sent it.
  enum Hiding: Sendable {
    case nothing
    /// Passwords, from what is read and from what decides what is read, by the name of the users.
    case passwordsOfData(of: String)
    /// Passwords, from the result alone: a change of a user needs the whole record.
    case passwordsOfResult
  }

  var endpoint: Endpoint
  var request: Request
  let ids: IDGenerator
  var hiding = Hiding.nothing
  /// What of all data a user may read; `nil` for all of it.
  var share: OwnedShare?
  /// What whoever sent it may not change.
  var rights = ChangeRights()

  /// Creates what a request for data comes to for whoever sent it.
  ///
  /// - Throws: 400, 401 and 403, for what whoever sent the request may not have.
  init(
    _ endpoint: Endpoint, _ context: RequestContext, ids: IDGenerator, _ authorization: Authorization?
  ) throws(RequestError) {
    (self.endpoint, request, self.ids) = (endpoint, context.request, ids)
    try authorization?.restrict(&self, of: context)
  }

  /// Carries the request out.
  ///
  /// - Throws: ``RequestError``; what became of the database is of no use then.
  func perform(on database: inout Database) throws(RequestError) -> EndpointResult {
    try rights.check(endpoint, on: database)
    switch hiding {
    case .nothing: return try endpoint.perform(request, on: &database, ids: ids)
    case .passwordsOfResult:
      return try endpoint.perform(request, on: &database, ids: ids).removing(SignInState.hiddenName)
    case .passwordsOfData(let users):
      var shown = database.hiding(SignInState.hiddenName, of: users)
      if let share { return share.result(in: shown) }
      return try endpoint.perform(request, on: &shown, ids: ids)
    }
  }
}

/// A request for data with all that decides its response.
struct ShapedOperation: Sendable {
  /// What came of it, with the parameters that have no effect.
  struct Success: Sendable {
    var result: EndpointResult
    let ignored: [IgnoredParameter]
  }

  /// Why nothing came of it.
  enum Refusal: Error {
    /// Parameters have no effect.
    case ignored([IgnoredParameter])
    case failed(RequestError, [IgnoredParameter])
  }

  let operation: DataOperation
  /// What the request asks for, before it was limited to what is a user's.
  let endpoint: Endpoint
  let shape: ResponseShape?
  let precondition: Precondition?
  /// The parameters that have no effect, whatever the data.
  let ignored: [IgnoredParameter]
  /// Whether parameters without an effect are an error.
  let refusesIgnored: Bool

  /// Carries the request out.
  ///
  /// - Throws: ``Refusal``; what became of the database is of no use then.
  func carryOut(on database: inout Database) throws(Refusal) -> Success {
    var ignored = ignored
    do throws(RequestError) {
      try precondition?.check(on: database)
    } catch {
      throw .failed(error, [])
    }
    if endpoint.isWrite, let shape { ignored += shape.unknownFields(of: endpoint, in: database) }
    if refusesIgnored, !ignored.isEmpty { throw .ignored(ignored) }
    do throws(RequestError) {
      var result = try operation.perform(on: &database)
      shape?.apply(to: &result, of: endpoint, in: database)
      return Success(result: result, ignored: ignored)
    } catch {
      throw .failed(error, ignored)
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
  fileprivate func result(in database: Database) -> EndpointResult {
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
