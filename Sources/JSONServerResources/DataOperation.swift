import HTTPTypes
package import JSONDatabase
package import JSONServerHTTP
package import JSONServerValues

/// A request for data after sign-in. Any thread can carry it out, with only a version of the data.
package struct DataOperation: Sendable {
  /// The members of user records that the client may not see.
  package enum Hiding: Sendable {
    case nothing
    /// Passwords in the data, so that neither results nor filters show them; has the name of the users' collection.
    case passwordsOfData(of: String)
    /// Passwords in the result only: a change of users needs the whole records.
    case passwordsOfResult
  }

  /// The member of a user's record that nobody gets to see.
  package static let hiddenName = "password"

  package var endpoint: Endpoint
  package var request: Request
  private var ids: IDGenerator
  private let clockOffset: Duration
  package var hiding = Hiding.nothing
  /// The data that a user may read; `nil` for all of it.
  package var share: OwnedShare?
  /// The limits of what the client may change.
  package var rights: ChangeRights?

  /// Creates the operation of a request that may see and change all data.
  package init(_ endpoint: Endpoint, _ request: Request, ids: IDGenerator, clockOffset: Duration) {
    (self.endpoint, self.request, self.ids, self.clockOffset) = (endpoint, request, ids, clockOffset)
  }

  /// Reads or changes the data, as far as the client may.
  ///
  /// - Throws: ``RequestError``; the database must then be discarded.
  func perform(on database: inout Database) throws(RequestError) -> EndpointResult {
    if let version = endpoint.list?.delta?.version { database.assign(version) }
    database.clockOffset = clockOffset
    try rights?.check(endpoint, on: database)
    switch hiding {
    case .nothing: return try endpoint.perform(request, on: &database, ids: ids)
    case .passwordsOfResult:
      return try endpoint.perform(request, on: &database, ids: ids).removing(Self.hiddenName)
    case .passwordsOfData(let users):
      var shown = database.hiding(Self.hiddenName, of: users)
      if let share { return share.result(in: shown) }
      return try endpoint.perform(request, on: &shown, ids: ids)
    }
  }
}

/// A request for data, and the shape of its response.
package struct ShapedOperation: Sendable {
  /// The reason why the request was not carried out.
  package enum Refusal: Error {
    /// Parameters without effect.
    case ignored([IgnoredParameter])
    case failed(RequestError, [IgnoredParameter])
  }

  let operation: DataOperation
  /// The request, before it is limited to a user's records.
  package let endpoint: Endpoint
  package let shape: ResponseShape?
  let precondition: Precondition?
  /// The parameters that have no effect for any data.
  package let ignored: [IgnoredParameter]
  /// Whether parameters without effect are an error.
  let refusesIgnored: Bool

  package init(
    operation: DataOperation, endpoint: Endpoint, shape: ResponseShape?, precondition: Precondition?,
    ignored: [IgnoredParameter], refusesIgnored: Bool
  ) {
    (self.operation, self.endpoint, self.shape, self.precondition) = (operation, endpoint, shape, precondition)
    (self.ignored, self.refusesIgnored) = (ignored, refusesIgnored)
  }

  /// Checks the condition, reads or changes the data, and shapes the result.
  ///
  /// - Throws: ``Refusal``; the database must then be discarded.
  package func perform(on database: inout Database) throws(Refusal) -> EndpointResult {
    var ignored = ignored
    do throws(RequestError) {
      try precondition?.check(on: database)
    } catch {
      throw .failed(error, [])
    }
    if endpoint.isWrite, let shape { ignored += shape.unknownFields(of: endpoint, in: database) }
    if refusesIgnored, !ignored.isEmpty { throw .ignored(ignored) }
    do throws(RequestError) {
      var result = try operation.perform(on: &database)
      shape?.apply(to: &result, of: endpoint, in: database)
      if !ignored.isEmpty { result.ignored = ignored + result.ignored }
      if shape?.isPartial != true { result.showFile(to: operation.request, endpoint) }
      return result
    } catch {
      throw .failed(error, ignored)
    }
  }
}

/// The data that a user may read where only owners may.
package struct OwnedShare: Sendable {
  /// The query for the user's own records, for each resource that also has records of others.
  package var lists: [String: Query] = [:]
  /// The single resources of other users.
  package var hidden: Set<String> = []

  package init() {}

  /// The data as the user sees it. O(size of the data).
  fileprivate func result(in database: Database) -> EndpointResult {
    var data = database.value.object ?? JSONObject()
    for (name, query) in lists {
      let records = try? database.list(name, query).selection.records
      data[name] = .array((records.map(Array.init) ?? []).map { JSONValue($0) })
    }
    for name in hidden { data[name] = nil }
    return EndpointResult(.text(ValidJSON(writing: .object(data))))
  }
}

extension EndpointResult {
  /// Shows the file that a record holds in place of the record, unless the client asks for JSON.
  fileprivate mutating func showFile(to request: Request, _ endpoint: Endpoint) {
    guard case (.record, .read) = (endpoint.target, endpoint.action), case .record(let record) = content,
      endpoint.relations.isEmpty, !request.headerFields.contains(.page)
    else { return }
    guard let file = FileRecord(record.record)?.response(to: request) else { return }
    content = .response(PreparedResponse(file))
  }

  /// The result of a change, without one of the records' members.
  fileprivate func removing(_ name: String) -> EndpointResult {
    var result = self
    switch content {
    case .text(let text): result.content = .text(text.removing(name))
    case .list(let list):
      let records = (0..<list.placeCount).compactMap { list[$0]?.record.removing(name) }
      result.content = .list(RecordList(records.map { RelatedRecord(record: $0) }))
    case .database, .record, .envelope, .cursorPage, .response: break
    }
    switch change {
    case .created(let resource, let record)?: result.change = .created(resource, record.removing(name))
    case .updated(let resource, let records)?: result.change = .updated(resource, records.map { $0.removing(name) })
    case .deleted?, .reloaded?, .replaced?, nil: break
    }
    return result
  }
}

/// The result of a request for data, before it becomes an HTTP response.
package struct EndpointResult {
  package enum Content {
    /// JSON text in the layout of the file.
    case text(ValidJSON)
    /// The whole database.
    case database(DatabaseText)
    case record(RelatedRecord)
    case list(RecordList)
    case envelope(PageNumbers, RecordList)
    /// A page, and the cursor of the next one.
    case cursorPage(RecordList, next: String?)
    /// The whole response, where an OpenAPI document describes it, or a record's file.
    indirect case response(PreparedResponse)
  }

  var content: Content
  var status = HTTPResponse.Status.ok
  /// The path segments of a new record.
  var location: [String]?
  /// Whether the content is a response with ``PreparedResponse/documentFields``, and no others.
  package internal(set) var isPlainDocument = false
  /// The number of matching records, for lists.
  package var total: Int?
  /// The value of `Link`, for pages.
  var link: String?
  /// The token with which the client asks for later changes.
  package var nextSince: String?
  /// The parameters without effect, also because of the data, such as names that no record has.
  package var ignored: [IgnoredParameter] = []
  /// Warnings about the request, as ends of sentences.
  package var notes: [String] = []
  /// The changes, for subscribers.
  package var change: DataChange?
  /// The members around a page with a cursor; `nil` for an array.
  var pages: CursorPages?
  /// The member in which the content is wrapped; `nil` for none.
  var wrapName: String?

  init(
    _ content: Content, status: HTTPResponse.Status = .ok, location: [String]? = nil, change: DataChange? = nil
  ) {
    self.content = content
    self.status = status
    self.location = location
    self.change = change
  }

  /// Whether the content is a record or an object, and not a list of them.
  package var isRecord: Bool {
    switch content {
    case .text, .record, .response: total == nil
    case .database, .list, .envelope, .cursorPage: false
    }
  }

  /// The result as an HTTP response.
  ///
  /// - Parameters:
  ///   - request: The request, with the server's address.
  ///   - commonFields: The fields of every response, and of most responses.
  package func response(to request: Request, _ commonFields: CommonFields? = nil) -> PreparedResponse {
    if case .response(let response) = content {
      guard isPlainDocument, let commonFields else { return response }
      return PreparedResponse(status: response.status, commonFields: commonFields, body: response.body)
    }
    var response =
      if let commonFields {
        PreparedResponse(status: status, commonFields: commonFields, body: body)
      } else {
        PreparedResponse(status: status, headerFields: PreparedResponse.jsonFields, body: body)
      }
    if let total { response.append(.xTotalCount, String(total)) }
    if let link { response.append(.link, link) }
    if let nextSince { response.headerFields[.xNextSince] = nextSince }
    if let location {
      let path = location.map { "/" + PercentEncoding.encodeSegment($0) }.joined()
      response.headerFields[.location] = request.base + path
    }
    return response
  }

  static let formatter = JSONFormatter(.pretty)

  /// Joins a record with many related records now, instead of on the event loop.
  package mutating func joinLargeRecord() {
    guard case .record(let record) = content, record.byteCount > PreparedResponse.largestWhole else { return }
    content = .text(record.joined)
  }

  private var body: Response.Content {
    switch content {
    case .record(let record) where wrapName == nil && record.byteCount <= PreparedResponse.largestWhole:
      return .bytes(Self.bytes(record.byteCount) { Self.formatter.append(record.joined, to: &$0) })
    case .text(let text) where wrapName == nil && text.count <= PreparedResponse.largestWhole:
      return .bytes(Self.bytes(text.count) { Self.formatter.append(text, to: &$0) })
    case .record, .text, .database, .list, .envelope, .cursorPage, .response: break
    }
    let text = text
    let count = text.byteCount(upTo: PreparedResponse.largestWhole)
    guard count <= PreparedResponse.largestWhole else { return .slices(SlicedBody(text)) }
    return .bytes(Self.bytes(count) { text.append(to: &$0) })
  }

  /// Makes a body with an estimated size, so that its memory does not grow in steps: a body in the usual layout has
  /// this size.
  static func bytes(_ count: Int, _ append: (inout [UInt8]) -> Void) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(count + count / 16 + 256)
    append(&output)
    return output
  }

  private var text: SlicedText {
    if let pages, case .cursorPage(let records, let next) = content {
      let (head, tail, level) = pages.envelope(next: next, total: total ?? records.count)
      return SlicedText([.bytes(head), .records(records, level: level), .bytes(tail)])
    }
    if let wrapName { return wrapped(as: wrapName) }
    return switch content {
    case .text(let text): SlicedText([.value(text, level: 0)])
    case .database(let text): text.pretty
    case .record(let record): SlicedText([.value(record.joined, level: 0)])
    case .list(let records), .cursorPage(let records, _): SlicedText([.records(records, level: 0)])
    case .envelope: wrapped(as: "data", withTotal: false)
    case .response(let response): SlicedText([.bytes(response.bytes)])
    }
  }
}
