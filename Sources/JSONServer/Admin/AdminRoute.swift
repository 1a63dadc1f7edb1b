import HTTPTypes

/// What a request below `/__admin` asks for, parsed once.
///
/// A new route is a case here, a line in `init` and one in `Engine.administer(_:_:)`.
enum AdminRoute {
  /// The page for people.
  case page
  /// A file of the page, or the page of the API's documentation.
  case asset(String)
  case openAPI
  case health
  case resources
  case exchanges(limit: Int, unexpectedOnly: Bool)
  /// One of them with its whole bodies, by its number.
  case exchange(String)
  case forgetExchanges
  case events(EventFilter, lastEventID: String?)
  case reset
  /// All access tokens expire.
  case expireTokens
  case sessions
  case removeSessions
  case removeSession(String)
  case snapshots
  case saveSnapshot(name: String?)
  case restoreSnapshot(String)
  case deleteSnapshot(String)
  /// The faults, holds and stubs.
  case rules(RuleRoute)
  /// Deletions that can be undone.
  case deletions(DeletionRoute)
  case settings
  case changeSettings(SettingsChange)
  /// json-server-reset's: the body becomes the database.
  case replaceDatabase([UInt8])
  /// json-server-reset's: the body's resources are merged into the database.
  case mergeDatabase([UInt8])

  /// The second segments of the paths, the page's files apart: a route whose name is missing here is not found.
  static let names = [
    "openapi.json", "health", "resources", "requests", "events", "reset", "auth", "sessions", "snapshots", "faults",
    "holds", "stubs", "deletions", "undo", "settings",
  ]

  /// The first segment of the paths.
  static let root = "__admin"

  /// Parses a request.
  ///
  /// - Parameter segments: The path's segments after the first.
  /// - Throws: 404 for a path that is none of these, 405 with `Allow` for another method, 400 that names what is wrong.
  init(_ request: Request, _ segments: ArraySlice<String>, _ parameters: QueryParameters) throws(RequestError) {
    let method: HTTPRequest.Method = request.method == .head ? .get : request.method
    let path = (segments.first, segments.dropFirst().first)
    if let name = path.0, !Self.names.contains(name), Page.asset(named: name) == nil { throw Self.unknown(request) }
    guard segments.count <= 2 else { throw Self.unknown(request) }
    switch path {
    case (nil, nil):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .page
    case ("openapi.json", nil):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .openAPI
    case (let name?, nil) where Page.asset(named: name) != nil:
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .asset(name)
    case ("health", nil):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .health
    case ("resources", nil):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .resources
    case ("requests", nil):
      switch method {
      case .get:
        self = .exchanges(limit: try Self.limit(parameters), unexpectedOnly: try Self.unexpectedOnly(parameters))
      case .delete: self = .forgetExchanges
      default: throw .methodNotAllowed(request, ["GET", "HEAD", "DELETE"])
      }
    case ("requests", let id?):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .exchange(id)
    case ("events", nil):
      guard method == .get else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      self = .events(try Self.eventFilter(parameters), lastEventID: Self.lastEventID(request, parameters))
    case ("reset", nil):
      guard method == .post else { throw .methodNotAllowed(request, ["POST"]) }
      self = .reset
    case ("auth", "expire"?):
      guard method == .post else { throw .methodNotAllowed(request, ["POST"]) }
      self = .expireTokens
    case ("sessions", let name):
      switch (method, name) {
      case (.get, nil): self = .sessions
      case (.delete, nil): self = .removeSessions
      case (.delete, let name?): self = .removeSession(name)
      case (_, nil): throw .methodNotAllowed(request, ["GET", "HEAD", "DELETE"])
      case (_, _?): throw .methodNotAllowed(request, ["DELETE"])
      }
    case ("snapshots", let name): self = try Self.snapshots(name, request, method)
    case ("faults", let id), ("holds", let id), ("stubs", let id):
      self = .rules(try RuleRoute(segments[segments.startIndex], id, request, method, parameters))
    case ("deletions", let number), ("undo", let number):
      self = .deletions(try DeletionRoute(segments[segments.startIndex], number, request))
    case ("settings", nil):
      switch method {
      case .get: self = .settings
      case .patch: self = .changeSettings(try SettingsChange(AdminBody(request)))
      default: throw .methodNotAllowed(request, ["GET", "HEAD", "PATCH"])
      }
    default: throw Self.unknown(request)
    }
  }

  /// Parses a request of json-server-reset's routes; `nil` when it is not one of them.
  init?(reset request: Request, _ segments: [String]) {
    guard request.method == .post else { return nil }
    switch segments {
    case ["reset"]: self = .replaceDatabase(request.body)
    case ["merge"]: self = .mergeDatabase(request.body)
    default: return nil
    }
  }

  private static func snapshots(
    _ name: String?, _ request: Request, _ method: HTTPRequest.Method
  ) throws(RequestError) -> AdminRoute {
    switch (method, name) {
    case (.get, nil): return .snapshots
    case (.post, nil): return .saveSnapshot(name: try AdminBody(request).snapshotName())
    case (.post, let name?): return .restoreSnapshot(name)
    case (.delete, let name?): return .deleteSnapshot(name)
    case (_, nil): throw .methodNotAllowed(request, ["GET", "HEAD", "POST"])
    case (_, _?): throw .methodNotAllowed(request, ["POST", "DELETE"])
    }
  }

  private static func limit(_ parameters: QueryParameters) throws(RequestError) -> Int {
    max(try ListParameters.number("limit", parameters) ?? 100, 0)
  }

  private static func unexpectedOnly(_ parameters: QueryParameters) throws(RequestError) -> Bool {
    switch parameters.first("unexpected") {
    case nil, "false": return false
    case "true": return true
    default: throw RequestError(.malformed, "'unexpected' must be true or false.")
    }
  }

  private static func eventFilter(_ parameters: QueryParameters) throws(RequestError) -> EventFilter {
    var filter = EventFilter()
    guard let names = parameters.first("types"), !names.isEmpty else { return filter }
    filter.types = []
    for name in names.split(separator: ",") {
      guard let kind = Event.Kind(rawValue: String(name)) else {
        throw RequestError(.malformed, "'types' names '\(name)'; the types are change and request.")
      }
      filter.types.insert(kind)
    }
    return filter
  }

  /// The identifier of the last event that a subscriber has seen; `nil` for a new subscriber.
  static func lastEventID(_ request: Request, _ parameters: QueryParameters) -> String? {
    let id = request.headerFields[.lastEventID] ?? parameters.first("lastEventId")
    return id?.isEmpty == true ? nil : id
  }

  static func unknown(_ request: Request) -> RequestError {
    RequestError(
      .notFound,
      "No route leads to \(request.path); below /__admin there are docs, \(names.joined(separator: ", ")).")
  }
}
