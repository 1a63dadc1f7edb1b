public import HTTPTypes
public import JSONServer
public import JSONServerValues

extension MockServer {
  /// Responds to requests with an error from now on; the data stays as it is.
  ///
  /// ```swift
  /// await server.fail(.get("/users"), with: 503, times: 2)
  /// await server.fail(.any(), with: .tooManyRequests, retryAfter: 30)
  /// ```
  ///
  /// - Parameters:
  ///   - route: The requests.
  ///   - status: The status of the response, from 200 to 599.
  ///   - times: How many requests fail before they succeed again; `nil` for no end.
  ///   - body: The body; `nil` for the form that all errors have.
  ///   - retryAfter: The seconds that `Retry-After` names.
  ///   - fileID: The place of the call, for issues, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  public func fail(
    _ route: Route, with status: Int, times: Int? = nil, body: JSONValue? = nil, retryAfter: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    let response = FixedResponse(status: .clamping(status), body: body.map(FixedResponse.Body.json))
    await add(
      Fault(route, times: times, response: response, retryAfter: retryAfter), status: status,
      at: CodePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Responds to requests with an error from now on; the data stays as it is.
  public func fail(
    _ route: Route, with status: HTTPResponse.Status, times: Int? = nil, body: JSONValue? = nil,
    retryAfter: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await fail(
      route, with: status.code, times: times, body: body, retryAfter: retryAfter,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Breaks the connection of requests from now on: leaves it silent, resets it, or ends it within the body.
  public func interrupt(
    _ route: Route, by action: Fault.Action, times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await add(
      Fault(route, times: times, action: action),
      at: CodePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Delays requests from now on; they are processed afterwards.
  public func delay(
    _ route: Route, by duration: Duration, times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await add(
      Fault(route, times: times, delay: duration...duration),
      at: CodePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Delays requests by a random time in a range from now on; they are processed afterwards.
  public func delay(
    _ route: Route, by range: ClosedRange<Duration>, times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await add(
      Fault(route, times: times, delay: range),
      at: CodePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Ends all faults, and releases all holds; stubs stay.
  public func recover() async {
    await server.removeFaults()
    await server.releaseHolds()
  }

  private func add(_ fault: Fault, status: Int = 200, at place: CodePlace) async {
    _ = await setUp(.fault, fault.request, isNeeded: fault.times != nil, at: place) {
      _ = try HTTPResponse.Status.checked(status)
      if let seconds = fault.retryAfter, seconds < 0 {
        throw MockServerError(.invalidSetup, "'retryAfter' must be at least 0, not \(seconds).")
      }
      return try await server.addFault(fault)
    }
  }
}

extension HTTPResponse.Status {
  /// The status of a number, or the nearest that there can be, with the number as its phrase, so that a wrong one is
  /// reported where it is used.
  static func clamping(_ code: Int) -> HTTPResponse.Status {
    0...999 ~= code
      ? HTTPResponse.Status(code: code) : HTTPResponse.Status(code: min(max(code, 0), 999), reasonPhrase: "\(code)")
  }

  /// The status of a number.
  static func checked(_ code: Int) throws(MockServerError) -> HTTPResponse.Status {
    guard 200...599 ~= code else {
      throw MockServerError(.invalidSetup, "'status' must be a number from 200 to 599, not \(code).")
    }
    return HTTPResponse.Status(code: code)
  }
}
