import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONStorage
import OrderedJSON

extension Engine {
  /// Responds to an administrative request.
  func administer(_ route: AdminRoute, _ context: RequestContext) throws(RequestError) {
    switch route {
    case .page: finalize(context, .page)
    case .asset(let name): finalize(context, .asset(name))
    case .openAPI: try describe(context)
    case .health: finalize(context, .json(.object(health), status: failure == nil ? .ok : .serviceUnavailable))
    case .resources: finalize(context, .json(.array(resources(below: context.request.mount))))
    case .exchanges(let limit, let unexpectedOnly):
      let exchanges = simulation.journal.exchanges.filter { !unexpectedOnly || $0.isUnexpected }
      finalize(context, .json(.array(exchanges.suffix(limit).map(\.value))))
    case .exchange(let id):
      guard let number = Int(id), let exchange = simulation.journal[number] else {
        throw RequestError(
          .notFound, "There is no request '\(id)' any more; GET /__admin/requests lists those there are.")
      }
      finalize(context, .json(exchange.wholeValue))
    case .forgetExchanges:
      clearJournal()
      finalize(context, .json([:]))
    case .events(let filter, let lastEventID): finalize(context, subscribe(filter, lastEventID: lastEventID))
    case .reset: try reset(for: .client(context, .admin(route)))
    case .expireTokens:
      guard signIn != nil else { throw RequestError(.notFound, "Nobody signs in here; start the server with --auth.") }
      expireTokens { $0.finalize(context, $1) { .json(["expired": .number(JSONNumber($0))]) } }
    case .sessions: finalize(context, .json(.array(try allowedSessions.all.map(\.value))))
    case .removeSessions:
      try allowedSessions.removeAll()
      finalize(context, .json([:]))
    case .removeSession(let name):
      guard try allowedSessions.remove(name) else {
        throw RequestError(.notFound, "There is no session '\(name)'; GET /__admin/sessions lists those there are.")
      }
      finalize(context, .json([:]))
    case .snapshots:
      snapshots { $0.finalize(context, $1) { .json(.array($0.map(\.value))) } }
    case .saveSnapshot(let name):
      saveSnapshot(name) { $0.finalize(context, $1) { .json(["name": .string($0)], status: .created) } }
    case .restoreSnapshot(let name): try restoreSnapshot(name, for: .client(context, .admin(route)))
    case .deleteSnapshot(let name):
      deleteSnapshot(name) { engine, result in
        engine.finalize(context, result) { $0 ? .json([:]) : Self.unknownSnapshot(name).response() }
      }
    case .rules(let route):
      if let shared = writes.shared, try respond(to: route, in: shared, context) { return }
      finalize(context, try response(to: route))
    case .deletions(let route): try perform(route, context)
    case .settings: finalize(context, .json(settings.value))
    case .changeSettings(let change):
      try change.check(mayWrite: !configuration.isReadOnly)
      if let shared = writes.shared {
        return self.change(.set(change.members), in: shared) { engine, result in
          engine.finalize(context, result) { _ in .json(engine.settings.value) }
        }
      }
      change.apply(to: &settings)
      finalize(context, .json(settings.value))
    case .replaceDatabase(let body): try replaceAll(with: body, for: .client(context, .admin(route)))
    case .mergeDatabase(let body): try merge(body, for: .client(context, .admin(route)))
    }
  }

  /// What keeps requests from the database that is shared, as `status` has it; `nil` for nothing.
  private var failure: String? {
    guard let shared = writes.shared else { return nil }
    if shared.failure != nil, configuration.reads == .linearizable { return "unreachable" }
    return shared.stall == nil ? nil : "stalled"
  }

  private var health: JSONObject {
    var health = JSONObject([
      ("status", .string(failure ?? "ok")),
      ("version", .string(Server.version)),
      ("uptime", JSONValue(rounding: (System.uptime - started) / .seconds(1))),
      ("resources", .number(JSONNumber(writes.database.resourceNames.count))),
      ("readOnly", .bool(settings.isReadOnly)),
      ("invalid", writes.invalidSource.map(fault) ?? .null),
    ])
    if let shared = writes.shared { health["database"] = Self.health(of: shared) }
    return health
  }

  private static func health(of shared: any SharedPersistence) -> JSONValue {
    let message = (shared.failure?.message ?? shared.stall).map(JSONValue.string) ?? .null
    return [
      "reached": .bool(shared.failure == nil), "version": .number(JSONNumber(shared.version)),
      "behind": .number(JSONNumber(shared.behind)), "message": message,
    ]
  }

  /// What is wrong with the file, which is named as somebody would who is where the server was started.
  private func fault(_ message: String) -> JSONValue {
    ["file": .string(configuration.title), "message": .string(configuration.naming(message))]
  }

  /// Responds with the OpenAPI document; what describes much data takes long.
  private func describe(_ context: RequestContext) throws(RequestError) {
    let (title, wrapName, signIn) = (configuration.title, configuration.wrapName, describedSignIn)
    let path = context.request.mount.path
    // Middleware, which may change it, sees responses without what `finalize` adds to them.
    let isFinal = !context.isInner
    let users = self.signIn?.users
    let document: @Sendable (Database) -> PreparedResponse = { database in
      let shown = users.map { database.hiding(SignInState.hiddenName, of: $0) } ?? database
      let description = DataDescription(of: shown, title: title)
      var response = PreparedResponse.json(
        .object(
          OpenAPIAdmin.added(
            to: description.openAPI(
              .open, basePath: path.isEmpty ? "/" : path, wrapName: wrapName, signIn: signIn))))
      if isFinal { response.validator = EntityTag(of: response.bytes) }
      return response
    }
    guard !writes.database.isSmall else { return finalize(context, document(writes.database)) }
    try calculate(for: context) {
      document($0)
    } then: { engine, response in
      engine.finalize(context, response)
    }
  }

  private var describedSignIn: OpenAPISignIn? {
    guard let signIn else { return nil }
    let rules = writes.database.resourceNames.map { ($0, rule(for: $0, prefix: nil, signIn)) }
    func open(_ access: Guard.Access) -> Set<String> {
      Set(rules.filter { $0.1.decision(on: access, isSignedIn: false) == .allowed }.map(\.0))
    }
    return OpenAPISignIn(users: signIn.users, publicReads: open(.read), publicWrites: open(.write))
  }

  /// The resources, in the file's order.
  var resources: [ResourceDescription] {
    writes.database.resourceNames.map { name in
      let count: Int? =
        if case .collection(let collection)? = writes.database.resource(named: name) { collection.count } else { nil }
      return ResourceDescription(name: name, count: count, idName: writes.database.schema.idName(of: name))
    }
  }

  private func resources(below mount: Mount) -> [JSONValue] {
    var parents: [String: JSONObject] = [:]
    for relation in writes.database.relations() {
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

extension Snapshots.Entry {
  fileprivate var value: JSONValue {
    ["name": .string(name), "time": .string(Timestamp(secondsSince1970: time).rfc3339)]
  }
}

extension Settings {
  fileprivate var value: JSONValue {
    ["delay": JSONValue(rounding: delay / .milliseconds(1)), "readOnly": .bool(isReadOnly)]
  }
}
