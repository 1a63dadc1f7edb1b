public import HTTPTypes
public import JSONServer
public import JSONServerValues

extension MockServer {
  /// Responds to requests with JSON from now on, whatever the data holds; comes before the stubs that are there.
  ///
  /// ```swift
  /// await server.stub(.post("/api/v2/purchase"), with: ["balance": 200])
  /// ```
  ///
  /// - Parameters:
  ///   - route: The requests.
  ///   - body: The body, sent as exactly `application/json`; a string as it is, when the headers have another type; `nil`
  ///     for none.
  ///   - status: The status of the response, from 200 to 599.
  ///   - headers: Further header fields.
  ///   - times: How many requests get it before it is gone; `nil` for no end.
  ///   - fileID: The place of the call, for issues, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  /// - Returns: The stub's id, to remove it by; 0 when the stub cannot be used, which is an issue.
  @discardableResult
  public func stub(
    _ route: Route, with body: JSONValue?, status: Int = 200, headers: KeyValuePairs<String, String> = [:],
    times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async -> Int {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return await add(route, times, at: place) {
      let response = FixedResponse(
        status: try .checked(status), headerFields: try Self.fields(headers), body: body.map(FixedResponse.Body.json))
      return Stub(route, response, times: times)
    }
  }

  /// Responds to requests with bytes from now on, whatever the data holds.
  ///
  /// ```swift
  /// await server.stub(.get("/logo.png"), data: bytes, type: "image/png")
  /// ```
  ///
  /// - Returns: The stub's id, to remove it by; 0 when the stub cannot be used, which is an issue.
  @discardableResult
  public func stub(
    _ route: Route, data: some Sequence<UInt8>, type: String, status: Int = 200,
    headers: KeyValuePairs<String, String> = [:], times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async -> Int {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let bytes = Array(data)
    return await add(route, times, at: place) {
      var fields = try Self.fields(headers)
      fields[.contentType] = type
      return Stub(
        route, FixedResponse(status: try .checked(status), headerFields: fields, body: .bytes(bytes)), times: times)
    }
  }

  /// Responds to requests with one response after the other from now on, with the last one again and again.
  ///
  /// ```swift
  /// await server.stub(.get("/job"), inOrder: [.status(.accepted), .json(["state": "done"])])
  /// ```
  ///
  /// - Returns: The stub's id, to remove it by; 0 when the stub cannot be used, which is an issue.
  @discardableResult
  public func stub(
    _ route: Route, inOrder responses: [Response], times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async -> Int {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return await add(route, times, at: place) {
      Stub(route, inOrder: try responses.map(Self.fixed), times: times)
    }
  }

  /// Responds to requests from now on with what a closure makes of them.
  ///
  /// ```swift
  /// await server.stub(.get("/me")) { request in
  ///   request.headerFields[.authorization] == nil ? .status(401) : nil
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - route: The requests.
  ///   - times: How many requests it is called for; `nil` for no end.
  ///   - fileID: The place of the call, for issues, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  ///   - respond: Makes the response; `nil` leaves the request to the stubs that are there, and to the data. What it throws
  ///     is a 500 with the error's description, and an issue of the test.
  /// - Returns: The stub's id, to remove it by; 0 when the stub cannot be used, which is an issue.
  @discardableResult
  public func stub(
    _ route: Route, times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    respond: @escaping @Sendable (Request) async throws -> Response?
  ) async -> Int {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return await add(route, times, at: place) { [ledger] in
      Stub(route, times: times) { request in
        do {
          return try await respond(request)
        } catch {
          // One whose client is gone may end with that.
          if !Task.isCancelled {
            let request = "\(request.method.rawValue) \(request.target)"
            ledger.recordFailure(
              MockServerError(.invalidSetup, "The closure of the stub for \(route) threw at \(request): \(error)"),
              at: place)
          }
          throw error
        }
      }
    }
  }

  /// Removes a stub; does nothing when it is not there.
  public func removeStub(_ id: Int) async {
    ledger.forget(.stub, id)
    await server.removeStub(id)
  }

  /// Removes all stubs.
  public func removeStubs() async {
    ledger.forgetAll(.stub)
    await server.removeStubs()
  }

  private func add(_ route: Route, _ times: Int?, at place: CodePlace, _ stub: () throws -> Stub) async -> Int {
    await setUp(.stub, route, isNeeded: times != nil, at: place) { try await server.stub(try stub()) }
  }

  private static func fields(_ headers: KeyValuePairs<String, String>) throws(MockServerError) -> HTTPFields {
    var fields: HTTPFields = [:]
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else {
        throw MockServerError(.invalidSetup, "'\(name)' is no name of a header field.")
      }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  /// A response that can be sent more than once.
  private static func fixed(_ response: Response) throws(MockServerError) -> FixedResponse {
    guard case .bytes(let bytes) = response.body, response.delivery == .normal else {
      throw MockServerError(
        .invalidSetup, "A stream is sent once, and an interrupted response is a fault; respond with a closure instead.")
    }
    // One that is none has its number in the phrase.
    let status = try HTTPResponse.Status.checked(Int(response.status.reasonPhrase) ?? response.status.code)
    return FixedResponse(
      status: status, headerFields: response.headerFields, body: bytes.isEmpty ? nil : .bytes(bytes))
  }
}

extension Response {
  /// A response with a status and no body.
  public static func status(_ status: HTTPResponse.Status) -> Response { Response(status: status) }

  /// A response with a status, from 200 to 599, and no body.
  public static func status(_ code: Int) -> Response { Response(status: .clamping(code)) }

  /// A response with JSON, as exactly `application/json`.
  public static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
    data(value.text().utf8, type: "application/json", status: status)
  }

  /// A response with text.
  public static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
  ) -> Response {
    data(text.utf8, type: type, status: status)
  }

  /// A response with bytes.
  public static func data(
    _ bytes: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(status: status, headerFields: [.contentType: type], body: .bytes(Array(bytes)))
  }
}
