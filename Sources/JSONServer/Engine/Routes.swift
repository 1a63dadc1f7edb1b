import JSONServerValues

/// The rewrite rules and the guards of a routes file.
struct Routes: Sendable {
  /// The rewrite rules; `nil` for none.
  let rules: RewriteRules?
  /// The guards of resources, by their names as written in the file.
  let guards: [String: Guard]
  /// The guards of parts of resources.
  let pathGuards: [PathGuard]

  /// Reads the object of a routes file.
  ///
  /// - Parameter allowsGuards: Whether json-server-auth's short form of guards is valid, too: `"posts": 640` is the guard
  ///   of a resource, and `"posts/:id": 640` guards a path and all paths below it.
  /// - Throws: ``ServerError`` that names the first invalid rule or guard.
  init(_ routes: JSONObject, allowsGuards: Bool) throws(ServerError) {
    var (guards, pathGuards, rules): ([String: Guard], [PathGuard], JSONObject) = ([:], [], JSONObject())
    for (key, value) in routes {
      guard allowsGuards, !key.hasPrefix("/"), let new = Guard(value.string ?? value.int.map(String.init) ?? "") else {
        rules[key] = value
        continue
      }
      let name = String(key.reversed().drop { $0 == "/" }.reversed())
      if name.contains(where: "/:*()?+".contains) {
        pathGuards.append(try PathGuard(name, new))
      } else {
        guards[name] = guards[name]?.intersection(new) ?? new
      }
    }
    (self.guards, self.pathGuards) = (guards, pathGuards)
    self.rules = rules.isEmpty ? nil : try RewriteRules(json: rules)
  }

  init(_ configuration: Server.Configuration) throws(ServerError) {
    try self.init(configuration.routes, allowsGuards: configuration.signIn != nil)
  }
}
