import Foundation
import JSONDatabase
import JSONServerValues

@testable import JSONOpenAPI

/// A document and its data, without a server.
struct Served {
  let document: Document
  var database: Database

  init(_ name: String) throws {
    let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures/openapi")
    let text = Array(try Data(contentsOf: directory.appending(path: name)))
    try self.init(text: text, name: name) { (try? Data(contentsOf: directory.appending(path: $0))).map(Array.init) }
  }

  init(text: [UInt8], name: String = "openapi.yaml", read: @escaping @Sendable (String) -> [UInt8]? = { _ in nil })
    throws
  {
    document = try Document(text, name: name, read: read)
    let text = UTF8Slice(JSONValue.object(document.start().data).utf8Text())
    var schema = Schema()
    for collection in document.collections { schema.idNames[collection.name] = collection.idName }
    database = try Database(parsing: text, schema: schema, ids: IDGenerator { "" })
  }

  mutating func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, type: String = "application/json",
    fields: [(name: String, value: String)] = [("authorization", "Bearer x")]
  ) -> DocumentResponse {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
      let pair = pair.split(separator: "=", maxSplits: 1).map { String($0).withoutPercentEscapes }
      return (name: pair[0], value: pair.count > 1 ? pair[1] : "")
    }
    let request = DocumentRequest(
      method: method, segments: parts[0].split(separator: "/").map { String($0).withoutPercentEscapes }, query: query,
      field: { name in (fields + (body == nil ? [] : [("content-type", type)])).first { $0.name == name }?.value },
      body: body.map { .success($0) },
      base: "http://localhost", now: "2025-06-07T08:09:10Z")
    switch document.decide(request) {
    case .unknownPath: return DocumentResponse(status: 404)
    case .unknownMethod: return DocumentResponse(status: 405)
    case .call(let call): return call.response(on: &database)
    }
  }
}

extension DocumentResponse {
  var value: JSONValue {
    switch body {
    case .none: .null
    case .json(let value): value
    case .record(let record): JSONValue(record)
    case .text(let text): .string(text)
    }
  }
}
