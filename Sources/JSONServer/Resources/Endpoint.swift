import HTTPTypes
import JSONDatabase
import OrderedJSON

/// What a request asks the database for, parsed once: what it is about, and what happens to that.
///
/// A class, because it is passed on at each step, where a copy would cost a dozen reference counts.
final class Endpoint: Sendable {
  enum Target: Sendable {
    /// The whole database.
    case database
    /// Records of a collection.
    case collection(String)
    /// One record of a collection.
    case record(String, id: String)
    /// A singular resource.
    case object(String)
  }

  enum Action: Sendable {
    case read
    /// A new record, or other members of a singular resource by POST.
    case create(WrittenBody)
    /// Many records, each new or merged into an existing one.
    case createOrMerge(WrittenBody)
    /// Other members.
    case replace(WrittenBody)
    /// Some other members.
    case merge(WrittenBody)
    case patch(Patch)
    /// The resources whose records go with what is deleted under 1.0's dialect.
    case delete(dependents: [String])
  }

  let target: Target
  let action: Action
  /// Which records of a collection are meant, where several exist already.
  let list: ListParameters?
  /// The related records that are read, too.
  let relations: [RelationRequest]
  /// The resource and id of the record below which a new one is created.
  let parent: (resource: String, id: String)?

  init(
    _ target: Target, _ action: Action = .read, list: ListParameters? = nil, relations: [RelationRequest] = [],
    below parent: (resource: String, id: String)? = nil
  ) {
    self.target = target
    self.action = action
    self.list = list
    self.relations = list?.query.relations ?? relations
    self.parent = parent
  }

  /// The same of what it is about, with another action.
  func with(_ action: Action) -> Endpoint {
    Endpoint(target, action, list: list, relations: relations, below: parent)
  }

  /// The same of the records alone that belong to a user.
  ///
  /// - Parameter key: The member that holds the user's id.
  func limited(to owner: String, by key: FieldPath) -> Endpoint {
    guard var list else { return self }
    list.query.owner = (key, owner)
    return Endpoint(target, action, list: list, relations: relations, below: parent)
  }

  /// The resource that it reads or changes; `nil` for all.
  var resource: String? {
    switch target {
    case .database: nil
    case .collection(let name), .record(let name, _), .object(let name): name
    }
  }

  /// Whether it changes the database.
  var isWrite: Bool {
    if case .read = action { false } else { true }
  }

  /// Whether it changes all records that match its parameters, so that each of those must have an effect.
  var changesMany: Bool { isWrite && list != nil }

  /// What it changes, as a request to read that; `nil` when that is not there yet.
  var reading: Endpoint? {
    switch (target, action) {
    case (_, .read), (_, .createOrMerge), (.collection, .create): nil
    default: Endpoint(target, list: list)
    }
  }

  /// The resource whose changes can be watched instead of reading it again.
  var watchedResource: String? {
    switch target {
    case .collection(let name), .object(let name): isWrite ? nil : name
    case .database, .record: nil
    }
  }

  /// The one resource that it reads; `nil` when it may be several.
  var onlyResource: String? { isWrite || !relations.isEmpty ? nil : resource }
}

extension Endpoint {
  /// Carries the request out and returns the result.
  ///
  /// - Throws: ``RequestError``; what became of the database is of no use then.
  func perform(_ request: Request, on database: inout Database, ids: IDGenerator) throws(RequestError) -> EndpointResult
  {
    do throws(DatabaseError) {
      switch target {
      case .database: return EndpointResult(.database(database.text))
      case .collection(let name): return try perform(request, onCollection: name, of: &database, ids: ids)
      case .record(let name, let id): return try perform(onRecord: id, in: name, of: &database)
      case .object(let name): return try perform(onObject: name, of: &database)
      }
    } catch {
      throw RequestError(error)
    }
  }

  private func perform(
    _ request: Request, onCollection name: String, of database: inout Database, ids: IDGenerator
  ) throws(DatabaseError) -> EndpointResult {
    switch action {
    case .create(let body):
      let written = try database.create(body.json(for: name, in: database), in: name, belongingTo: parent, ids: ids)
      var result = EndpointResult(
        .text(written.text), status: .created, location: [name, written.id], change: .created(name, written))
      if let parent, let note = database.note(onMissing: parent) { result.notes.append(note) }
      return result
    case .createOrMerge(let bodies):
      let (records, created) = try database.createOrMerge(bodies.json(for: name, in: database), in: name, ids: ids)
      return EndpointResult(
        .list(RecordList(records.map { RelatedRecord(record: $0) })), status: created > 0 ? .created : .ok,
        change: .reloaded(name))
    case .read, .replace, .merge, .patch, .delete:
      // Without a selection, a change would be one of all records.
      guard let list else {
        throw DatabaseError(.invalidQuery, "The request does not say which records of '\(name)' it is for.")
      }
      return if case .read = action { try Self.list(name, list, request, database) } else {
        try changeMany(of: name, list, on: &database)
      }
    }
  }

  private func perform(
    onRecord id: String, in name: String, of database: inout Database
  ) throws(DatabaseError) -> EndpointResult {
    let written: WrittenRecord
    switch action {
    case .read:
      let record = try database.record(id, in: name)
      guard !relations.isEmpty else { return EndpointResult(.record(RelatedRecord(record: record))) }
      let related = try database.related(relations, to: record, in: name)
      var result = EndpointResult(.record(related.records.first ?? RelatedRecord(record: record)))
      result.notes = related.notes
      result.ignored = related.ignored
      return result
    case .delete(let dependents):
      let deletion = try database.delete(id, in: name, dependents: dependents)
      let content: EndpointResult.Content =
        database.schema.dialect == .v1 ? .text(deletion.record) : .text(.emptyObject)
      return EndpointResult(content, change: .deleted(name, id: id, dependents: deletion.dependents))
    case .replace(let body):
      written = try database.replace(id, in: name, with: body.json(for: name, id: id, in: database))
    case .merge(let body), .create(let body), .createOrMerge(let body):
      written = try database.merge(body.json(for: name, id: id, in: database), into: id, in: name)
    case .patch(let patch): written = try database.apply(patch, to: id, in: name)
    }
    return EndpointResult(.text(written.text), change: .updated(name, written))
  }

  private func perform(onObject name: String, of database: inout Database) throws(DatabaseError) -> EndpointResult {
    let text: ValidJSON
    switch action {
    case .read, .delete: return EndpointResult(.text(try database.singular(name)))
    case .patch(let patch): text = try database.apply(patch, toSingular: name)
    case .merge(let body):
      text = try database.write(body.json(for: name, in: database), toSingular: name, merging: true)
    case .replace(let body):
      text = try database.write(body.json(for: name, in: database), toSingular: name, merging: false)
    case .create(let body), .createOrMerge(let body):
      text = try database.write(body.json(for: name, in: database), toSingular: name, merging: false)
      return EndpointResult(.text(text), status: .created, location: [name], change: .reloaded(name))
    }
    return EndpointResult(.text(text), change: .reloaded(name))
  }

  private static func list(
    _ name: String, _ parameters: ListParameters, _ request: Request, _ database: Database
  ) throws(DatabaseError) -> EndpointResult {
    var (selection, related) = try database.list(name, parameters.query)
    var result = EndpointResult(.list(related.records))
    if let form = parameters.pageForm, case .page(let number, let size) = parameters.query.window {
      let page = PageNumbers(number: number, size: size, total: selection.total)
      switch form {
      case .array: result.link = PageLinks(request, page).fieldValue
      case .envelope:
        if page.number != number {
          // 1.0 responds with the last page to a request for a page beyond it.
          var query = parameters.query
          query.window = .page(page.number, size: size)
          related = try database.list(name, query).related
        }
        result.content = .envelope(page, related.records)
      }
    }
    result.total = selection.total
    result.ignored = selection.unknownParameters.map { IgnoredParameter(name: $0, reason: .noMember(of: name)) }
    for path in selection.unknownSortPaths {
      let reason = "names '\(path.name)', a member that no record has"
      result.ignored.append(IgnoredParameter(name: "_sort", reason: .idle(reason)))
    }
    if !related.unknownRelations.isEmpty { result.ignored += related.ignored }
    result.notes = related.notes
    if let parent = parameters.query.parent, let note = database.note(onMissing: (parent.resource, parent.id)) {
      result.notes.append(note)
    }
    return result
  }
}

extension RelatedRecords {
  /// The relations that were asked for and lead nowhere.
  fileprivate var ignored: [IgnoredParameter] {
    unknownRelations.map { request in
      let name = request.kind == .embed ? "_embed" : "_expand"
      return IgnoredParameter(name: name, reason: .idle("names '\(request.name)', which leads to no collection"))
    }
  }

  /// What a person should know about relations that were asked for.
  fileprivate var notes: [String] {
    hiddenNames.map { "a record has a member '\($0)' of its own, which what is related to it does not replace" }
  }
}

extension Database {
  /// What a person should know about a record that others are addressed below; `nil` when it is there.
  fileprivate func note(onMissing parent: (resource: String, id: String)) -> String? {
    guard let (name, _) = resource(meantBy: parent.resource) else {
      return "\(unknownResourceMessage(parent.resource)) What is below it goes by the foreign key alone"
    }
    if hasRecord(parent.id, in: name) { return nil }
    return "\(name) has no record with id \(parent.id); what is below it goes by the foreign key alone"
  }
}
