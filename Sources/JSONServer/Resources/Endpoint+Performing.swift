import HTTPTypes
import JSONDatabase
import OrderedJSON

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
        return try Self.list(name, parameters, request, &database)
      case .record(let name, let id, let relations):
        let record = try database.record(id, in: name)
        guard !relations.isEmpty else { return EndpointResult(.record(RelatedRecord(record: record))) }
        return EndpointResult(.record(try database.related(relations, to: [record], in: name)[0]))
      case .singular(let name):
        return EndpointResult(.text(try database.singular(name)))
      case .create(let name, let body, let parent):
        let written = try database.create(body, in: name, belongingTo: parent, ids: ids)
        return EndpointResult(
          .text(written.text), status: .created, location: [name, written.id], change: .created(name, written))
      case .createOrMerge(let name, let bodies):
        let (records, created) = try database.createOrMerge(bodies, in: name, ids: ids)
        return EndpointResult(
          .list(records.map { RelatedRecord(record: $0) }), status: created > 0 ? .created : .ok,
          change: .reloaded(name))
      case .replace(let name, let id, let body):
        let written = try database.replace(id, in: name, with: body)
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .merge(let name, let id, let body):
        let written = try database.merge(body, into: id, in: name)
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .patch(let name, let id?, let patch):
        let written = try database.apply(patch, to: id, in: name)
        return EndpointResult(.text(written.text), change: .updated(name, written))
      case .patch(let name, nil, let patch):
        return EndpointResult(.text(try database.apply(patch, toSingular: name)), change: .reloaded(name))
      case .writeSingular(let name, let body, let merging, let isPost):
        let text = try database.write(body, toSingular: name, merging: merging)
        return EndpointResult(
          .text(text), status: isPost ? .created : .ok, location: isPost ? [name] : nil, change: .reloaded(name))
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
    _ name: String, _ parameters: ListParameters, _ request: Request, _ database: inout Database
  ) throws(DatabaseError) -> EndpointResult {
    let (selection, records) = try database.list(name, parameters.query)
    var result: EndpointResult
    switch (parameters.pageForm, parameters.query.window) {
    case (.envelope?, .page(let number, let size)):
      let page = PageNumbers(number: number, size: size, total: selection.total)
      if page.number != number {
        // 1.0 responds with the last page to a request for a page beyond it.
        var query = parameters.query
        query.window = .page(page.number, size: size)
        result = EndpointResult(.envelope(page, try database.list(name, query).records))
      } else {
        result = EndpointResult(.envelope(page, records))
      }
    case (.array?, .page(let number, let size)):
      result = EndpointResult(.list(records))
      let page = PageNumbers(number: number, size: size, total: selection.total)
      result.link = PageLinks(request, page).fieldValue
    case (.array?, _), (.envelope?, _), (nil, _):
      result = EndpointResult(.list(records))
    }
    result.total = selection.total
    result.ignored = selection.unknownParameters.map { IgnoredParameter(name: $0, reason: .noMember(of: name)) }
    return result
  }
}
