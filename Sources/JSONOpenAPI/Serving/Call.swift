package import JSONDatabase
package import JSONServerValues

/// A request, as far as a document speaks of it.
package struct DocumentRequest: Sendable {
  package var method: String
  /// The decoded segments of the path.
  package var segments: [String]
  /// The decoded parameters of the query.
  package var query: [(name: String, value: String)]
  /// The elements of values with commas, by the names of the parameters: an escaped comma separates nothing.
  package var elements: [String: [String]]
  /// Finds a header field by its name in lower case.
  package var field: @Sendable (String) -> String?
  /// The body: JSON, or a form as an object of texts; `nil` for none.
  package var body: Result<JSONValue, BodyFault>?
  /// The server's address, for links.
  package var base: String { makeBase() }
  private let makeBase: @Sendable () -> String
  /// The time, as a `date-time`.
  package var now: String

  package struct BodyFault: Error {
    let message: String
    package init(_ message: String) { self.message = message }
  }

  package init(
    method: String, segments: [String], query: [(name: String, value: String)] = [], elements: [String: [String]] = [:],
    field: @escaping @Sendable (String) -> String? = { _ in nil }, body: Result<JSONValue, BodyFault>? = nil,
    base: @escaping @autoclosure @Sendable () -> String = "",
    now: String = "2024-01-01T00:00:00Z"
  ) {
    (self.method, self.segments, self.query, self.elements, self.field) = (method, segments, query, elements, field)
    (self.body, makeBase, self.now) = (body, base, now)
  }

  func cookie(_ name: String) -> String? {
    for pair in (field("cookie") ?? "").split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].filter({ $0 != " " }) == name { return String(parts[1]) }
    }
    return nil
  }

  var mediaType: String { (field("content-type") ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
}

/// A response by a document.
package struct DocumentResponse: Sendable {
  package enum Body: Sendable {
    case none
    case json(JSONValue)
    /// A record as it is stored.
    case record(ValidJSON)
    case text(String)
  }

  package var status: Int
  package var type: String?
  package var body = Body.none
  package var headers: [(name: String, value: String)] = []
  /// What the log and the journal say about a refusal.
  package var message: String?
  /// Whether the document forbids the request.
  package var isInvalid = false
  /// What was changed.
  package var change: Change?

  package enum Change: Sendable {
    case created(String, WrittenRecord)
    case updated(String, WrittenRecord)
    case deleted(String, id: String, children: [String: Int])
    case replaced(String)
  }
}

/// A request for an operation of a document, ready to be carried out on a version of the data.
package struct Call: Sendable {
  package let document: Document
  /// The position of the operation.
  package let index: Int
  package var request: DocumentRequest
  /// The values of the path.
  private(set) var path: [String: String]
  /// The values of the query, by the names of the parameters.
  let query: [String: JSONValue]
  let body: JSONValue?
  /// The name of the example that the client prefers.
  let example: String?
  /// The response that no data changes, such as a refusal; `nil` when the call is carried out.
  package let answer: DocumentResponse?
  /// The member and the value that all records of the call have, since the client may only use these.
  package var owner: (member: String, value: String)?

  package var operation: Operation { document.operations[index] }

  fileprivate init(_ checked: RequestChecker, example: String? = nil, answer: DocumentResponse? = nil) {
    (document, index, request) = (checked.document, checked.index, checked.request)
    (path, query, body) = (checked.pathValues, checked.query, checked.body)
    (self.example, self.answer) = (example, answer)
  }

  /// The stored data that the operation is about; `nil` for a response from the document.
  package var storage: Operation.Storage? { operation.storage }

  package var collection: Collection? { storage.map { document.collections[$0.collection] } }

  /// The id in the path of an item, or in the body of a PUT whose path has none.
  package var id: String? {
    if let idParameter { return path[idParameter] }
    guard let storage, let collection, storage.action == .replace else { return nil }
    return (storage.bodyPath + [collection.idName]).reduce(body) { $0?[$1] }?.plainText
  }

  /// The parameter of the path that has the id of an item; `nil` for a list.
  var idParameter: String? { storage?.isOfItem == true ? operation.lastParameter : nil }

  /// The same call with the id of its item as the record spells it: UUIDs are found without letter case.
  package func spelled(as database: Database) -> Call {
    guard let name = idParameter, let id = path[name], let collection, !collection.isObject else { return self }
    let stored = database.storedID(id, in: collection.name)
    guard stored != id else { return self }
    var call = self
    call.path[name] = stored
    return call
  }
}

extension Document {
  /// What becomes of a request.
  package enum Decision: Sendable {
    case unknownPath
    case unknownMethod(allowed: [String])
    case call(Call)
  }

  /// Finds the operation of a request, and checks the request by it.
  ///
  /// - Parameter checks: Whether requests that the document forbids are refused.
  package func decide(_ request: DocumentRequest, checks: Bool = true) -> Decision {
    guard let match = match(request.segments) else { return .unknownPath }
    let method = request.method
    let found =
      match.operations.first { operations[$0].method == method }
      ?? (method == "HEAD" ? match.operations.first { operations[$0].method == "GET" } : nil)
    guard let index = found else {
      let methods = match.operations.map { operations[$0].method }
      return .unknownMethod(
        allowed: methods.flatMap { $0 == "GET" && !methods.contains("HEAD") ? ["GET", "HEAD"] : [$0] })
    }
    return .call(call(index, request, match, checks: checks))
  }

  private func call(_ index: Int, _ request: DocumentRequest, _ match: Match, checks: Bool) -> Call {
    var checker = RequestChecker(document: self, index: index, request: request, path: match.parameters)
    func respond(_ response: DocumentResponse) -> Call { Call(checker, answer: response) }
    if case .refused(let fault) = operations[index].kind {
      return respond(refusal(index, [501], "This operation is not served: \(fault)"))
    }
    let preferences = request.field("prefer").map(Self.preferences) ?? [:]
    if let code = preferences["code"] {
      guard let status = Int(code), let reply = operations[index].reply(status) else {
        return respond(
          refusal(index, [400, 422], "The document has no response '\(code)' here; see its 'responses'."))
      }
      return respond(response(status, reply, example: preferences["example"]))
    }
    if !operations[index].security.isEmpty, let missing = missingCredential(of: operations[index], request) {
      var response = refusal(index, [401, 403], missing)
      response.headers.append(("www-authenticate", "Bearer"))
      return respond(response)
    }
    if let refusal = checker.check(), checks || refusal.isUnreadable {
      var response = self.refusal(index, refusal.statuses, refusal.message, refusal.problems)
      response.isInvalid = true
      return respond(response)
    }
    if let name = preferences["example"],
      operations[index].success?.content?.examples.contains(where: { $0.name == name }) != true
    {
      return respond(refusal(index, [400, 422], "The document has no example '\(name)' here."))
    }
    return Call(checker, example: preferences["example"])
  }

  /// The preferences of a client (RFC 7240) that choose a response.
  private static func preferences(_ field: String) -> [String: String] {
    var preferences: [String: String] = [:]
    for part in field.split(whereSeparator: { ",;".contains($0) }) {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { !" \"".contains($0) } }
      if pair.count == 2, ["code", "example"].contains(pair[0]) { preferences[pair[0]] = pair[1] }
    }
    return preferences
  }

  /// What is missing to sign in; `nil` when one alternative is filled.
  private func missingCredential(of operation: Operation, _ request: DocumentRequest) -> String? {
    func isThere(_ credential: Operation.Credential) -> Bool {
      switch credential {
      case .authorization(let scheme):
        let field = request.field("authorization") ?? ""
        return field.lowercased().hasPrefix(scheme.lowercased() + " ") && field.count > scheme.count + 1
      case .key(let name, .header): return request.field(name.lowercased())?.isEmpty == false
      case .key(let name, .cookie): return request.cookie(name)?.isEmpty == false
      case .key(let name, .query), .key(let name, .path):
        return request.query.contains { $0.name == name && !$0.value.isEmpty }
      }
    }
    if operation.security.contains(where: { $0.allSatisfy(isThere) }) { return nil }
    let names = operation.security.first?.map { credential in
      switch credential {
      case .authorization(let scheme): "'Authorization: \(scheme == "bearer" ? "Bearer" : scheme) …'"
      case .key(let name, let location): "'\(name)' in the \(location.rawValue)"
      }
    }
    return "The request needs credentials; send \((names ?? []).joined(separator: " and "))."
  }
}
