import HTTPTypes

/// What a request to `/__admin/faults`, `/__admin/holds` or `/__admin/stubs` asks for, parsed once.
enum RuleRoute {
  case faults
  case addFault(AdminBody)
  case removeFaults
  case removeFault(String)
  case holds
  case addHold(AdminBody)
  case releaseHolds(Holds.Release)
  case releaseHold(String, Holds.Release)
  case stubs
  case stub(String)
  case addStub(AdminBody)
  case removeStubs
  case removeStub(String)

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - kind: The second segment of the path: `faults`, `holds`, and else `stubs`.
  ///   - id: The third.
  /// - Throws: 405 with `Allow` for another method, 400 that names what is wrong.
  init(
    _ kind: String, _ id: String?, _ request: Request, _ method: HTTPRequest.Method, _ parameters: QueryParameters
  ) throws(RequestError) {
    switch kind {
    case "faults": self = try Self.faults(id, request, method)
    case "holds": self = try Self.holds(id, request, method, parameters)
    default: self = try Self.stubs(id, request, method)
    }
  }

  private static func faults(
    _ id: String?, _ request: Request, _ method: HTTPRequest.Method
  ) throws(RequestError) -> RuleRoute {
    switch (method, id) {
    case (.get, nil): return .faults
    case (.post, nil): return .addFault(try AdminBody(request))
    case (.delete, nil): return .removeFaults
    case (.delete, let id?): return .removeFault(id)
    case (_, nil): throw .methodNotAllowed(request, ["GET", "HEAD", "POST", "DELETE"])
    case (_, _?): throw .methodNotAllowed(request, ["DELETE"])
    }
  }

  private static func holds(
    _ id: String?, _ request: Request, _ method: HTTPRequest.Method, _ parameters: QueryParameters
  ) throws(RequestError) -> RuleRoute {
    switch (method, id) {
    case (.get, nil): return .holds
    case (.post, nil): return .addHold(try AdminBody(request))
    case (.delete, nil): return .releaseHolds(try release(parameters))
    case (.delete, let id?): return .releaseHold(id, try release(parameters))
    case (_, nil): throw .methodNotAllowed(request, ["GET", "HEAD", "POST", "DELETE"])
    case (_, _?): throw .methodNotAllowed(request, ["DELETE"])
    }
  }

  /// How held requests are released: they go on, or they fail with the status that is asked for.
  private static func release(_ parameters: QueryParameters) throws(RequestError) -> Holds.Release {
    guard let text = parameters.first("status") else { return .goOn }
    guard let code = Int(text), (200...599).contains(code) else {
      throw RequestError(.malformed, "'status' must be a number from 200 to 599.")
    }
    return .fail(Holds.failure(HTTPResponse.Status(code: code)))
  }

  private static func stubs(
    _ id: String?, _ request: Request, _ method: HTTPRequest.Method
  ) throws(RequestError) -> RuleRoute {
    switch (method, id) {
    case (.get, nil): return .stubs
    case (.get, let id?): return .stub(id)
    case (.post, nil): return .addStub(try AdminBody(request))
    case (.delete, nil): return .removeStubs
    case (.delete, let id?): return .removeStub(id)
    case (_, nil): throw .methodNotAllowed(request, ["GET", "HEAD", "POST", "DELETE"])
    case (_, _?): throw .methodNotAllowed(request, ["GET", "HEAD", "DELETE"])
    }
  }
}
