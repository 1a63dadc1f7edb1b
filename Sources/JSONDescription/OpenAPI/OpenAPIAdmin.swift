package import OrderedJSON

/// What a document says about the routes below `/__admin`.
package enum OpenAPIAdmin {
  /// A document with the paths of the admin interface after those of the data, and with what they refer to.
  package static func added(to document: JSONObject) -> JSONObject {
    var document = document
    var items = JSONObject()
    for route in routes {
      var item = items[route.path]?.object ?? JSONObject()
      item[route.method] = route.operation
      items[route.path] = .object(item)
    }
    document["paths"] = .object(JSONObject((document["paths"]?.object.map(Array.init) ?? []) + Array(items)))
    document["tags"] = .array(
      (document["tags"]?.array ?? []) + [["name": .string(tag), "description": "Steers the server; meets no faults."]])
    var components = document["components"]?.object ?? JSONObject()
    components["schemas"] = .object(
      JSONObject(
        (components["schemas"]?.object.map(Array.init) ?? []) + OpenAPIAdminSchemas.all.map { (name($0.key), $0.value) }
      ))
    document["components"] = .object(components)
    return document
  }

  private static let tag = "__admin"

  /// No resource's type has a dot in its name.
  private static func name(_ schema: String) -> String { "admin.\(schema)" }

  static func reference(_ schema: String) -> JSONValue { OpenAPISchemas.reference(name(schema)) }

  /// One operation.
  private struct Route {
    let path: String
    let method: String
    let operation: JSONValue
  }

  private static func route(
    _ method: String, _ path: String, _ id: String, _ summary: String, query: [(String, String, JSONValue)] = [],
    body: String? = nil, _ status: String = "200", _ schema: JSONValue = ["type": "object"],
    type: String = "application/json", errors: [OpenAPIResponses.ErrorStatus] = []
  ) -> Route {
    var operation = JSONObject([
      ("operationId", .string("admin\(id)")), ("summary", .string(summary)), ("tags", .array([.string(tag)])),
    ])
    let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    var parameters = names.map { name -> JSONValue in
      ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
    }
    for (name, description, schema) in query {
      parameters.append(
        ["name": .string(name), "in": "query", "description": .string(description), "schema": schema])
    }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body { operation["requestBody"] = ["content": ["application/json": ["schema": reference(body)]]] }
    let success: JSONValue = ["description": "Done.", "content": [type: ["schema": schema]]]
    operation["responses"] = OpenAPIResponses.all([(status, success)], errors: errors)
    return Route(path: "/__admin" + path, method: method, operation: .object(operation))
  }

  private static func list(of schema: String) -> JSONValue { ["type": "array", "items": reference(schema)] }

  private static let text: JSONValue = ["type": "string"]
  private static let integer: JSONValue = ["type": "integer", "minimum": 0]
  private static let status: [(String, String, JSONValue)] = [
    ("status", "The status with which the requests fail, instead of going on.", ["type": "integer"])
  ]

  private static let routes: [Route] =
    [
      route("get", "", "Page", "Shows the page for people.", "200", text, type: "text/html"),
      route("get", "/docs", "Docs", "Shows this document for people.", "200", text, type: "text/html"),
      route("get", "/openapi.json", "OpenAPI", "Returns this document."),
      route(
        "get", "/health", "Health", "Tells that the server runs, and what it cannot read.", "200", reference("Health")),
      route("get", "/resources", "Resources", "Lists the resources.", "200", list(of: "Resource")),
      route(
        "get", "/events", "Events", "Streams changes of the data and requests as they happen.",
        query: [
          ("types", "`change` or `request`, separated by commas.", text),
          ("lastEventId", "The last event that was seen, as the field Last-Event-ID.", text),
        ], "200", text, type: "text/event-stream", errors: [.badRequest]),
      route(
        "get", "/requests", "Requests", "Lists the newest requests with their responses.",
        query: [
          ("limit", "How many at most; 100 without it.", integer),
          ("unexpected", "Only those that a strict server refused.", ["type": "boolean"]),
        ], "200", list(of: "Exchange"), errors: [.badRequest]),
      route(
        "get", "/requests/{id}", "Request", "Returns one of them with its whole bodies.", "200", reference("Exchange"),
        errors: [.notFound]),
      route("delete", "/requests", "ForgetRequests", "Empties the journal."),
      route("get", "/settings", "Settings", "Returns the settings.", "200", reference("Settings")),
      route(
        "patch", "/settings", "ChangeSettings", "Changes settings.", body: "Settings", "200", reference("Settings"),
        errors: [.badRequest]),
      route("post", "/reset", "Reset", "Goes back to the data as it was last read from outside."),
      route(
        "post", "/auth/expire", "ExpireTokens", "Has all access tokens expire.", "200", reference("Expired"),
        errors: [.notFound]),
    ] + deletionRoutes + sessionRoutes + snapshotRoutes + faultRoutes + holdRoutes + stubRoutes

  private static let deletionRoutes = [
    route(
      "post", "/deletions", "Delete", "Deletes records as one change, or says what would go with them.",
      body: "Deletion", "200", reference("Deleted"), errors: [.badRequest, .notFound]),
    route(
      "post", "/undo/{number}", "Undo", "Puts back what a deletion removed and changed.", "200",
      reference("Restored"), errors: [.notFound, .conflict]),
  ]

  private static let sessionRoutes = [
    route("get", "/sessions", "Sessions", "Lists the sessions.", "200", list(of: "Session"), errors: [.notFound]),
    route("delete", "/sessions", "EndSessions", "Ends all sessions.", errors: [.notFound]),
    route("delete", "/sessions/{name}", "EndSession", "Ends a session.", errors: [.notFound]),
  ]

  private static let snapshotRoutes = [
    route("get", "/snapshots", "Snapshots", "Lists the snapshots.", "200", list(of: "Snapshot")),
    route(
      "post", "/snapshots", "SaveSnapshot", "Keeps the data as it is now.", body: "SnapshotName", "201",
      reference("SnapshotName"), errors: [.badRequest]),
    route("post", "/snapshots/{name}", "RestoreSnapshot", "Goes back to a snapshot.", errors: [.notFound]),
    route("delete", "/snapshots/{name}", "DeleteSnapshot", "Forgets a snapshot.", errors: [.notFound]),
  ]

  private static let faultRoutes = [
    route("get", "/faults", "Faults", "Lists the faults.", "200", list(of: "Fault")),
    route(
      "post", "/faults", "AddFault", "Has requests go wrong.", body: "Fault", "201", reference("Fault"),
      errors: [.badRequest]),
    route("delete", "/faults", "RemoveFaults", "Removes all faults."),
    route("delete", "/faults/{id}", "RemoveFault", "Removes a fault.", errors: [.notFound]),
  ]

  private static let holdRoutes = [
    route("get", "/holds", "Holds", "Lists the holds.", "200", list(of: "Hold")),
    route(
      "post", "/holds", "AddHold", "Has requests wait.", body: "Hold", "201", reference("Hold"),
      errors: [.badRequest]),
    route(
      "delete", "/holds", "ReleaseHolds", "Removes all holds and lets their requests go on.", query: status,
      errors: [.badRequest]),
    route(
      "delete", "/holds/{id}", "ReleaseHold", "Removes a hold and lets its requests go on.", query: status,
      errors: [.badRequest, .notFound]),
  ]

  private static let stubRoutes = [
    route("get", "/stubs", "Stubs", "Lists the stubs.", "200", list(of: "Stub")),
    route("get", "/stubs/{id}", "Stub", "Returns a stub.", "200", reference("Stub"), errors: [.notFound]),
    route(
      "post", "/stubs", "AddStub", "Fixes the responses to requests, before the other stubs.", body: "Stub", "201",
      reference("Stub"), errors: [.badRequest]),
    route("delete", "/stubs", "RemoveStubs", "Removes all stubs."),
    route("delete", "/stubs/{id}", "RemoveStub", "Removes a stub.", errors: [.notFound]),
  ]
}
