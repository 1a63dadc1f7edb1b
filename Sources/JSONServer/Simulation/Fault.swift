public import HTTPTypes
public import OrderedJSON

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
  }

  /// The method it meets; `nil` for all.
  public var method: HTTPRequest.Method?
  /// The path it meets, decoded; a `*` stands for any characters; `nil` for all but `/__admin`.
  public var path: String?
  /// How many requests it meets before it expires; `nil` for no end.
  public var times: Int?
  /// How long the request waits; a length within the range is chosen for each.
  public var delay: ClosedRange<Duration>?
  /// The status to respond with; `nil` for 429 with ``retryAfter``, and else 200 when there is something to send.
  public var status: HTTPResponse.Status?
  /// The body to respond with; an error's usual form when a status from 400 on has none.
  public var body: JSONValue?
  /// Header fields to respond with, besides those that every response has.
  public var headerFields: HTTPFields
  /// The seconds that `Retry-After` names.
  public var retryAfter: Int?
  /// What happens to the connection; `nil` leaves it open.
  public var action: Action?

  /// Creates a fault.
  public init(
    method: HTTPRequest.Method? = nil, path: String? = nil, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    status: HTTPResponse.Status? = nil, body: JSONValue? = nil, headerFields: HTTPFields = [:],
    retryAfter: Int? = nil, action: Action? = nil
  ) {
    self.method = method
    self.path = path
    self.times = times
    self.delay = delay
    self.status = status
    self.body = body
    self.headerFields = headerFields
    self.retryAfter = retryAfter
    self.action = action
  }
}

extension Fault {
  /// The response that is sent instead of carrying the request out; `nil` when it is only delayed.
  var response: PreparedResponse? {
    guard status != nil || body != nil || action != nil || retryAfter != nil || !headerFields.isEmpty else {
      return nil
    }
    let status = (status ?? (retryAfter == nil ? .ok : .tooManyRequests)).withPhrase
    var response: PreparedResponse
    if let body {
      response = .json(body, status: status)
    } else if status.code >= 400 || action == .truncate {
      response = .error(status, "This answer was asked for with a fault; see /__admin/faults.")
    } else {
      response = PreparedResponse(status: status)
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

  /// How long a request waits.
  func delay(_ random: () -> UInt64) -> Duration? {
    guard let delay else { return nil }
    let span = UInt64(max((delay.upperBound - delay.lowerBound) / .milliseconds(1), 0))
    return delay.lowerBound + .milliseconds(span == 0 ? 0 : Int64(random() % (span + 1)))
  }
}
