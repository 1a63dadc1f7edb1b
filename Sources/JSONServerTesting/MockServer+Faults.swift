import HTTPTypes
public import JSONServer
public import OrderedJSON

extension MockServer {
  /// Responds to requests with an error from now on; the data stays as it is.
  ///
  /// ```swift
  /// await server.fail(.get("/users"), with: 503, times: 2)
  /// await server.fail(.any(), with: 429, retryAfter: 30)
  /// ```
  ///
  /// - Parameters:
  ///   - route: The method and the path.
  ///   - status: The status of the response.
  ///   - times: How many requests fail before they succeed again; `nil` for no end.
  ///   - body: The body; `nil` for the form that all errors have.
  ///   - retryAfter: The seconds that `Retry-After` names.
  public func fail(
    _ route: Route, with status: Int, times: Int? = nil, body: JSONValue? = nil, retryAfter: Int? = nil
  ) async {
    await add(route, times) {
      $0.status = HTTPResponse.Status(code: status)
      $0.body = body
      $0.retryAfter = retryAfter
    }
  }

  /// Breaks the connection of requests from now on: leaves it silent, resets it, or ends it within the body.
  public func interrupt(_ route: Route, by action: Fault.Action, times: Int? = nil) async {
    await add(route, times) { $0.action = action }
  }

  /// Delays requests from now on; they are processed afterwards.
  public func delay(_ route: Route, by duration: Duration, times: Int? = nil) async {
    await delay(route, by: duration...duration, times: times)
  }

  /// Delays requests by a random time in a range from now on; they are processed afterwards.
  public func delay(_ route: Route, by range: ClosedRange<Duration>, times: Int? = nil) async {
    await add(route, times) { $0.delay = range }
  }

  /// Ends all faults; stubs stay.
  public func recover() async {
    await server.removeFaults()
  }

  /// Responds to requests in one way from now on, whatever the data holds; comes before the stubs that are there.
  ///
  /// ```swift
  /// await server.stub(.post("/api/v2/purchase"), with: ["balance": 200])
  /// ```
  ///
  /// - Parameters:
  ///   - route: The method and the path.
  ///   - body: The body, sent as exactly `application/json`; `nil` for none.
  ///   - status: The status of the response.
  ///   - headers: Further header fields; each name has to be one (RFC 9110, section 5.1).
  /// - Returns: The stub's id, to remove it by.
  @discardableResult
  public func stub(
    _ route: Route, with body: JSONValue?, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
  ) async -> Int {
    let fields = headers.map { name, value in
      guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is no name of a header field.") }
      return HTTPField(name: name, value: value)
    }
    return await server.stub(
      Stub(
        route.method, route.path, status: HTTPResponse.Status(code: status), body: body,
        headerFields: HTTPFields(fields)))
  }

  /// Removes a stub; does nothing when it is not there.
  public func removeStub(_ id: Int) async {
    await server.removeStub(id)
  }

  /// Removes all stubs.
  public func removeStubs() async {
    await server.removeStubs()
  }

  private func add(_ route: Route, _ times: Int?, _ change: (inout Fault) -> Void) async {
    var fault = Fault(method: route.method, path: route.path, times: times)
    change(&fault)
    await server.addFault(fault)
  }
}
