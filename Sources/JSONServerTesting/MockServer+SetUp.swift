public import JSONServerMock
public import Testing

extension MockServer {
  /// Responds to requests in one way from now on, whatever the data holds; comes before the stubs that are there.
  ///
  /// ```swift
  /// await server.stub(.get("/logo.png"), with: .file("Fixtures/logo.png"), times: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - response: The response.
  ///   - times: How many requests get it before it is gone, at least one; `nil` for no end.
  ///   - sourceLocation: The place of the call, for issues.
  public func stub(
    _ request: RequestPattern, with response: Response, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, inOrder: [response], times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with JSON from now on, whatever the data holds; comes before the stubs that are there.
  ///
  /// ```swift
  /// await server.stub(.post("/api/v2/purchase"), with: ["balance": 200])
  /// try await server.stub(.get("/me"), with: .encoding(User(id: 1, name: "Ada")))
  /// ```
  public func stub(
    _ request: RequestPattern, with json: JSONValue, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await stub(request, with: .json(json), times: times, sourceLocation: sourceLocation)
  }

  /// Responds to requests with one response after the other from now on, with the last one again and again.
  ///
  /// ```swift
  /// await server.stub(.get("/job"), inOrder: [.status(.accepted), .reset, .json(["state": "done"])])
  /// ```
  public func stub(
    _ request: RequestPattern, inOrder responses: [Response], times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(.stub, request, isNeeded: times != nil, at: sourceLocation) { () async throws(ServerError) in
      try await server.stub(Stub(request, inOrder: responses, times: times))
    }
  }

  /// Responds to requests from now on with what a closure makes of them.
  ///
  /// ```swift
  /// await server.stub(.get("/me")) { request in
  ///   request.headers["Authorization"] == nil ? .status(401) : nil
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - times: How many requests it is called for; `nil` for no end.
  ///   - sourceLocation: The place of the call, for issues.
  ///   - respond: Makes the response; `nil` leaves the request to the stubs that are there, and to the data. What it throws
  ///     is a 500 with the error's description, and an issue of the test.
  public func stub(
    _ request: RequestPattern, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    respond: @escaping @Sendable (Request) async throws -> Response?
  ) async {
    let stub = Stub(request, times: times) { [ledger] sent in
      func record(_ verb: String, _ problem: String) {
        let message = "The closure of the stub for \(request) \(verb) \(sent.method) \(sent.target): \(problem)"
        ledger.recordFailure(MockServerError(.invalidSetup, message), at: sourceLocation)
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
    await setUp(.stub, request, isNeeded: times != nil, at: sourceLocation) { () async throws(ServerError) in
      try await server.stub(stub)
    }
  }

  /// Removes all stubs.
  public func removeStubs() async {
    ledger.forgetAll(.stub)
    await server.removeStubs()
  }

  /// Lets requests fail from now on; the data stays as it is. Of several that match, the first one set up counts.
  ///
  /// ```swift
  /// await server.fail(.any(), with: .status(429, headers: ["Retry-After": "30"]))
  /// await server.fail(.post("/bookmarks"), with: .reset)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - response: What they get: an error, whose body has the form that all errors have when it is empty; or `.hang`,
  ///     `.reset`, `.truncated`, which break the connection.
  ///   - times: How many requests fail before they succeed again, at least one; `nil` for no end.
  ///   - sourceLocation: The place of the call, for issues.
  public func fail(
    _ request: RequestPattern, with response: Response, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(.fault, request, isNeeded: times != nil, at: sourceLocation) { () async throws(ServerError) in
      try await server.addFault(Fault(request, response, times: times))
    }
  }

  /// Lets requests fail with a status from now on: `with: 503`.
  public func fail(
    _ request: RequestPattern, with status: Int, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await fail(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Lets requests fail with a status from now on: `with: .serviceUnavailable`.
  public func fail(
    _ request: RequestPattern, with status: HTTPResponse.Status, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await fail(request, with: .status(status), times: times, sourceLocation: sourceLocation)
  }

  /// Delays requests from now on; they are processed afterwards.
  public func delay(
    _ request: RequestPattern, by duration: Duration, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await delay(request, by: duration...duration, times: times, sourceLocation: sourceLocation)
  }

  /// Delays requests by a random time in a range from now on; they are processed afterwards.
  public func delay(
    _ request: RequestPattern, by range: ClosedRange<Duration>, times: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await setUp(.fault, request, isNeeded: times != nil, at: sourceLocation) { () async throws(ServerError) in
      try await server.addFault(Fault(request, times: times, delay: range))
    }
  }

  /// Ends all faults, and releases all holds; stubs stay.
  public func recover() async {
    await server.removeFaults()
    await server.releaseHolds()
  }
}
