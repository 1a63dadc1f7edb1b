import OrderedJSON

extension ServeOptions {
  /// The options in effect, in the form of a settings file.
  var json: JSONValue {
    var object = JSONObject()
    func set(_ name: String, _ value: JSONValue?) { object[name] = value }
    set("port", .number(JSONNumber(port ?? defaultPort)))
    set("host", Self.texts(host.isEmpty ? ["127.0.0.1", "::1"] : host))
    set("allowed-host", Self.texts(allowedHost))
    set("cors", Self.texts(cors))
    set("no-cors", .bool(noCORS))
    set("watch", .bool(watch))
    set("poll", .bool(poll))
    set("routes", routes.map(JSONValue.string))
    set("static", Self.texts(self.static))
    set("snapshots", .string(snapshots ?? "."))
    set("read-only", .bool(readOnly))
    set("no-gzip", .bool(noGzip))
    set("delay", .number(JSONNumber(delay ?? 0)))
    set("id", Self.texts(keys.id.isEmpty ? ["id"] : keys.id))
    set("foreignKeySuffix", .string(keys.foreignKeySuffix ?? "Id"))
    set("compat", .string((compat ?? .v0).rawValue))
    set("reset-routes", .bool(resetRoutes))
    set("sync", .string((sync ?? .full).rawValue))
    set("ephemeral", .bool(ephemeral))
    set("max-body", maxBody.map { .number(JSONNumber($0.bytes)) })
    set("max-depth", maxDepth.map { .number(JSONNumber($0)) })
    set("timeout", timeout.flatMap { JSONNumber($0) }.map(JSONValue.number))
    set("exec", exec.map(JSONValue.string))
    set("ready-file", readyFile.map(JSONValue.string))
    set("open", .bool(open))
    set("quiet", .bool(quiet))
    set("log-format", .string((logFormat ?? .text).rawValue))
    return .object(object)
  }

  /// The port when none is chosen: a command that is run gets a free one.
  var defaultPort: Int { exec == nil ? 3000 : 0 }

  private static func texts(_ texts: [String]) -> JSONValue {
    .array(texts.map(JSONValue.string))
  }
}
