import HTTPTypes
import JSONDatabase
import OrderedJSON

extension Engine {
  /// json-server-reset's response.
  static let done = PreparedResponse(
    headerFields: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array("OK".utf8)))

  /// Replaces all data, and responds once that is saved.
  ///
  /// - Throws: 403, 409 or 503, when that is not allowed; nothing is changed then.
  func restore(_ other: Database, for requester: Requester, _ response: PreparedResponse) throws(RequestError) {
    try allowWriting("replacing all data")
    if try writes.postpone(requester) { return }
    try requireFiles(of: other, all: true)
    writes.replaceAll(with: other, PendingResponse(requester: requester, response: response), on: self)
  }

  /// Brings the data back to what was last read from outside: at start, or when a file was edited.
  func reset(for requester: Requester) throws(RequestError) {
    if let shared = writes.shared { return try restore(nil, in: shared, for: requester, .json(["reset": true])) }
    try restore(writes.initial, for: requester, .json(["reset": true]))
  }

  /// Brings the data back to a snapshot.
  ///
  /// - Throws: 404 when there is none of this name.
  func restoreSnapshot(_ name: String, for requester: Requester) throws(RequestError) {
    let response = PreparedResponse.json(["restored": .string(name)])
    if let shared = writes.shared { return try restore(name, in: shared, for: requester, response) }
    guard let snapshot = simulation.snapshots[name] else { throw Self.unknownSnapshot(name) }
    try restore(snapshot.database, for: requester, response)
  }

  static func unknownSnapshot(_ name: String) -> RequestError {
    RequestError(.notFound, "There is no snapshot '\(name)'; GET /__admin/snapshots lists those there are.")
  }

  /// Merges resources into the existing ones: records by id, objects member by member; new ones are added.
  func merge(_ body: [UInt8], for requester: Requester) throws(RequestError) {
    try allowWriting("merging data")
    if try writes.postpone(requester) { return }
    let other = try parse(body)
    try requireFiles(of: other, all: false)
    do throws(DatabaseError) {
      try writes.database.merge(other, ids: writes.ids)
    } catch {
      throw RequestError(error)
    }
    let change = other.resourceNames.first.map { DataChange.reloaded($0) }
    writes.enqueueCommit(
      PendingResponse(requester: requester, response: Self.done, change: change), on: self)
  }

  /// - Parameter all: Whether the resources must be all that there are.
  /// - Throws: 409 when each resource is a file, and files would have to be created or deleted.
  private func requireFiles(of other: Database, all: Bool) throws(RequestError) {
    guard writes.persistence?.hasFixedResources == true else { return }
    let (known, wanted) = (Set(writes.database.resourceNames), Set(other.resourceNames))
    if let added = wanted.subtracting(known).min() {
      throw RequestError(.conflict, "Each resource is a file here; put \(added).json into the directory first.")
    }
    if all, let missing = known.subtracting(wanted).min() {
      throw RequestError(.conflict, "Each resource is a file here; name '\(missing)' too, or remove its file first.")
    }
  }

  /// Reads a body that holds resources as a file does.
  func parse(_ body: [UInt8]) throws(RequestError) -> Database {
    guard !body.isEmpty else {
      throw RequestError(
        .malformed,
        "The body is empty; send the data as a file holds it. POST /__admin/reset goes back to what was read.")
    }
    do throws(SourceFault) {
      return try SourceParser(schema: configuration.schema, ids: writes.ids).parse(UTF8Slice(body), name: "the body")
    } catch {
      throw RequestError(.malformed, error.description)
    }
  }
}
