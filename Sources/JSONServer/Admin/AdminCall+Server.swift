import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServerResources
import JSONServerValues
import JSONStorage

extension AdminCall {
  /// Responds with the state of the server and the errors of its files.
  func reportHealth(on engine: isolated Engine) {
    let (configuration, store) = (engine.configuration, engine.store)
    let connection = store?.connection
    let failure = connection?.status(reads: configuration.reads)
    // The message names the file relative to the directory in which the server was started.
    let fault = engine.writes.invalidSource.map { message -> JSONValue in
      ["file": .string(configuration.title), "message": .string(configuration.naming(message))]
    }
    var health = JSONObject([
      ("status", .string(failure ?? "ok")),
      ("version", .string(Server.version)),
      ("uptime", JSONValue(rounding: (System.uptime - engine.started) / .seconds(1))),
      ("resources", .number(JSONNumber(engine.database.resourceNames.count))),
      ("readOnly", .bool(engine.settings.isReadOnly)),
      ("delay", engine.settings.value["delay"] ?? .null),
      ("rules", engine.rules.counts),
      ("log", engine.logSize),
      ("reads", engine.keptReadSize),
      ("invalid", fault ?? .null),
      ("users", engine.signIn.map { .string($0.users) } ?? .null),
      ("sessions", .bool(configuration.hasSessions)),
    ])
    if let store, let connection { health["database"] = connection.health(of: store.version) }
    let isUsable = failure != ConnectionState.unreachable
    engine.finalize(context, .json(.object(health), status: isUsable ? .ok : .serviceUnavailable))
  }

  /// Responds with the OpenAPI document; describing much data takes long.
  func describe(on engine: isolated Engine) throws(RequestError) {
    if let contract = engine.configuration.contract {
      return engine.finalize(context, .json(contract.value))
    }
    let (title, wrapName) = (engine.configuration.title, engine.configuration.wrapName)
    let pages = engine.configuration.cursorPages
    let (users, signIn) = (engine.signIn?.users, Self.signIn(on: engine))
    let path = context.request.mount.path
    try show(isLarge: !engine.database.isSmall, on: engine) { database in
      let shown = users.map { database.hiding(DataOperation.hiddenName, of: $0) } ?? database
      let description = DataDescription(of: shown, title: title)
      return .object(
        OpenAPIAdmin.adding(
          AdminRoute.table.map(\.operation), faultActions: Response.Delivery.actions.map(\.name),
          to: description.openAPI(
            .open, basePath: path.isEmpty ? "/" : path, wrapName: wrapName, pages: pages, signIn: signIn)))
    }
  }

  /// The part of the document about sign-in; `nil` for a server without it.
  private static func signIn(on engine: isolated Engine) -> OpenAPISignIn? {
    guard let authorization = engine.authorization else { return nil }
    let guards = engine.database.resourceNames.map { ($0, authorization.guard(of: $0)) }
    func open(_ access: Guard.Access) -> Set<String> {
      Set(guards.filter { $0.1.decision(on: access, isSignedIn: false) == .allowed }.map(\.0))
    }
    let (users, standard) = (authorization.users, SignInRow.standard.count)
    return OpenAPISignIn(
      users: users.collection, publicReads: open(.read), publicWrites: open(.write),
      routes: users.table.rows.dropLast(standard).flatMap(\.described))
  }
}

extension Engine {
  /// The bytes of the exchanges, events and responses to repeated requests that are kept, and their limit.
  fileprivate var logSize: JSONValue {
    let bytes = isSession ? logBytes : logBytes + sessions.logBytes
    return [
      "bytes": .number(JSONNumber(bytes)),
      "limit": .number(JSONNumber(logLimit)),
    ]
  }
}

extension ConnectionState {
  /// The `status` of a server that a balancer must not use. A server whose writes wait as those of all servers do still reads.
  fileprivate static let unreachable = "unreachable"

  /// What is wrong, for the health's `status`; `nil` when nothing is.
  fileprivate func status(reads: Reads) -> String? {
    if failure != nil, reads == .linearizable { return Self.unreachable }
    return stall == nil ? nil : "stalled"
  }

  fileprivate func health(of version: Int) -> JSONValue {
    [
      "reached": .bool(failure == nil), "version": .number(JSONNumber(version)),
      "behind": .number(JSONNumber(behind)), "message": (failure?.message ?? stall).map(JSONValue.string) ?? .null,
    ]
  }
}

extension Database {
  /// The resources, in the file's order.
  var resources: [ResourceDescription] {
    resourceNames.map { name in
      let count: Int? = if case .collection(let collection)? = resource(named: name) { collection.count } else { nil }
      return ResourceDescription(name: name, count: count, idName: schema.idName(of: name))
    }
  }

  /// The resources as `/__admin/resources` lists them.
  func resources(below mount: Mount) -> [JSONValue] {
    var parents: [String: JSONObject] = [:]
    for relation in relations() {
      parents[relation.child, default: JSONObject()][relation.key] = .string(relation.parent)
    }
    return resources.map { resource in
      [
        "name": .string(resource.name),
        "kind": resource.count == nil ? "object" : "collection",
        "count": .number(JSONNumber(resource.count ?? 1)),
        "idName": .string(resource.idName),
        "url": .string(mount.path + "/" + PercentEncoding.encodeSegment(resource.name)),
        "parents": .object(parents[resource.name] ?? JSONObject()),
      ]
    }
  }
}
