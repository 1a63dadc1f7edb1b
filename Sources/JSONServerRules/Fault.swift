import HTTPTypes
public import JSONServerHTTP

/// A failure of requests on purpose, to test how a client handles it.
///
/// After a fault with only a delay or a speed, the next fault that matches applies; after the last one, the server carries out the
/// request. So it does after ``Response/truncated`` and ``Response/lost``, and cuts or loses the response. Any other fault sends
/// its own response, and the data stays unchanged.
public struct Fault: Sendable {
  /// The requests that the fault affects; never requests to `/__admin`.
  public var request: RequestPattern
  /// The number of requests that the fault affects; `nil` for no limit.
  public var times: Int?
  /// The delay of a request: a random time within the range.
  public var delay: ClosedRange<Duration>?
  /// The speed at which the bodies of the request and of its response flow; `nil` for no limit. The request goes on when its
  /// body would have arrived.
  public var bytesPerSecond: Int?
  /// The part of the matching requests that the fault affects, such as 0.1; `nil` for all. Which ones depends on ``seed``
  /// alone, so a run repeats.
  public var probability: Double?
  /// The sequence of requests that ``probability`` chooses.
  public var seed = 0
  /// The response that replaces carrying out the request; `nil` for a delay only. An error without a body gets the body
  /// that all errors have.
  public var response: Response?

  /// Creates a fault.
  ///
  /// ```swift
  /// Fault(.get("/posts"), .status(503, headers: ["Retry-After": "30"]), times: 2)
  /// ```
  public init(
    _ request: RequestPattern, _ response: Response? = nil, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    bytesPerSecond: Int? = nil
  ) {
    self.request = request
    self.response = response
    self.times = times
    self.delay = delay
    self.bytesPerSecond = bytesPerSecond
  }

  /// Creates a fault with a fixed delay.
  public init(_ request: RequestPattern, _ response: Response? = nil, times: Int? = nil, delay: Duration) {
    self.init(request, response, times: times, delay: delay...delay)
  }
}

extension FixedResponse {
  /// How a fault has the response sent of whatever responds to the request; `nil` for a fault with a response of its own.
  var disturbance: Response.Delivery? {
    switch delivery {
    case .lost: .lost
    case .truncated: self == FixedResponse(delivery: .truncated(after: 0)) ? delivery : nil
    case .normal, .hang, .reset: nil
    }
  }

  /// The response of a fault or of a hold; `nil` for a fault with only a delay, and for one that disturbs the response of
  /// whatever responds to the request.
  package func prepared(retryAfter: Int?) -> PreparedResponse? {
    guard retryAfter != nil || self != FixedResponse() && disturbance == nil else { return nil }
    var fixed = self
    if retryAfter != nil, status == nil { fixed.status = .tooManyRequests }
    var response = fixed.prepared
    if body == nil, response.status.code >= 400 {
      response = .error(response.status, "A fault or a hold caused this response; see Server.addFault and Server.hold.")
      response.delivery = delivery
      if case .truncated = delivery { response.cut() }
    }
    if let retryAfter { response.headerFields[.retryAfter] = String(retryAfter) }
    response.headerFields.replace(with: headerFields)
    return response
  }
}
