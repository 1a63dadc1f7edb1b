public import HTTPTypes
public import OrderedJSON

/// An answer that a route gives whatever the data holds, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct CannedAnswer: Sendable, Hashable {
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
