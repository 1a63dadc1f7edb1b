import HTTPTypes
import JSONDatabase
import OrderedJSON

extension Engine {
  /// json-server-reset's answer.
  static let done = Response(
    headerFields: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array("OK".utf8)))

  /// Replaces all data, and answers when that is saved.
  func restore(_ other: Database, _ call: RequestContext, _ response: Response) throws(HTTPError) {
    try allowWriting(call.request)
    try requireFiles(of: other, all: true)
    let names = database.resourceNames(andOf: other)
    database.restore(from: other)
    settle(
      PendingResponse(call: call, response: response, change: .replaced(names), resources: [], isWrite: true))
  }

  /// Merges resources into those that are there: records by id, objects member by member; new ones are added.
  func merge(_ body: [UInt8], _ call: RequestContext) throws(HTTPError) {
    try allowWriting(call.request)
    let other = try parse(body)
    try requireFiles(of: other, all: false)
    do throws(DatabaseError) {
      try database.merge(other, ids: ids)
    } catch {
      throw HTTPError(error)
    }
    let change = other.resourceNames.first.map { DataChange.reloaded($0) }
    settle(
      PendingResponse(call: call, response: Self.done, change: change, resources: other.resourceNames, isWrite: true))
  }

  /// - Parameter all: Whether the resources must be all that there are.
  /// - Throws: 409 when each resource is a file, and files would have to come or go.
  private func requireFiles(of other: Database, all: Bool) throws(HTTPError) {
    guard persistence?.hasFixedResources == true else { return }
    let (known, wanted) = (Set(database.resourceNames), Set(other.resourceNames))
    if let added = wanted.subtracting(known).min() {
      throw HTTPError(.conflict, "Each resource is a file here; put \(added).json into the directory first.")
    }
    if all, let missing = known.subtracting(wanted).min() {
      throw HTTPError(.conflict, "Each resource is a file here; name '\(missing)' too, or remove its file first.")
    }
  }

  /// Reads a body that holds resources as a file does.
  func parse(_ body: [UInt8]) throws(HTTPError) -> Database {
    guard !body.isEmpty else {
      throw HTTPError(
        .badRequest, "The body is empty; send the data as a file holds it. POST /__admin/reset goes back to the start.")
    }
    do throws(SourceFault) {
      return try SourceParser(schema: configuration.schema, ids: ids).parse(UTF8Slice(body), name: "the body")
    } catch {
      throw HTTPError(.badRequest, error.description)
    }
  }

  /// - Throws: 403 when changes are refused.
  func allowWriting(_ request: Request) throws(HTTPError) {
    guard settings.isReadOnly else { return }
    throw HTTPError(
      .forbidden, "The server is read-only (--read-only, or /__admin/settings); \(request.method) is refused.")
  }
}
