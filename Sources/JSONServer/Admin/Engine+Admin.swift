import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONStorage
import OrderedJSON

extension Engine {
  /// What keeps requests from the database that is shared, as `status` has it; `nil` for nothing.
  private var failure: String? {
    guard let shared = writes.shared else { return nil }
    if shared.failure != nil, configuration.reads == .linearizable { return "unreachable" }
    return shared.stall == nil ? nil : "stalled"
  }

  var health: PreparedResponse {
    var health = JSONObject([
      ("status", .string(failure ?? "ok")),
      ("version", .string(Server.version)),
      ("uptime", JSONValue(rounding: (System.uptime - started) / .seconds(1))),
      ("resources", .number(JSONNumber(writes.database.resourceNames.count))),
      ("readOnly", .bool(settings.isReadOnly)),
      ("invalid", writes.invalidSource.map(fault) ?? .null),
    ])
    if let shared = writes.shared { health["database"] = Self.health(of: shared) }
    return .json(.object(health), status: failure == nil ? .ok : .serviceUnavailable)
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
  func describe(_ context: RequestContext) throws(RequestError) {
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
          OpenAPIAdmin.adding(
            AdminRoute.table.map(\.operation),
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
    guard let authorization else { return nil }
    let rules = writes.database.resourceNames.map { ($0, authorization.guard(of: $0)) }
    func open(_ access: Guard.Access) -> Set<String> {
      Set(rules.filter { $0.1.decision(on: access, isSignedIn: false) == .allowed }.map(\.0))
    }
    return OpenAPISignIn(users: authorization.users.collection, publicReads: open(.read), publicWrites: open(.write))
  }

  /// The resources, in the file's order.
  var resources: [ResourceDescription] {
    writes.database.resourceNames.map { name in
      let count: Int? =
        if case .collection(let collection)? = writes.database.resource(named: name) { collection.count } else { nil }
      return ResourceDescription(name: name, count: count, idName: writes.database.schema.idName(of: name))
    }
  }

  func resources(below mount: Mount) -> [JSONValue] {
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
