public import HTTPTypes
public import OrderedJSON

/// The stubs of a server.
struct Stubs {
  private struct Entry {
    let id: Int
    let answer: Stub
    let pattern: RequestPattern

    init(_ answer: Stub, id: Int) {
      self.id = id
      self.answer = answer
      pattern = RequestPattern(method: answer.method, path: answer.path)
    }
  }

  private var entries: [Entry] = []
  private var lastID = 0

  var isEmpty: Bool { entries.isEmpty }

  /// - Parameter answers: The stubs; the first that matches counts.
  init(_ answers: [Stub]) {
    for answer in answers.reversed() { _ = add(answer) }
  }

  /// Adds a stub that comes before the existing ones, and returns its id.
  mutating func add(_ answer: Stub) -> Int {
    lastID += 1
    entries.insert(Entry(answer, id: lastID), at: 0)
    return lastID
  }

  /// Removes a stub; does nothing when it does not exist.
  mutating func remove(_ id: Int) {
    entries.removeAll { $0.id == id }
  }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Returns the response of the first stub that matches a request, if there is one.
  func response(to context: RequestContext) -> PreparedResponse? {
    entries.first { $0.pattern.matches(context.route) }?.answer.response
  }
}

extension Stub {
  fileprivate var response: PreparedResponse {
    var fields: HTTPFields = [:]
    if body != nil { fields[.contentType] = "application/json" }
    fields.replace(with: headerFields)
    return PreparedResponse(status: status, headerFields: fields, body: .bytes(body?.utf8Text(.pretty) ?? []))
  }
}

/// A response that a route gives whatever the data holds, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct Stub: Sendable, Hashable {
  /// The method it matches; `nil` for all.
  public var method: HTTPRequest.Method?
  /// The path it matches, decoded; a `*` stands for any characters.
  public var path: String
  /// The status to respond with.
  public var status: HTTPResponse.Status
  /// The body, sent as exactly `application/json`; `nil` for none.
  public var body: JSONValue?
  /// Header fields to respond with, besides those that every response has.
  public var headerFields: HTTPFields

  /// Creates a stub.
  public init(
    _ method: HTTPRequest.Method? = nil, _ path: String, status: HTTPResponse.Status = .ok, body: JSONValue? = nil,
    headerFields: HTTPFields = [:]
  ) {
    self.method = method
    self.path = path
    self.status = status
    self.body = body
    self.headerFields = headerFields
  }
}
