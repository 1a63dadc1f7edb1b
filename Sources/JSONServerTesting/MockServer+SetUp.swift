public import JSONServerMock
public import Testing

extension MockServer {
  /// Responds to requests with a fixed response from now on; the newest stub that matches applies.
  ///
  /// ```swift
  /// await server.stub(.get("/logo.png"), with: .file("Fixtures/logo.png"), times: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - response: The response.
  ///   - times: The number of requests that get it, at least one; `nil` for all.
  ///   - sourceLocation: The place of the call, for issues.
  public func stub(
    _ request: RequestPattern, with response: Response, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, inOrder: [response], times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with JSON from now on.
  ///
  /// ```swift
  /// await server.stub(.post("/api/v2/purchase"), with: ["balance": 200])
  /// ```
  @_disfavoredOverload
  public func stub(
    _ request: RequestPattern, with json: JSONValue, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, with: .json(json), times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with a status from now on: `with: 404`.
  public func stub(
    _ request: RequestPattern, with status: Int, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with a status from now on: `with: .notFound`.
  public func stub(
    _ request: RequestPattern, with status: HTTPResponse.Status, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with one response after the other from now on, and repeats the last one.
  ///
  /// ```swift
  /// await server.stub(.get("/job"), inOrder: [.status(.accepted), .reset, .json(["state": "done"])])
  /// await server.stub(.get("/bookmarks"), inOrder: [nil, .status(503), nil])  // the second request fails
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - responses: The responses; `nil` leaves a request to the other stubs and the data.
  ///   - times: The number of requests that get one; `nil` for all.
  ///   - sourceLocation: The place of the call, for issues.
  public func stub(
    _ request: RequestPattern, inOrder responses: [Response?], times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(Stub(request, inOrder: responses, times: times), at: sourceLocation)
  }

  /// Responds to requests with JSON that is filled from each request and from the data, as a stubs file does.
  ///
  /// ```swift
  /// await server.stub(.post("/orders"), filling: ["state": "new", "order": "$body"])
  /// ```
  public func stub(
    _ request: RequestPattern, filling json: JSONValue, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(Stub(request, filling: json, times: times), at: sourceLocation)
  }

  /// Adds header fields to the responses of the data and of older stubs from now on.
  ///
  /// ```swift
  /// await server.stub(.any(), addingHeaders: [.server: "mock"])
  /// ```
  public func stub(
    _ request: RequestPattern, addingHeaders fields: HTTPFields, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(Stub(request, addingHeaders: fields, times: times), at: sourceLocation)
  }

  /// Responds to requests with the responses of a closure from now on.
  ///
  /// ```swift
  /// await server.stub(.get("/me")) { request in
  ///   request.headers["Authorization"] == nil ? .status(401) : nil
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - times: The number of requests that it is called for; `nil` for all.
  ///   - sourceLocation: The place of the call, for issues.
  ///   - respond: Returns the response; `nil` leaves the request to the other stubs and the data. An error that it throws
  ///     becomes a 500 with the error's description, and an issue of the test.
  public func stub(
    _ request: RequestPattern, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    respond: @escaping @Sendable (Request) async throws -> Response?
  ) async {
    let stub = Stub(request, times: times) { [ledger] sent in
      func record(_ verb: String, _ problem: String) {
        let message = "The closure of the stub for \(request) \(verb) \(sent.method) \(sent.target): \(problem)"
        ledger.recordFailure(MockServerError(message), at: sourceLocation)
      }
      do {
        let response = try await respond(sent)
        if let problem = response?.problem { record("made no response for", problem) }
        return response
      } catch {
        // One whose client is gone may end with that.
        if !Task.isCancelled { record("threw at", "\(error)") }
        throw error
      }
    }
    await setUp(stub, at: sourceLocation)
  }

  /// Removes all stubs.
  public func removeStubs() async {
    ledger.forgetAll(.stub)
    await server.removeStubs()
  }

  /// Fails requests from now on, without a change of the data. Of several faults that match, the first one set up applies,
  /// after the delays set up before it.
  ///
  /// ```swift
  /// await server.fail(.any(), with: .status(429, headers: ["Retry-After": "30"]))
  /// await server.fail(.post("/bookmarks"), with: .reset)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - response: The response, an error without a body gets the usual one; or `.hang`, `.reset`, `.truncated`, which break
  ///     the connection.
  ///   - times: The number of requests that fail, at least one; `nil` for all.
  ///   - probability: The part of the matching requests that fail, such as 0.1, the same ones in each run.
  ///   - sourceLocation: The place of the call, for issues.
  public func fail(
    _ request: RequestPattern, with response: Response, times: Int? = nil, probability: Double? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    var fault = Fault(request, response, times: times)
    fault.probability = probability
    await setUp(fault, at: sourceLocation)
  }

  /// Fails requests with a status from now on: `with: 503`.
  public func fail(
    _ request: RequestPattern, with status: Int, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await fail(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Fails requests with a status from now on: `with: .serviceUnavailable`.
  public func fail(
    _ request: RequestPattern, with status: HTTPResponse.Status, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await fail(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Delays requests from now on; several delays that match add up.
  public func delay(
    _ request: RequestPattern, by duration: Duration, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await delay(request, by: duration...duration, times: times, sourceLocation: sourceLocation)
  }

  /// Delays requests by a random time in a range from now on.
  public func delay(
    _ request: RequestPattern, by range: ClosedRange<Duration>, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(Fault(request, times: times, delay: range), at: sourceLocation)
  }

  /// Slows requests down from now on: their bodies and those of their responses flow at this speed.
  public func slow(
    _ request: RequestPattern, toBytesPerSecond speed: Int, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(Fault(request, times: times, bytesPerSecond: speed), at: sourceLocation)
  }

  /// Ends all faults, and releases all holds; stubs stay.
  public func recover() async {
    await server.removeFaults()
    await server.releaseHolds()
  }
}

extension MockServer {
  private func setUp(_ stub: Stub, at location: SourceLocation) async {
    await setUp(.stub, stub.request, isNeeded: stub.times != nil, at: location) { () async throws(ServerError) in
      try await server.stub(stub)
    }
  }

  private func setUp(_ fault: Fault, at location: SourceLocation) async {
    await setUp(.fault, fault.request, isNeeded: fault.times != nil, at: location) { () async throws(ServerError) in
      try await server.addFault(fault)
    }
  }
}
