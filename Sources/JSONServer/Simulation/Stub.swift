public import HTTPTypes
public import OrderedJSON

/// Responses that requests get whatever the data holds, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct Stub: Sendable {
  /// Makes a response when a request comes; `nil` leaves the request to the stubs after this one, and to the data.
  public typealias Handler = @Sendable (Request) async throws -> Response?

  enum Action: Sendable {
    /// These in order, the last one again and again.
    case responses([FixedResponse])
    case handler(Handler)
  }

  /// The requests it matches; none to `/__admin`.
  public var request: RequestPattern
  /// How many requests it matches before it is gone; `nil` for no end.
  public var times: Int?
  /// How long its responses wait; a length within the range is chosen for each.
  public var delay: ClosedRange<Duration>?
  let action: Action

  /// Creates a stub with one response.
  public init(
    _ request: RequestPattern, _ response: FixedResponse, times: Int? = nil, delay: ClosedRange<Duration>? = nil
  ) {
    self.init(request, inOrder: [response], times: times, delay: delay)
  }

  /// Creates a stub whose responses come in order, the last one again and again.
  public init(
    _ request: RequestPattern, inOrder responses: [FixedResponse], times: Int? = nil,
    delay: ClosedRange<Duration>? = nil
  ) {
    self.init(request, .responses(responses), times, delay)
  }

  /// Creates a stub whose responses a closure makes.
  ///
  /// What the closure throws becomes a 500 with the error's description. It runs beside the server's event loop; the
  /// requests after it on a connection wait.
  public init(
    _ request: RequestPattern, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    respond: @escaping Handler
  ) {
    self.init(request, .handler(respond), times, delay)
  }

  /// Creates a stub of a method and a path with one JSON response.
  public init(
    _ method: HTTPRequest.Method? = nil, _ path: String, status: HTTPResponse.Status = .ok, body: JSONValue? = nil,
    headerFields: HTTPFields = [:]
  ) {
    self.init(
      RequestPattern(method, path),
      FixedResponse(status: status, headerFields: headerFields, body: body.map(FixedResponse.Body.json)))
  }

  /// Whether its responses differ from one request to the next.
  var isSequence: Bool {
    switch action {
    case .responses(let responses): responses.count > 1
    case .handler: false
    }
  }

  private init(_ request: RequestPattern, _ action: Action, _ times: Int?, _ delay: ClosedRange<Duration>?) {
    self.request = request
    self.action = action
    self.times = times
    self.delay = delay
  }
}

extension Stub {
  private static let memberNames: Set = ["request", "response", "responses", "times", "delay"]

  /// Reads a stub as it is sent to `/__admin/stubs`, or as it is in a stubs file.
  ///
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody, files: BodyFiles) throws(RequestError) {
    try body.allow(only: Self.memberNames)
    var pattern = RequestPattern()
    if let request = try body.object("request") {
      try request.allow(only: RequestPattern.memberNames)
      pattern = try RequestPattern(request)
    }
    var objects = try body.objects("responses")
    if let response = try body.object("response") {
      guard objects == nil else { throw body.refusal(of: "response", "contradicts 'responses'; give one of the two.") }
      objects = [response]
    }
    guard let objects else {
      throw RequestError(
        .malformed, "The stub has no response; it needs 'response', or 'responses' for several in order.")
    }
    var responses: [FixedResponse] = []
    for object in objects {
      try object.allow(only: FixedResponse.memberNames)
      responses.append(try FixedResponse(object, files: files))
    }
    self.init(pattern, inOrder: responses, times: try body.times(), delay: try body.delay())
  }

  /// The stub as `/__admin/stubs` shows it; one with a closure has no response.
  func value(id: Int, timesLeft: Int?, matcher: RequestMatcher) -> JSONValue {
    var members = JSONObject([("id", .number(JSONNumber(id))), ("request", .object(matcher.pattern.members))])
    switch action {
    case .handler: break
    case .responses(let responses) where responses.count == 1: members["response"] = .object(responses[0].members)
    case .responses(let responses): members["responses"] = .array(responses.map { .object($0.members) })
    }
    members["times"] = timesLeft.map { .number(JSONNumber($0)) }
    members["delay"] = delay?.milliseconds
    return .object(members)
  }
}
