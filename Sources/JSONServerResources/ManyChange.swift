import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServerHTTP
import JSONServerValues

// One change of all records that a query selects.

extension Endpoint {
  /// Parses `DELETE /posts?id=1&id=2` and `PATCH /posts?status=draft`.
  ///
  /// - Throws: 405 without a filter, 400 for an invalid request.
  static func changeMany(
    _ name: String, _ request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> Endpoint {
    var list = try ListParameters(parameters, schema, hasCursors: false)
    list.query.criteria.isForChange = true
    let isForAll = try isForAll(parameters)
    guard list.selectsByFilter || isForAll else {
      let verb = request.method == .delete ? "delete" : "change"
      throw RequestError(
        .methodNotAllowed(["GET", "HEAD", "POST", "OPTIONS"]),
        """
        \(request.method) does not apply to \(request.path), which takes GET, HEAD, POST and OPTIONS; with a filter, such as \(request.path)?id=1&id=2, it would \(verb) all records that match, and with \
        _all=true every record.
        """)
    }
    guard request.method == .patch else {
      return Endpoint(.collection(name), .delete(dependents: dependents(parameters)), list: list)
    }
    if let patch = try patch(from: request, schema) { return Endpoint(.collection(name), .patch(patch), list: list) }
    let body = try patchBody(of: request, QueryParameters(), schema)
    guard !request.bytes.isEmpty, body.json.kind == .object else {
      throw RequestError(.malformed, "Send an object of the members to change; the query only says in which records.")
    }
    return Endpoint(.collection(name), .merge(body), list: list)
  }

  /// Whether `_all=true` selects all records.
  private static func isForAll(_ parameters: QueryParameters) throws(RequestError) -> Bool {
    switch parameters.first("_all") {
    case "true": return true
    case nil, "false": return false
    case let value?: throw RequestError(.malformed, "'_all' must be true or false; it is '\(value)'.")
    }
  }

  /// Changes all matching records, or none.
  ///
  /// - Returns: The records after the change, or before the deletion. When a parameter has no effect, nothing is
  ///   changed, and the result names the parameter.
  func changeMany(
    of name: String, _ parameters: ListParameters, on database: inout Database
  ) throws(DatabaseError) -> EndpointResult {
    let selection = try database.list(name, parameters.query).selection
    var ignored = selection.idleFilters.map { IgnoredParameter($0) }
    // An empty collection knows no members, unless bodies are checked by the first data.
    let known = database.checkedMembers(of: name)?.map(\.name) ?? []
    let isEmpty = database.count(of: name) == 0
    if !isEmpty || !known.isEmpty {
      let names = isEmpty ? parameters.query.criteria.parameters.map(\.name) : selection.unknownParameters
      let unknown = names.filter { parameter in
        !known.contains { parameter == $0 || parameter.hasPrefix($0 + ".") || parameter.hasPrefix($0 + "_") }
      }
      ignored += unknown.map { IgnoredParameter(name: $0, reason: .noMember(of: name)) }
    }
    guard ignored.isEmpty else {
      var result = EndpointResult(.list(RecordList([RelatedRecord]())))
      result.ignored = ignored
      return result
    }
    let records: [ValidJSON]
    let dataChange: DataChange
    switch action {
    case .delete(let dependents):
      let deletion = try database.delete(selection, in: name, dependents: dependents)
      records = Array(selection.records)
      dataChange = .deleted(name, ids: deletion.ids, dependents: deletion.dependents)
    case .merge(let body), .replace(let body), .create(let body), .createOrMerge(let body):
      let written = try database.edit(selection, in: name, by: .merge(body.json(for: name, in: database)))
      records = written.map(\.text)
      dataChange = .updated(name, written)
    case .patch(let patch):
      let written = try database.edit(selection, in: name, by: .patch(patch))
      records = written.map(\.text)
      dataChange = .updated(name, written)
    case .read: return EndpointResult(.list(RecordList(selection.records)))
    }
    var result = EndpointResult(
      .list(RecordList(records.map { RelatedRecord(record: $0) })), change: records.isEmpty ? nil : dataChange)
    result.total = records.count
    return result
  }
}

extension IgnoredParameter {
  /// A parameter that names a member without a value in any record.
  init(name: String, naming path: FieldPath) {
    self.init(name: name, reason: .idle("names '\(path.name)', a member that no record has"))
  }

  fileprivate init(_ filter: IdleFilter) {
    switch filter.reason {
    case .noMember: self.init(name: filter.parameter, naming: filter.path)
    case .metByAll:
      let reason = "compares '\(filter.path.name)' with nothing, which every value meets"
      self.init(name: filter.parameter, reason: .idle(reason))
    }
  }
}

extension ListParameters {
  /// Whether a filter selects some records, and not all.
  fileprivate var selectsByFilter: Bool {
    var criteria = query.criteria
    criteria.isForChange = false
    if criteria.conditions?.isMetByAll ?? false { criteria.conditions = nil }
    return criteria != Query().criteria
  }
}

extension JSONValue {
  /// Whether every record matches a `_where` tree.
  var isMetByAll: Bool {
    guard case .object(let tree) = self else { return false }
    return tree.allSatisfy { name, value in
      if name == "or", case .array(let branches) = value { return branches.contains { $0.isMetByAll } }
      if name == "and", case .array(let branches) = value { return branches.allSatisfy { $0.isMetByAll } }
      return value.isMetByAll
    }
  }
}
