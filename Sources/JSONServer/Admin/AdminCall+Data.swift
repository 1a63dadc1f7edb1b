import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues
import JSONStorage

extension AdminCall {
  /// json-server-reset's response.
  static let done = PreparedResponse(
    headerFields: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array("OK".utf8)))

  /// Replaces all data with the body, which has the form of a data file.
  func replaceData(on engine: isolated Engine) throws(RequestError) {
    let (body, parser) = (context.request.bytes, SourceParser(on: engine))
    guard body.count > RequestBody.largestQuick else {
      return try engine.writes.replaceAll(with: try parser.parse(body), for: requester, Self.done, on: engine)
    }
    guard try engine.beginOrQueue("replacing all data", for: requester) else { return }
    engine.change(for: requester, isLarge: true) { _ throws(RequestError) in
      try parser.parse(body)
    } then: { engine, parsed, _ in
      do throws(RequestError) {
        try engine.writes.replaceAll(with: try parsed.get(), for: requester, Self.done, on: engine)
      } catch {
        requester.completion(engine, .failure(error))
      }
    }
  }

  /// Merges the body's resources into the existing ones: records by id, objects by member; adds new resources.
  func mergeData(
    respondingWith response: PreparedResponse = done, on engine: isolated Engine
  ) throws(RequestError) {
    guard try engine.beginOrQueue("merging data", for: requester) else { return }
    let (body, parser, ids) = (context.request.bytes, SourceParser(on: engine), engine.writes.ids)
    let hasFixedResources = engine.writes.store?.hasFixedResources == true
    engine.change(for: requester, isLarge: body.count > RequestBody.largestQuick) {
      database throws(RequestError) -> DataChange? in
      let other = try parser.parse(body)
      if hasFixedResources { try database.requireFiles(of: other, all: false) }
      try RequestError.converting(database.merge(other, ids: ids))
      return other.resourceNames.first.map { .reloaded($0) }
    } then: { engine, outcome, base in
      switch outcome {
      case .success(let change):
        engine.signIn?.forgetUsers(replacing: base, on: engine)
        engine.writes.enqueueCommit(
          PendingResponse(requester: requester, response: response, change: change), since: base, on: engine)
      case .failure(let error): requester.completion(engine, .failure(error))
      }
    }
  }
}

extension Database {
  /// Refuses data that cannot replace the current data, where each resource is a file.
  ///
  /// - Parameter all: Whether the new data must have all current resources.
  /// - Throws: 409, when files would have to be created or deleted.
  func requireFiles(of other: Database, all: Bool) throws(RequestError) {
    let (known, wanted) = (Set(resourceNames), Set(other.resourceNames))
    if let added = wanted.subtracting(known).min() {
      throw RequestError(.conflict, "Each resource is a file here; put \(added).json into the directory first.")
    }
    if all, let missing = known.subtracting(wanted).min() {
      throw RequestError(.conflict, "Each resource is a file here; name '\(missing)' too, or remove its file first.")
    }
  }
}

extension SourceParser {
  fileprivate init(on engine: isolated Engine) {
    self.init(schema: engine.configuration.schema, ids: engine.writes.ids)
  }

  /// Reads a body in the form of a data file.
  fileprivate func parse(_ body: [UInt8]) throws(RequestError) -> Database {
    guard !body.isEmpty else {
      throw RequestError(
        .malformed,
        "The body is empty; send data in the form of a data file. POST /__admin/reset restores the data that was read.")
    }
    do throws(SourceFault) {
      return try parse(UTF8Slice(body), name: "the body")
    } catch {
      throw RequestError(.malformed, error.description)
    }
  }
}
