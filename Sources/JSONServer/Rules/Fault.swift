import HTTPTypes

/// What goes wrong with requests on purpose, to test how a client handles it.
///
/// A fault that only delays lets the request be carried out afterwards; any other determines the response, and the data
/// is not changed.
public struct Fault: Sendable {
  /// What happens to the connection.
  enum Action: String, Sendable, CaseIterable {
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
  /// What is sent instead of carrying the request out; `nil` when the request is only delayed. An error without a body has
  /// the form that all errors have.
  public var response: Response?

  /// Creates a fault.
  ///
  /// ```swift
  /// Fault(.get("/posts"), .status(503, headers: ["Retry-After": "30"]), times: 2)
  /// ```
  public init(
    _ request: RequestPattern, _ response: Response? = nil, times: Int? = nil, delay: ClosedRange<Duration>? = nil
  ) {
    self.request = request
    self.response = response
    self.times = times
    self.delay = delay
  }

  /// What happens to the connection; `nil` leaves it open.
  var action: Action? {
    switch response?.delivery {
    case .hang: .hang
    case .reset: .reset
    case .truncated: .truncate
    case .normal, nil: nil
    }
  }
}

extension Response {
  /// How a response is sent, for tests of a client's error handling.
  package enum Delivery: Sendable, Hashable {
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
