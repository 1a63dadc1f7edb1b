public import HTTPTypes
public import JSONServerValues

/// What goes wrong with requests on purpose, to test how a client handles it.
///
/// A fault that only delays lets the request be carried out afterwards; any other determines the response, and the data
/// is not changed.
public struct Fault: Sendable, Hashable {
  /// What happens to the connection.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// No response comes; the connection stays open.
    case hang
    /// The connection is reset.
    case reset
    /// The connection ends in the middle of the body.
    case truncate

    /// The names that the admin interface has for them.
    static let names = allCases.map(\.rawValue)
  }

  /// The requests it meets; none to `/__admin`.
  public var request: RequestPattern
  /// How many requests it meets before it expires; `nil` for no end.
  public var times: Int?
  /// How long the request waits; a length within the range is chosen for each.
  public var delay: ClosedRange<Duration>?
  /// What is sent instead of carrying the request out. Without a status it is 429 with ``retryAfter``, and else 200; an
  /// error without a body has the usual form.
  public var response: FixedResponse
  /// The seconds that `Retry-After` names.
  public var retryAfter: Int?
  /// What happens to the connection; `nil` leaves it open.
  public var action: Action?

  /// Creates a fault.
  public init(
    _ request: RequestPattern, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    response: FixedResponse = FixedResponse(), retryAfter: Int? = nil, action: Action? = nil
  ) {
    self.request = request
    self.times = times
    self.delay = delay
    self.response = response
    self.retryAfter = retryAfter
    self.action = action
  }

  /// Creates a fault of a method and a path, whose response has a JSON body.
  public init(
    method: HTTPRequest.Method? = nil, path: String? = nil, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    status: HTTPResponse.Status? = nil, body: JSONValue? = nil, headerFields: HTTPFields = [:],
    retryAfter: Int? = nil, action: Action? = nil
  ) {
    self.init(
      RequestPattern(method, path), times: times, delay: delay,
      response: FixedResponse(status: status, headerFields: headerFields, body: body.map(FixedResponse.Body.json)),
      retryAfter: retryAfter, action: action)
  }
}

extension Response {
  /// How a response is sent, for tests of a client's error handling.
  public enum Delivery: Sendable, Hashable {
    /// Whole.
    case normal
    /// Never: the connection stays open and silent.
    case hang
    /// The connection is reset before the first byte.
    case reset
    /// The connection is closed after this many bytes of the body, with the full length announced.
    case truncated(after: Int)
  }
}

extension Response.Delivery {
  /// The name of the fault's action that it is the effect of; `normal` for none.
  var name: String {
    switch self {
    case .normal: "normal"
    case .hang: Fault.Action.hang.rawValue
    case .reset: Fault.Action.reset.rawValue
    case .truncated: Fault.Action.truncate.rawValue
    }
  }

  /// What a client gets of a response with a status, in a few words.
  package func summary(of status: HTTPResponse.Status) -> String {
    switch self {
    case .normal: "\(status.code)"
    case .hang: "no response (hung)"
    case .reset: "connection reset"
    case .truncated: "\(status.code), truncated"
    }
  }
}

extension FixedResponse {
  /// The response that a fault sends instead of carrying a request out; `nil` when it only delays the request.
  func prepared(retryAfter: Int?, _ action: Fault.Action?) -> PreparedResponse? {
    guard !isEmpty || action != nil || retryAfter != nil else { return nil }
    var fixed = self
    if retryAfter != nil, status == nil { fixed.status = .tooManyRequests }
    var response = fixed.prepared
    if body == nil, response.status.code >= 400 || action == .truncate {
      response = .error(response.status, "This answer was asked for with a fault; see /__admin/faults.")
    }
    if let retryAfter { response.headerFields[.retryAfter] = String(retryAfter) }
    response.headerFields.replace(with: headerFields)
    switch action {
    case .hang: response.delivery = .hang
    case .reset: response.delivery = .reset
    case .truncate: response.delivery = .truncated(after: response.bytes.count / 2)
    case nil: break
    }
    return response
  }
}
