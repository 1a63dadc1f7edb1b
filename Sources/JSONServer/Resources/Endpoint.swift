import HTTPTypes
import JSONDatabase
import OrderedJSON

/// What a request asks the database for, parsed once.
enum Endpoint {
  /// The whole database.
  case database
  /// Records of a collection.
  case list(String, ListParameters)
  /// One record of a collection.
  case record(String, id: String, [RelationRequest])
  /// A singular resource.
  case singular(String)
  /// A new record in a collection, perhaps below a record of another.
  case create(String, body: WrittenBody, parent: (resource: String, id: String)?)
  /// Many records, each new or merged into an existing one.
  case createOrMerge(String, bodies: WrittenBody)
  /// New members for a record.
  case replace(String, id: String, body: WrittenBody)
  /// Some new members for a record.
  case merge(String, id: String, body: WrittenBody)
  /// A patch of a record, or of a singular resource when there is no id.
  case patch(String, id: String?, Patch)
  /// Some or all new members for a singular resource.
  case writeSingular(String, body: WrittenBody, merging: Bool, isPost: Bool)
  /// The same change of all records that a list would show.
  case changeMany(String, ListParameters, ManyChange)
  /// The deletion of a record.
  case delete(String, id: String, dependents: [String])

  /// Whether it changes the database.
  var isWrite: Bool {
    switch self {
    case .database, .list, .record, .singular: false
    case .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .changeMany, .delete: true
    }
  }

  /// Whether it changes all records that match its parameters, so that each of those must have an effect.
  var changesMany: Bool {
    if case .changeMany = self { true } else { false }
  }

  /// What it changes, as a request to read that; `nil` when that is not there yet.
  var target: Endpoint? {
    switch self {
    case .replace(let name, let id, _), .merge(let name, let id, _), .delete(let name, let id, _):
      .record(name, id: id, [])
    case .patch(let name, let id, _): id.map { .record(name, id: $0, []) } ?? .singular(name)
    case .writeSingular(let name, _, _, _): .singular(name)
    case .changeMany(let name, let parameters, _): .list(name, parameters)
    case .database, .list, .record, .singular, .create, .createOrMerge: nil
    }
  }

  /// The resource whose changes can be watched instead of reading it again.
  var watchedResource: String? {
    switch self {
    case .list(let name, _), .singular(let name): name
    case .database, .record, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .changeMany, .delete:
      nil
    }
  }

  /// The one resource that it reads; `nil` when it may be several.
  var onlyResource: String? {
    switch self {
    case .list(let name, let parameters): parameters.query.relations.isEmpty ? name : nil
    case .record(let name, _, let relations): relations.isEmpty ? name : nil
    case .singular(let name): name
    case .database, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .changeMany, .delete: nil
    }
  }
}

extension Endpoint {
  /// Carries the request out and returns the result.
  ///
  /// - Throws: ``RequestError``; the database is unchanged then.
  func perform(_ request: Request, on database: inout Database, ids: IDGenerator) throws(RequestError) -> EndpointResult
  {
    do throws(DatabaseError) {
      switch self {
      case .database: return EndpointResult(.database(database.text))
      case .list(let name, let parameters):
        return try Self.list(name, parameters, request, database)
      case .record(let name, let id, let relations):
        let record = try database.record(id, in: name)
        guard !relations.isEmpty else { return EndpointResult(.record(RelatedRecord(record: record))) }
        let related = try database.related(relations, to: record, in: name)
        var result = EndpointResult(.record(related.records.first ?? RelatedRecord(record: record)))
        result.notes = related.notes
        result.ignored = related.ignored
        return result
      case .singular(let name):
        return EndpointResult(.text(try database.singular(name)))
      case .create(let name, let body, let parent):
        let written = try database.create(body.json(for: name, in: database), in: name, belongingTo: parent, ids: ids)
        var result = EndpointResult(
          .text(written.text), status: .created, location: [name, written.id], change: .created(name, written))
        if let parent, let note = database.note(onMissing: parent) { result.notes.append(note) }
        return result
      case .createOrMerge(let name, let bodies):
        let (records, created) = try database.createOrMerge(bodies.json(for: name, in: database), in: name, ids: ids)
        return EndpointResult(
          .list(RecordList(records.map { RelatedRecord(record: $0) })), status: created > 0 ? .created : .ok,
          change: .reloaded(name))
      case .replace(let name, let id, let body):
        let written = try database.replace(id, in: name, with: body.json(for: name, id: id, in: database))
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .merge(let name, let id, let body):
        let written = try database.merge(body.json(for: name, id: id, in: database), into: id, in: name)
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .patch(let name, let id?, let patch):
        let written = try database.apply(patch, to: id, in: name)
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .patch(let name, nil, let patch):
        return EndpointResult(.text(try database.apply(patch, toSingular: name)), change: .reloaded(name))
      case .writeSingular(let name, let body, let merging, let isPost):
        let text = try database.write(body.json(for: name, in: database), toSingular: name, merging: merging)
        return EndpointResult(
          .text(text), status: isPost ? .created : .ok, location: isPost ? [name] : nil, change: .reloaded(name))
      case .changeMany(let name, let parameters, let change):
        return try Self.perform(change, of: name, parameters, on: &database)
      case .delete(let name, let id, let dependents):
        let deletion = try database.delete(id, in: name, dependents: dependents)
        let content: EndpointResult.Content =
          database.schema.dialect == .v1 ? .text(deletion.record) : .text(.emptyObject)
        return EndpointResult(content, change: .deleted(name, id: id, dependents: deletion.dependents))
      }
    } catch {
      throw RequestError(error)
    }
  }

  private static func list(
    _ name: String, _ parameters: ListParameters, _ request: Request, _ database: Database
  ) throws(DatabaseError) -> EndpointResult {
    var (selection, related) = try database.list(name, parameters.query)
    var result: EndpointResult
    switch (parameters.pageForm, parameters.query.window) {
    case (.envelope?, .page(let number, let size)):
      let page = PageNumbers(number: number, size: size, total: selection.total)
      if page.number != number {
        // 1.0 responds with the last page to a request for a page beyond it.
        var query = parameters.query
        query.window = .page(page.number, size: size)
        related = try database.list(name, query).related
        result = EndpointResult(.envelope(page, related.records))
      } else {
        result = EndpointResult(.envelope(page, related.records))
      }
    case (.array?, .page(let number, let size)):
      result = EndpointResult(.list(related.records))
      let page = PageNumbers(number: number, size: size, total: selection.total)
      result.link = PageLinks(request, page).fieldValue
    case (.array?, _), (.envelope?, _), (nil, _):
      result = EndpointResult(.list(related.records))
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
