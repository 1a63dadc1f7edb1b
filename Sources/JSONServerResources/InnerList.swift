import HTTPTypes
import JSONDatabase
import JSONServerHTTP
import JSONServerValues

/// A list inside a record or a single resource, which has a path of its own, such as `/equipment/1/campaigns`.
///
/// Its elements are treated as a collection in a database of their own. A change of this database changes one member of
/// the record or resource.
package struct InnerList: Sendable {
  /// The member with the list.
  let member: String
  /// The request for the elements.
  package let endpoint: Endpoint
}

extension Endpoint {
  /// Parses a request for a list in a target, or for one of its elements.
  ///
  /// - Parameter segments: The segments after those of the target.
  /// - Returns: `nil` when there is no such list.
  static func inner(
    _ segments: ArraySlice<String>, of target: Target, _ request: Request, _ parameters: QueryParameters,
    _ database: Database
  ) throws(RequestError) -> Endpoint? {
    guard let member = segments.first, segments.count <= 2 else { return nil }
    guard let list = try? target.innerList(member, in: database) else { return nil }
    let endpoint: Endpoint
    if segments.count == 2 {
      endpoint = try record(member, segments[segments.startIndex + 1], request, parameters, list)
    } else if request.method == .post, let element = scalar(request, list.schema),
      // Where bodies are checked, one text makes no list of texts.
      !list.schema.checks.followsData || holdsScalars(list, member)
    {
      endpoint = Endpoint(.collection(member), .create(WrittenBody(element)))
    } else {
      endpoint = try collection(member, request, parameters, list)
    }
    return Endpoint(target, InnerList(member: member, endpoint: endpoint))
  }

  private static func holdsScalars(_ list: Database, _ member: String) -> Bool {
    guard case .collection(let elements)? = list.resource(named: member) else { return false }
    return elements.firstRecords(1).first.map { $0.kind != .object } ?? false
  }

  /// A body that is a string, a number or a boolean.
  private static func scalar(_ request: Request, _ schema: Schema) -> ValidJSON? {
    guard let value = try? JSONBody(maximumDepth: schema.maximumRecordDepth).value(of: request.bytes) else {
      return nil
    }
    return switch value.kind {
    case .string, .number, .bool: value
    case .object, .array, .null: nil
    }
  }

  /// Reads or changes the elements, and changes the record or resource with the list.
  func perform(
    _ inner: InnerList, _ request: Request, on database: inout Database, ids: IDGenerator
  ) throws(DatabaseError) -> EndpointResult {
    guard var list = try target.innerList(inner.member, in: database), let name = resource else {
      throw DatabaseError(.unknownResource, "There is no list '\(inner.member)' at \(request.path) any more.")
    }
    if case .record(_, let id) = target { _ = try database.record(id, in: name) }
    var result: EndpointResult
    if case .create(let body) = inner.endpoint.action, body.json.kind != .object {
      list.append(body.json, to: inner.member)
      result = EndpointResult(.text(body.json), status: .created, change: .reloaded(inner.member))
    } else {
      result = try inner.endpoint.result(of: request, on: &list, ids: ids)
    }
    guard result.change != nil else { return result }
    let members = list.asMember(inner.member)
    var path = [name]
    if case .record(_, let id) = target {
      path.append(id)
      result.change = .updated(name, [try database.edit(id, in: name, by: .merge(members))])
    } else {
      _ = try database.edit(singular: name, by: .merge(members))
      result.change = .reloaded(name)
    }
    result.location = result.location.map { path + $0 }
    return result
  }
}

extension Endpoint.Target {
  /// The elements of a list in the target; `nil` when there is no such list.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  fileprivate func innerList(_ member: String, in database: Database) throws(DatabaseError) -> Database? {
    switch self {
    case .database, .collection: nil
    case .record(let name, let id): try database.innerList(member, of: id, in: name)
    case .object(let name): try database.innerList(member, of: nil, in: name)
    }
  }
}
