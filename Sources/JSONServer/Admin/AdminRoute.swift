import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServerResources
import JSONServerValues
import JSONStorage

/// A route below `/__admin`, or one of json-server-reset's.
///
/// A row of ``table`` has everything about a route: its requests, its description in the OpenAPI document, and its
/// handler. Routing, 404, 405 and OPTIONS use the rows.
///
/// A class, so that a ``Route`` stays small.
final class AdminRoute: Sendable {
  /// Responds to a request, immediately or later; runs again when a commit of the request collides with an edit of the file.
  typealias Handler = @Sendable (isolated Engine, AdminCall) throws(RequestError) -> Void

  private let method: HTTPRequest.Method
  /// The segments after the first; a segment in braces stands for any text.
  private let segments: [String]
  /// The description in the OpenAPI document.
  let operation: OpenAPIAdmin.Operation
  private let handler: Handler

  /// - Parameters:
  ///   - path: The path below ``root``; its last segment may be a variable part, whose name is in braces.
  ///   - id: The name of the operation in the OpenAPI document.
  ///   - result: The content of the response.
  ///   - body: The schema of the body; `nil` for no body.
  ///   - query: The parameters of the query.
  ///   - errors: Possible errors in addition to those of bodies, queries and variable parts.
  fileprivate init(
    _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String,
    _ result: OpenAPIAdmin.Result = .object, body: String? = nil, query: [OpenAPIAdmin.Parameter] = [],
    errors: [OpenAPIResponses.ErrorStatus] = [], respond: @escaping Handler
  ) {
    self.method = method
    segments = path.split(separator: "/").map(String.init)
    operation = OpenAPIAdmin.operation(
      method.rawValue.lowercased(), "/\(RequestTarget.adminRoot)\(path)", id, summary, result, body: body, query: query,
      errors: errors)
    handler = respond
  }

  func respond(to context: RequestContext, on engine: isolated Engine) throws(RequestError) {
    try handler(engine, AdminCall(route: self, context: context))
  }

  private func takes(_ path: ArraySlice<String>) -> Bool {
    segments.count == path.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }

  /// Finds the route of a request below `/__admin`.
  ///
  /// - Parameter path: The path's segments after the first.
  /// - Throws: 404 for an unknown path, 405 with `Allow` for another method.
  static func route(of request: Request, _ path: ArraySlice<String>) throws(RequestError) -> AdminRoute {
    var routes = table.filter { $0.takes(path) }
    if routes.isEmpty, Page.isAsset(path) { routes = [asset] }
    guard !routes.isEmpty else {
      var names: [String] = []
      for name in table.compactMap(\.segments.first) where !names.contains(name) { names.append(name) }
      throw RequestError(
        .notFound, "No route leads to \(request.path); below /__admin there are \(names.joined(separator: ", ")).")
    }
    let method: HTTPRequest.Method = request.method == .head ? .get : request.method
    guard let route = routes.first(where: { $0.method == method }) else {
      throw .methodNotAllowed(request, routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] })
    }
    return route
  }

  /// Finds the route of a request to json-server-reset's `/reset` and `/merge`; `nil` for another request.
  static func resetRoute(of request: Request, _ path: [String]) -> AdminRoute? {
    resetTable.first { $0.method == request.method && $0.takes(path[...]) }
  }
}

/// A request to an administrative route.
struct AdminCall: Sendable {
  let route: AdminRoute
  let context: RequestContext

  var requester: Requester { Requester(context, .admin(route)) }

  /// The path's last segment, which is the variable part of some routes.
  var name: String { context.target.segments.last ?? "" }

  var parameters: QueryParameters { context.target.parameters }

  /// Reads the body, on another thread when it is large, and goes on with what it says.
  ///
  /// - Parameter read: Throws 400 that names the invalid member.
  func read<Value: Sendable>(
    on engine: isolated Engine, _ read: @escaping @Sendable (StrictObject) throws(RequestError) -> Value,
    then goOn: @escaping @Sendable (isolated Engine, Value) throws(RequestError) -> Void
  ) throws(RequestError) {
    guard context.request.bytes.count > RequestBody.largestQuick else {
      return try goOn(engine, read(StrictObject(context.request)))
    }
    engine.aside {
      Result { () throws(RequestError) in try read(StrictObject(context.request)) }
    } then: {
      whenDone(goOn)($0, $1)
    }
  }

  /// Responds with a value, which another thread writes when it is large.
  ///
  /// - Throws: 503 when too many reads that take long are under way.
  func show(_ value: JSONValue, status: HTTPResponse.Status = .ok, on engine: isolated Engine) throws(RequestError) {
    try show(isLarge: value.isLonger(than: RequestBody.largestQuick), status: status, on: engine) { _ in value }
  }

  /// Responds with a value, which another thread makes and writes when it is large.
  ///
  /// - Throws: 503 when too many reads that take long are under way.
  func show(
    isLarge: Bool, status: HTTPResponse.Status = .ok, on engine: isolated Engine,
    _ value: @escaping @Sendable (Database) -> JSONValue
  ) throws(RequestError) {
    guard isLarge else { return engine.finalize(context, .json(value(engine.database), status: status)) }
    // Middleware may change the response, and sees it without the parts that `finalize` adds.
    let isFinal = !context.isInner
    try engine.calculate(for: context) { database in
      var response = PreparedResponse.json(value(database), status: status)
      if isFinal { response.validator = EntityTag(of: response.bytes) }
      return response
    } then: { engine, response in
      engine.finalize(context, response)
    }
  }

  /// Makes a completion that responds with a result or an error.
  func respond<Success>(
    _ response: @escaping @Sendable (isolated Engine, Success) -> PreparedResponse
  ) -> Engine.Completion<Success> {
    whenDone { engine, success throws(RequestError) in engine.finalize(context, response(engine, success)) }
  }

  /// Makes a completion that goes on with a result, or responds with an error.
  func whenDone<Success>(
    _ goOn: @escaping @Sendable (isolated Engine, Success) throws(RequestError) -> Void
  ) -> Engine.Completion<Success> {
    { engine, result in
      do throws(RequestError) {
        try goOn(engine, result.get())
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }
}

// MARK: The table

extension AdminRoute {
  /// All routes, as the OpenAPI document lists them. A new route is a row here.
  static let table: [AdminRoute] =
    server + journal + [reset, expireTokens] + sessions + snapshots + rules(.fault, "Fault", "Adds a fault.")
    + rules(.hold, "Hold", "Adds a hold: requests wait until its release.")
    + rules(.stub, "Stub", "Adds a stub, which precedes the others: requests get its response.") + deletions + settings

  private static let server: [AdminRoute] = [
    AdminRoute(.get, "", "Page", "Returns the page for the browser.", .text(type: "text/html")) {
      $0.finalize($1.context, .page)
    },
    AdminRoute(.get, "/docs", "Docs", "Returns this document as a page.", .text(type: "text/html")) {
      $0.finalize($1.context, .asset($1.name))
    },
    AdminRoute(.get, "/openapi.json", "OpenAPI", "Returns this document.") { engine, call throws(RequestError) in
      try call.describe(on: engine)
    },
    AdminRoute(
      .get, "/health", "Health", "Returns the state of the server, and the errors of its files.", .one("Health")
    ) {
      $1.reportHealth(on: $0)
    },
    AdminRoute(.get, "/routes", "Routes", "Lists what each path of the OpenAPI document is.", .list("Route")) {
      $0.finalize($1.context, .json($0.configuration.contract?.table ?? []))
    },
    AdminRoute(.get, "/resources", "Resources", "Lists the resources.", .list("Resource")) {
      $0.finalize($1.context, .json(.array($0.database.resources(below: $1.context.request.mount))))
    },
    AdminRoute(
      .post, "/resources", "AddResources", "Adds resources; records of existing ones are merged by id.",
      body: "Resources", errors: [.conflict]
    ) { engine, call throws(RequestError) in
      try call.mergeData(respondingWith: .json([:], status: .created), on: engine)
    },
  ]

  /// A file of the pages, without a description.
  private static let asset = AdminRoute(.get, "/{folder}/{file}", "Asset", "Returns a file of the pages.") {
    $0.finalize($1.context, .asset($1.name, isKept: true))
  }

  private static let journal: [AdminRoute] = [
    AdminRoute(
      .get, "/requests", "Requests", "Lists the newest requests with their responses.", .list("Exchange"),
      query: [
        ("limit", "The maximum number of requests; 100 by default.", ["type": "integer", "minimum": 0]),
        ("unexpected", "Only those that a strict server refused.", ["type": "boolean"]),
      ]
    ) { engine, call throws(RequestError) in
      let limit = max(try call.parameters.number("limit") ?? 100, 0)
      let unexpectedOnly = try call.parameters.flag("unexpected")
      let all = unexpectedOnly ? engine.journal.unexpected.all : engine.journal.exchanges
      let exchanges = all.suffix(limit)
      let byteCount = exchanges.reduce(0) { $0 + $1.byteCount }
      try call.show(isLarge: byteCount > RequestBody.largestQuick, on: engine) { _ in .array(exchanges.map(\.value)) }
    },
    AdminRoute(.get, "/requests/{id}", "Request", "Returns a request with its whole bodies.", .one("Exchange")) {
      engine, call throws(RequestError) in
      guard let number = Int(call.name), let exchange = engine.journal[number] else {
        throw RequestError(
          .notFound, "The journal has no request '\(call.name)' any more; GET /__admin/requests lists its requests.")
      }
      try call.show(isLarge: exchange.byteCount > RequestBody.largestQuick, on: engine) { _ in
        exchange.value(showing: .max)
      }
    },
    AdminRoute(.delete, "/requests", "ForgetRequests", "Empties the journal.") {
      $0.journal.removeAll()
      $0.finalize($1.context, .json([:]))
    },
    AdminRoute(
      .get, "/events", "Events", "Streams changes of the data and requests as they happen.",
      .text(type: "text/event-stream"),
      query: [
        ("types", "`change` or `request`, separated by commas.", ["type": "string"]),
        ("lastEventId", "The last event that the client has seen, as the field Last-Event-ID.", ["type": "string"]),
      ]
    ) { engine, call throws(RequestError) in
      let filter = try EventFilter(call.parameters)
      engine.finalize(call.context, engine.events.subscribe(to: filter, call.context, on: engine))
    },
  ]

  private static let reset = AdminRoute(
    .post, "/reset", "Reset", "Restores the data as it was last read from outside."
  ) { engine, call throws(RequestError) in
    try engine.snapshots.restore(nil, for: call.requester, on: engine)
  }

  private static let expireTokens = AdminRoute(
    .post, "/auth/expire", "ExpireTokens", "Makes all access tokens expire.", .one("Expired"), errors: [.notFound]
  ) { engine, call throws(RequestError) in
    guard engine.signIn != nil else {
      throw RequestError(.notFound, "Nobody signs in here; start the server with Server.Configuration.signIn.")
    }
    let now = engine.now
    engine.changeState(
      { Tokens.expire(now: now, in: &$0) }, then: call.respond { .json(["expired": .number(JSONNumber($1))]) })
  }

  private static let sessions: [AdminRoute] = [
    AdminRoute(.get, "/sessions", "Sessions", "Lists the sessions.", .list("Session"), errors: [.notFound]) {
      engine, call throws(RequestError) in
      engine.finalize(call.context, .json(.array(try engine.sessions.allowed.all.map(\.value))))
    },
    AdminRoute(.delete, "/sessions", "EndSessions", "Ends all sessions.", errors: [.notFound]) {
      engine, call throws(RequestError) in
      try engine.sessions.allowed.removeAll()
      engine.finalize(call.context, .json([:]))
    },
    AdminRoute(.delete, "/sessions/{name}", "EndSession", "Ends a session.") { engine, call throws(RequestError) in
      guard try engine.sessions.allowed.remove(call.name) else { throw unknown("session", call) }
      engine.finalize(call.context, .json([:]))
    },
  ]

  private static let snapshots: [AdminRoute] = [
    AdminRoute(.get, "/snapshots", "Snapshots", "Lists the snapshots.", .list("Snapshot")) { engine, call in
      engine.snapshots.list(
        on: engine,
        call.respond { _, entries in
          .json(
            .array(
              entries.map {
                ["name": .string($0.name), "time": .string(Timestamp(secondsSince1970: $0.time).rfc3339)]
              }))
        })
    },
    AdminRoute(
      .post, "/snapshots", "SaveSnapshot", "Saves the current data as a snapshot.", .created("SnapshotName"),
      body: "SnapshotName"
    ) { engine, call throws(RequestError) in
      try call.read(on: engine) { body throws(RequestError) in
        try body.snapshotName()
      } then: { engine, name in
        engine.snapshots.save(name, on: engine, call.respond { .json(["name": .string($1)], status: .created) })
      }
    },
    AdminRoute(.post, "/snapshots/{name}", "RestoreSnapshot", "Restores a snapshot.") {
      engine, call throws(RequestError) in
      try engine.snapshots.restore(call.name, for: call.requester, on: engine)
    },
    AdminRoute(.delete, "/snapshots/{name}", "DeleteSnapshot", "Deletes a snapshot.") { engine, call in
      engine.snapshots.remove(
        call.name, on: engine, call.respond { $1 ? .json([:]) : RequestError.unknownSnapshot(call.name).response() })
    },
  ]

  /// The routes of faults, of holds or of stubs.
  private static func rules(_ kind: Rule.Kind, _ title: String, _ summary: String) -> [AdminRoute] {
    let (name, path, isHold) = (kind.rawValue, "/\(kind.rawValue)s", kind == .hold)
    let one = AdminRoute(.get, "\(path)/{id}", title, "Returns a \(name).", .one(title)) { engine, call in
      engine.rules.whenCurrent(
        kind, on: engine,
        call.whenDone { engine, _ throws(RequestError) in
          let value = Int(call.name).flatMap { engine.rules.value(of: kind, $0) }
          guard let value else { throw unknown(name, call) }
          try call.show(value, on: engine)
        })
    }
    let replace = AdminRoute(.put, "\(path)/{id}", "Replace\(title)", "Replaces a \(name).", .one(title), body: title) {
      engine, call throws(RequestError) in
      try call.replace(kind, on: engine) { $1 }
    }
    let change = AdminRoute(.patch, "\(path)/{id}", "Change\(title)", "Changes a \(name).", .one(title), body: title) {
      engine, call throws(RequestError) in
      try call.replace(kind, on: engine) { $1.merged(into: $0) }
    }
    let (removal, query): (String, [OpenAPIAdmin.Parameter]) =
      isHold
      ? ("Release", [("status", "Makes the requests fail with this status.", ["type": "integer"])])
      : ("Remove", [])
    return [
      AdminRoute(.get, path, "\(title)s", "Lists the \(name)s.", .list(title)) { engine, call in
        engine.rules.whenCurrent(
          kind, on: engine,
          call.whenDone { engine, _ throws(RequestError) in
            try call.show(.array(engine.rules.values(of: kind)), on: engine)
          })
      }
    ] + (kind == .stub ? [one, replace, change] : []) + [
      AdminRoute(.post, path, "Add\(title)", summary, .created(title), body: title) {
        engine, call throws(RequestError) in
        try call.read(on: engine) { [files = engine.configuration.bodyFiles] body throws(RequestError) in
          try Rule(kind, body, files: files)
        } then: { engine, rule in
          engine.rules.add(
            rule, on: engine,
            call.whenDone { engine, id throws(RequestError) in
              let value = isHold ? nil : engine.rules.value(of: kind, id)
              try call.show(value ?? ["id": .number(JSONNumber(id))], status: .created, on: engine)
            })
        }
      },
      AdminRoute(
        .delete, path, "\(removal)\(title)s",
        "Removes all \(name)s\(isHold ? " and lets their requests go on" : "").", query: query
      ) { engine, call throws(RequestError) in
        let response = isHold ? try call.parameters.heldResponse() : nil
        engine.rules.remove(kind, failingWith: response, on: engine, call.respond { _, _ in .json([:]) })
      },
      AdminRoute(
        .delete, "\(path)/{id}", "\(removal)\(title)",
        "Removes a \(name)\(isHold ? " and lets its requests go on" : "").", query: query
      ) { engine, call throws(RequestError) in
        let response = isHold ? try call.parameters.heldResponse() : nil
        guard let number = Int(call.name) else { throw unknown(name, call) }
        engine.rules.remove(
          kind, number, failingWith: response, on: engine,
          call.respond { $1 ? .json([:]) : unknown(name, call).response() })
      },
    ]
  }

  private static let deletions: [AdminRoute] = [
    AdminRoute(
      .post, "/deletions", "Delete", "Deletes records as one change, or previews the deletion.",
      .one("Deleted"), body: "Deletion", errors: [.notFound]
    ) { engine, call throws(RequestError) in
      try call.delete(on: engine)
    },
    AdminRoute(
      .post, "/undo/{number}", "Undo", "Undoes a deletion, or an import of the page.", .one("Restored"),
      errors: [.conflict]
    ) { engine, call throws(RequestError) in
      try call.undo(on: engine)
    },
  ]

  private static let settings: [AdminRoute] = [
    AdminRoute(.get, "/settings", "Settings", "Returns the settings.", .one("Settings")) {
      $0.finalize($1.context, .json($0.settings.value))
    },
    AdminRoute(.patch, "/settings", "ChangeSettings", "Changes settings.", .one("Settings"), body: "Settings") {
      engine, call throws(RequestError) in
      try call.read(on: engine) { [settings = engine.settings] body throws(RequestError) in
        var settings = settings
        let changes = try settings.change(by: body)
        return (settings, changes)
      } then: { engine, change throws(RequestError) in
        let (settings, changes) = change
        guard settings.isReadOnly || !engine.configuration.isReadOnly else {
          throw RequestError(
            .forbidden, "The server was started with Server.Configuration.isReadOnly; to write, start it without.")
        }
        engine.changeState(
          { state in
            for (name, value) in changes { state[.setting, name] = value }
          }, then: call.respond { engine, _ in .json(engine.settings.value) })
      }
    },
  ]

  fileprivate static func unknown(_ kind: String, _ call: AdminCall) -> RequestError {
    RequestError(.notFound, "There is no \(kind) '\(call.name)'; GET /__admin/\(kind)s lists all \(kind)s.")
  }

  /// The routes of json-server-reset, without descriptions.
  private static let resetTable: [AdminRoute] = [
    AdminRoute(.post, "/reset", "ReplaceDatabase", "Replaces the database with the body.") {
      engine, call throws(RequestError) in
      try call.replaceData(on: engine)
    },
    AdminRoute(.post, "/merge", "MergeDatabase", "Merges the body's resources into the database.") {
      engine, call throws(RequestError) in
      try call.mergeData(on: engine)
    },
  ]
}

extension AdminCall {
  /// Replaces a rule, which keeps its id and its place and begins anew.
  ///
  /// - Parameter replacement: Makes the new rule of the members of the old one and the body.
  /// - Throws: 404 without such a rule, 400 for an invalid one.
  fileprivate func replace(
    _ kind: Rule.Kind, on engine: isolated Engine,
    by replacement: @escaping @Sendable (JSONObject, StrictObject) -> StrictObject
  ) throws(RequestError) {
    let unknown = AdminRoute.unknown(kind.rawValue, self)
    guard let id = Int(name) else { throw unknown }
    engine.rules.whenCurrent(
      kind, on: engine,
      whenDone { engine, _ throws(RequestError) in
        guard let old = engine.rules.members(of: kind, id) else { throw unknown }
        try read(on: engine) { [files = engine.configuration.bodyFiles] body throws(RequestError) in
          // Responses have the id.
          try Rule(kind, replacement(old, body).without("id"), files: files)
        } then: { engine, rule in
          engine.rules.replace(
            id, with: rule, on: engine,
            whenDone { engine, isKnown throws(RequestError) in
              guard isKnown, let value = engine.rules.value(of: kind, id) else { throw unknown }
              try show(value, on: engine)
            })
        }
      })
  }
}

extension JSONValue {
  /// Whether the value's text is about longer than a number of bytes. O(number of bytes), whatever the size.
  fileprivate func isLonger(than byteCount: Int) -> Bool {
    var rest = byteCount
    var open = [self]
    while rest >= 0, let value = open.popLast() {
      switch value {
      case .null, .bool, .number: rest -= 4
      case .string(let text): rest -= text.utf8.count
      case .array(let elements):
        rest -= elements.count
        if rest >= 0 { open += elements }
      case .object(let members):
        rest -= members.count
        if rest >= 0 { open += members.map(\.value) }
      }
    }
    return rest < 0
  }
}

extension QueryParameters {
  /// - Throws: 400, when the parameter is neither true nor false.
  fileprivate func flag(_ name: String) throws(RequestError) -> Bool {
    switch first(name) {
    case nil, "false": return false
    case "true": return true
    default: throw RequestError(.malformed, "'\(name)' must be true or false.")
    }
  }

  /// Reads the parameter `status`, with which held requests fail; `nil` when they go on.
  ///
  /// - Throws: 400 for an invalid status.
  fileprivate func heldResponse() throws(RequestError) -> PreparedResponse? {
    guard let text = first("status") else { return nil }
    guard let code = Int(text), (200...599).contains(code) else {
      throw RequestError(.malformed, "'status' must be a number from 200 to 599.")
    }
    return FixedResponse(status: HTTPResponse.Status(code: code)).prepared(retryAfter: nil)
  }
}
