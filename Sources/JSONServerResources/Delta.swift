import HTTPTypes
package import JSONDatabase
package import JSONServerHTTP
import JSONServerValues
import JSONStorage

/// What a client asks for with `_since`: the records of a list, and later what has changed in the list.
package struct Delta: Sendable {
  /// A place in the history of a list; clients pass it back as it is.
  package struct Token: Sendable {
    /// The history: that of one run of a server, until its data is replaced.
    let origin: String
    /// The list, as a hash of the request.
    package let list: String
    /// The number of the last change that the client knows.
    var number: Int
    /// The number of records that the client has read of the version with this number; `nil` when it has read all.
    var position: Int?

    package var text: String {
      "\(origin)-\(list)-\(number)" + (position.map { "-\($0)" } ?? "")
    }
  }

  /// Where the client goes on.
  package enum Content: Sendable {
    /// All records of a version, from a position on.
    case all(from: Int)
    /// The records that have changed.
    case changes([ChangeHistory.Change])
    /// All records as changed ones, and other changes: an embedded record has changed.
    case everything([ChangeHistory.Change])
  }

  /// The client's token; `nil` at the beginning.
  let token: Token?
  /// The maximum number of records; `nil` for no limit.
  let limit: Int?
  /// What the history says; `nil` before it was asked.
  var content: Content?
  /// The token of the end of the history.
  var end: Token?
  /// The version to read; `nil` for the current one.
  var version: Database?

  /// Reads the parameters; `nil` without `_since`.
  ///
  /// - Throws: 400 for what is no token, and for a parameter that contradicts `_since`.
  init?(_ parameters: QueryParameters) throws(RequestError) {
    guard let text = parameters.first("_since") else { return nil }
    for name in ["_sort", "_order", "_page", "_per_page", "_start", "_end"] where parameters.first(name) != nil {
      throw RequestError(
        .malformed, "'\(name)' contradicts '_since', which sorts by the time of change; use _limit for pages.")
    }
    limit = try parameters.number("_limit").map { max($0, 1) }
    guard !text.isEmpty else {
      token = nil
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard 3...4 ~= parts.count, let number = Int(parts[2]), number >= 0, parts.count == 3 || Int(parts[3]) != nil else {
      throw RequestError(
        .malformed, "'_since' is not a token; send X-Next-Since of the last response, or an empty '_since' at first.")
    }
    token = Token(origin: parts[0], list: parts[1], number: number, position: parts.count == 4 ? Int(parts[3]) : nil)
  }
}

/// The history of the data for clients that ask for changes, and the versions that some of them are reading.
package struct Deltas {
  package var history = ChangeHistory()
  /// Distinguishes this history from all others.
  private var origin = Self.newOrigin
  /// The versions that clients read page by page, by the number of their last change, the newest at the end.
  private var versions: [(number: Int, database: Database)] = []
  private static let maximumVersions = 16

  package init() {}

  private static var newOrigin: String { String(UInt64.random(in: .min ... .max), radix: 36) }

  /// Begins anew: tokens from before are void.
  package mutating func restart() {
    if history.isActive { self = Deltas() }
  }

  /// Looks up what a client asks for.
  ///
  /// - Parameters:
  ///   - list: Everything on which the list depends.
  ///   - others: The collections whose records the list also shows.
  /// - Throws: 400 for the token of another list, 410 for one that the history does not reach.
  package mutating func resolve(
    _ delta: Delta, of name: String, _ list: [String], others: [String], areSelecting: Bool, owner: FieldPath?,
    in database: Database
  ) throws(RequestError) -> Delta {
    for name in [name] + others { history.follow(name, owner: owner) }
    var delta = delta
    let hash = ContentHash(of: Array(list.joined(separator: "\u{0}").utf8)).value
    delta.end = Delta.Token(origin: origin, list: String(hash, radix: 36), number: history.number)
    guard let token = delta.token else {
      delta.content = .all(from: 0)
      if delta.limit != nil { keep(database) }
      return delta
    }
    guard token.list == delta.end?.list else {
      throw RequestError(
        .malformed, "'_since' is the token of another list; keep the path and all parameters except _limit.")
    }
    guard token.origin == origin else { throw Self.gone }
    if let position = token.position {
      guard let version = versions.last(where: { $0.number == token.number })?.database, position >= 0 else {
        throw Self.gone
      }
      (delta.content, delta.version, delta.end) = (.all(from: position), version, token)
      delta.end?.position = nil
      return delta
    }
    guard let changes = history.changes(of: name, since: token.number) else { throw Self.gone }
    let isAffected = others.contains { history.mayHaveChanged($0, since: token.number) }
    if isAffected, areSelecting { throw Self.gone }
    delta.content = isAffected ? .everything(changes) : .changes(changes)
    return delta
  }

  private mutating func keep(_ database: Database) {
    guard versions.last?.number != history.number else { return }
    if versions.count == Self.maximumVersions { versions.removeFirst() }
    versions.append((history.number, database))
  }

  private static var gone: RequestError {
    RequestError(
      .gone,
      """
      The server no longer knows this token: it was restarted, its data was replaced, or too much was deleted since. \
      Read everything again, with an empty _since.
      """)
  }
}

extension ListParameters {
  /// The records that a client asks for with `_since`.
  func result(
    of delta: Delta, in name: String, _ request: Request, _ database: Database
  ) throws(DatabaseError) -> (EndpointResult, Selection, RelatedRecords) {
    var query = query
    query.window = .all
    // The last change of the page, or the next record; neither on the last page.
    var last: (number: Int?, position: Int?) = (nil, nil)
    let found: (selection: Selection, related: RelatedRecords)
    let shownRecords: RecordList
    let total: Int
    switch delta.content {
    case .all(let start)?:
      query.window = .slice(start: start, end: delta.limit.map { start + $0 })
      found = try database.list(name, query)
      total = found.selection.total
      let next = start + found.related.records.count
      if next < total { last.position = next }
      shownRecords = found.related.records
    case .changes(let changes)?:
      query.criteria.ids = changes.map(\.id).filter { id in query.criteria.ids?.contains(id) ?? true }
      found = try database.list(name, query)
      let own = try query.criteria.owner.map { owner throws(DatabaseError) in
        try database.ids(of: changes.map(\.id), in: name, ownedBy: owner)
      }
      let records = database.byID(found.related.records, in: name)
      let shown = changes.compactMap { change -> (Int, RelatedRecord)? in
        let key = ByteExactKey(change.id)
        if let record = records[key] { return (change.number, record) }
        let owner = query.criteria.owner?.id.string
        guard owner.map(change.owners.contains) ?? true || own?.contains(key) == true else { return nil }
        return (change.number, database.mark(ofDeleted: change.value, in: name))
      }
      total = shown.count
      let page = shown.prefix(delta.limit ?? .max)
      shownRecords = RecordList(page.map(\.1))
      if page.count < total { last.number = page.last?.0 }
    case .everything(let changes)?:
      found = try database.list(name, query)
      let records = database.byID(found.related.records, in: name)
      var entries = (0..<found.related.records.count).compactMap { found.related.records[$0] }
      var others = query
      others.criteria = Query().criteria
      others.criteria.owner = query.criteria.owner
      others.relations = []
      let all = database.byID(try database.list(name, others).related.records, in: name)
      for (id, record) in all where records[id] == nil {
        let value = record.record.member(Array(database.schema.idName(of: name).utf8)).map { JSONValue($0) }
        if let value { entries.append(database.mark(ofDeleted: value, in: name)) }
      }
      for change in changes where all[ByteExactKey(change.id)] == nil && records[ByteExactKey(change.id)] == nil {
        guard query.criteria.owner.map({ change.owners.contains($0.id.string) }) ?? true else { continue }
        entries.append(database.mark(ofDeleted: change.value, in: name))
      }
      total = entries.count
      shownRecords = RecordList(entries)
    case nil: throw DatabaseError(.invalidQuery, "'_since' applies to lists only.")
    }
    var result = EndpointResult(.list(shownRecords))
    result.total = total
    result.setToken(of: delta, last, request)
    return (result, found.selection, found.related)
  }
}

extension EndpointResult {
  /// Adds the token of the end of a page, and the address of the next page.
  ///
  /// - Parameter last: The number of the last change on the page, or the position of the next record; without both, the page
  ///   is the last one.
  fileprivate mutating func setToken(of delta: Delta, _ last: (number: Int?, position: Int?), _ request: Request) {
    guard var token = delta.end else { return }
    token.number = last.number ?? token.number
    token.position = last.position
    nextSince = token.text
    guard last.number != nil || last.position != nil else { return }
    let target = request.target(leavingOut: { $0.isEmpty || $0 == "_since" }, adding: "_since=\(token.text)")
    link = "<\(request.base)\(PercentEncoding.encodeUnsafe(target))>; rel=\"next\""
  }
}

extension Database {
  /// The records by their ids.
  fileprivate func byID(_ records: RecordList, in name: String) -> [ByteExactKey: RelatedRecord] {
    let idName = schema.idName(of: name)
    var found: [ByteExactKey: RelatedRecord] = [:]
    for place in 0..<records.placeCount {
      guard let record = records[place], let id = record.record.recordID(in: idName) else { continue }
      found[ByteExactKey(id)] = record
    }
    return found
  }

  /// The ids of those records that belong to a user.
  fileprivate func ids(
    of ids: [String], in name: String, ownedBy owner: Query.Reference
  ) throws(DatabaseError) -> Set<ByteExactKey> {
    var query = Query()
    (query.criteria.ids, query.criteria.owner) = (ids, owner)
    return Set(byID(try list(name, query).related.records, in: name).keys)
  }

  /// What a list shows in place of a record that it has no more.
  fileprivate func mark(ofDeleted id: JSONValue, in name: String) -> RelatedRecord {
    let members: [(String, JSONValue)] = [(schema.idName(of: name), id), ("_deleted", true)]
    return RelatedRecord(mark: ValidJSON(writing: .object(JSONObject(members))))
  }
}
