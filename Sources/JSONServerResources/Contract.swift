package import HTTPTypes
package import JSONDatabase
package import JSONOpenAPI
package import JSONServerHTTP
package import JSONServerValues

/// The OpenAPI document that decides what the paths of a server do.
package struct Contract: Sendable {
  package let document: Document
  /// The first records, by the names of their resources.
  package let firstData: JSONObject
  /// What is not served as the document says.
  package let notes: [DocumentFault]
  private let checksRequests: Bool

  /// Reads a document.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid`, and the file, the line and the column of the first fault.
  package init(path: String, checksRequests: Bool = true) throws(ServerError) {
    guard let text = OpenFile.contents(of: path) else {
      throw ServerError(.sourceMissing, "\(path): there is no such file; check the name of the OpenAPI document.")
    }
    do throws(DocumentFault) {
      document = try Document(text, name: path, read: OpenFile.contents)
    } catch {
      throw ServerError(.sourceInvalid, error.description)
    }
    (firstData, notes) = document.start()
    self.checksRequests = checksRequests
  }

  /// The document itself.
  package var value: JSONValue { document.value }

  /// What each operation is.
  package var table: JSONValue {
    .array(
      document.rows.map { row in
        [
          "method": .string(row.method), "path": .string(row.path), "kind": .string(row.kind),
          "detail": row.detail.map(JSONValue.string) ?? .null,
        ]
      })
  }

  /// Finds what the document says about a request.
  ///
  /// - Throws: 404 for a path that the document does not have, 405 with `Allow` for a method that the path lacks.
  package func endpoint(_ request: Request, _ target: RequestTarget, in database: Database) throws(RequestError)
    -> Endpoint
  {
    switch document.decide(documentRequest(request, target), checks: checksRequests) {
    case .call(let call): return Endpoint(call.spelled(as: database))
    case .unknownMethod(let allowed): throw .methodNotAllowed(request, allowed)
    case .unknownPath:
      throw RequestError(
        .notFound, "The OpenAPI document has no path \(request.path); /__admin/routes lists those that it has.")
    }
  }

  /// Whether the document has a path.
  package func has(_ target: RequestTarget) -> Bool { document.match(target.segments) != nil }

  /// Whether an address leads to a record that the document describes, and that is not there.
  package func lacksRecord(at address: String, in database: Database) -> Bool {
    let path = address.firstRange(of: "://").flatMap { address[$0.upperBound...].firstIndex(of: "/") }
    guard let target = try? RequestTarget(String(address[(path ?? address.startIndex)...])) else { return false }
    return document.lacksRecord(target.segments, in: database)
  }

  private func documentRequest(_ request: Request, _ target: RequestTarget) -> DocumentRequest {
    let fields = request.headerFields
    let hasType = fields[.contentType] != nil || request.bytes.isEmpty
    return DocumentRequest(
      method: request.method.rawValue, segments: target.segments, query: target.sentParameters,
      elements: target.sentElements,
      field: { name in
        // Many clients do not say that a body is JSON.
        if name == "content-type", !hasType { return "application/json" }
        return HTTPField.Name(name).flatMap { fields[$0] }
      }, body: Self.body(of: request), base: request.base)
  }

  private static func body(of request: Request) -> Result<JSONValue, DocumentRequest.BodyFault>? {
    guard !request.bytes.isEmpty else { return nil }
    let type = (request.headerFields[.contentType] ?? "application/json").lowercased()
    do throws(RequestError) {
      if type.contains("form"), let form = try RequestBody.json(from: request) { return .success(JSONValue(form.json)) }
    } catch {
      return .failure(DocumentRequest.BodyFault(error.message))
    }
    if type.prefix(while: { $0 != ";" }).hasSuffix("/xml") {
      let value = XMLReader.value(of: request.bytes)
      return value.map { .success($0) } ?? .failure(DocumentRequest.BodyFault("The body is not XML; correct it."))
    }
    guard type.contains("json") else { return .success(.string(String(decoding: request.bytes, as: UTF8.self))) }
    do throws(JSONError) {
      return .success(try JSONValue(parsing: request.bytes))
    } catch {
      return .failure(
        DocumentRequest.BodyFault(
          "The body is not JSON: at line \(error.line), column \(error.column), \(error.message)."))
    }
  }

  /// The problems of the text of a data file by the document; empty for a text that is no data.
  package func problems(ofText text: [UInt8], _ schema: Schema) -> [(path: [String], message: String)] {
    var schema = schema
    for collection in document.collections { schema.idNames[collection.name] = collection.idName }
    let database = try? Database(parsing: UTF8Slice(text), schema: schema, ids: IDGenerator { "" })
    return database.map(problems(of:)) ?? []
  }

  /// The problems of the data by the document, each with the place of its value.
  package func problems(of database: Database) -> [(path: [String], message: String)] {
    var found: [(path: [String], message: String)] = []
    for collection in document.collections {
      switch database.resource(named: collection.name) {
      case .collection(let records)?:
        for (index, record) in records.firstRecords(records.count).enumerated() {
          found += document.problems(of: JSONValue(record), collection).map {
            (
              [collection.name, String(index)] + $0.place,
              "The \(collection.name) \(record.id(collection.idName)): \($0.place.last ?? "it") \($0.message)."
            )
          }
        }
      case .singular(let object)?:
        found += document.problems(of: JSONValue(object), collection).map {
          ([collection.name] + $0.place, "\(collection.name): \($0.place.last ?? "it") \($0.message).")
        }
      case .unserved?, nil: break
      }
    }
    return found
  }
}

extension Endpoint {
  /// Parses a request by an OpenAPI document, or by the data.
  ///
  /// - Throws: 400 for an invalid request, 404 for an unknown path, 405 with `Allow` for a method that the route lacks.
  package static func parse(
    _ request: Request, _ target: RequestTarget, in database: Database, by contract: Contract?
  ) throws(RequestError) -> Endpoint {
    guard let contract else { return try parse(request, target.segments, target.parameters, database) }
    return try contract.endpoint(request, target, in: database)
  }
}

extension ValidJSON {
  fileprivate func id(_ name: String) -> String {
    let id: ValidJSON? = member(Array(name.utf8))
    return id.map { JSONValue($0).text(pretty: false) } ?? "without \(name)"
  }
}

extension EndpointResult {
  /// The result of a request by an OpenAPI document.
  init(_ response: DocumentResponse) {
    self.init(.response(PreparedResponse(response)))
    isPlainDocument =
      response.type == "application/json" && response.status == 200 && response.headers.isEmpty && !response.isInvalid
    change =
      switch response.change {
      case .created(let name, let record)?: .created(name, record)
      case .updated(let name, let record)?: .updated(name, [record])
      case .deleted(let name, let id, let children)?: .deleted(name, ids: [id], dependents: children)
      case .replaced(let name)?: .reloaded(name)
      case nil: nil
      }
  }
}

extension PreparedResponse {
  /// The fields of most responses that an OpenAPI document describes.
  package static let documentFields: HTTPFields = [
    .cacheControl: "no-cache", .xContentTypeOptions: "nosniff", .contentType: "application/json",
  ]

  /// The response that an OpenAPI document describes.
  init(_ response: DocumentResponse) {
    var fields = Self.documentFields
    if response.type != "application/json" { fields[.contentType] = response.type }
    for (name, value) in response.headers {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let bytes: [UInt8] =
      switch response.body {
      case .none: []
      case .json(let value): value.utf8Text()
      case .text(let text): Array(text.utf8)
      case .record(let record):
        EndpointResult.bytes(record.count) { EndpointResult.formatter.append(record, to: &$0) }
      }
    self.init(status: HTTPResponse.Status(code: response.status).withPhrase, headerFields: fields, body: .bytes(bytes))
    isInvalid = response.isInvalid
  }
}
