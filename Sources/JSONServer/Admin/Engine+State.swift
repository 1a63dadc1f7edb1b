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
    guard try mayBegin("replacing all data", for: requester) else { return }
    if writes.persistence?.hasFixedResources == true {
      try Self.requireFiles(of: other, in: writes.database, all: true)
    }
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
    RequestError(.notFound, "There is no snapshot '\(name)'; save one under this name first.")
  }

  /// Replaces all data with what a body holds as a file does.
  func replaceAll(with body: [UInt8], for requester: Requester) throws(RequestError) {
    guard body.count > Self.quickBody else { return try restore(try bodyParser.parse(body), for: requester, Self.done) }
    guard try mayBegin("replacing all data", for: requester) else { return }
    let parser = bodyParser
    change(for: requester, isLarge: true) { _ throws(RequestError) in
      try parser.parse(body)
    } then: { engine, parsed, _ in
      do throws(RequestError) {
        try engine.restore(try parsed.get(), for: requester, Self.done)
      } catch {
        engine.refuse(requester, because: error)
      }
    }
  }

  /// Merges resources into the existing ones: records by id, objects member by member; new ones are added.
  func merge(_ body: [UInt8], for requester: Requester) throws(RequestError) {
    guard try mayBegin("merging data", for: requester) else { return }
    let (parser, ids, hasFixedResources) = (bodyParser, writes.ids, writes.persistence?.hasFixedResources == true)
    change(for: requester, isLarge: body.count > Self.quickBody) {
      database throws(RequestError) -> DataChange? in
      let other = try parser.parse(body)
      if hasFixedResources { try Self.requireFiles(of: other, in: database, all: false) }
      do throws(DatabaseError) {
        try database.merge(other, ids: ids)
      } catch {
        throw RequestError(error)
      }
      return other.resourceNames.first.map { .reloaded($0) }
    } then: { engine, outcome, base in
      switch outcome {
      case .success(let change):
        engine.writes.enqueueCommit(
          PendingResponse(requester: requester, response: Self.done, change: change), since: base, on: engine)
      case .failure(let error): engine.refuse(requester, because: error)
      }
    }
  }

  /// - Parameter all: Whether the resources must be all that there are.
  /// - Throws: 409, where each resource is a file, when files would have to be created or deleted.
  private static func requireFiles(of other: Database, in database: Database, all: Bool) throws(RequestError) {
    let (known, wanted) = (Set(database.resourceNames), Set(other.resourceNames))
    if let added = wanted.subtracting(known).min() {
      throw RequestError(.conflict, "Each resource is a file here; put \(added).json into the directory first.")
    }
    if all, let missing = known.subtracting(wanted).min() {
      throw RequestError(.conflict, "Each resource is a file here; name '\(missing)' too, or remove its file first.")
    }
  }

  private var bodyParser: SourceParser { SourceParser(schema: configuration.schema, ids: writes.ids) }
}

extension SourceParser {
  /// Reads a body that holds resources as a file does.
  fileprivate func parse(_ body: [UInt8]) throws(RequestError) -> Database {
    guard !body.isEmpty else {
      throw RequestError(
        .malformed,
        "The body is empty; send the data as a file holds it. POST /__admin/reset goes back to what was read.")
    }
    do throws(SourceFault) {
      return try parse(UTF8Slice(body), name: "the body")
    } catch {
      throw RequestError(.malformed, error.description)
    }
  }
}
