public import HTTPTypes
public import OrderedJSON

/// The canned answers of a server.
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

  /// - Parameter answers: The first that fits answers.
  init(_ answers: [Stub]) {
    for answer in answers.reversed() { _ = add(answer) }
  }

  /// Adds an answer that comes before those that are there, and returns its id.
  mutating func add(_ answer: Stub) -> Int {
    lastID += 1
    entries.insert(Entry(answer, id: lastID), at: 0)
    return lastID
  }

  /// Removes an answer; does nothing when it is not there.
  mutating func remove(_ id: Int) {
    entries.removeAll { $0.id == id }
  }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Returns the answer to a call, if one is canned.
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

/// An answer that a route gives whatever the data holds, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct Stub: Sendable, Hashable {
  /// The method it answers; `nil` for all.
  public var method: HTTPRequest.Method?
  /// The path it answers, decoded; a `*` stands for any characters.
  public var path: String
  /// The status to answer with.
  public var status: HTTPResponse.Status
  /// The body, sent as exactly `application/json`; `nil` for none.
  public var body: JSONValue?
  /// Header fields to answer with, beside those that every answer has.
  public var headerFields: HTTPFields

  /// Creates an answer.
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
