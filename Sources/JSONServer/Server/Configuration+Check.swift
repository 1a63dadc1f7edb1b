import JSONDatabase
import JSONServerValues

extension Server.Configuration {
  /// Checks everything that needs neither the data nor a socket.
  ///
  /// This is the only place that decides which values a member may have.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the first member with an unusable value.
  package func check() throws(ServerError) {
    if !(0...65_535).contains(port) {
      throw refusal("port", "\(port) is not a port; choose one from 1 to 65535, or 0 for a free one.")
    }
    if let wrapName, wrapName.isEmpty || wrapName == "total" {
      throw refusal("wrapName", "'\(wrapName)' cannot hold the records; choose another name, such as data.")
    }
    if let problem = cursorPages?.problem { throw refusal("cursorPages", problem) }
    if delay < .zero { throw refusal("delay", "\(delay) is not a valid time; choose 0 or more.") }
    if let bytesPerSecond, !Rule.speeds.contains(bytesPerSecond) {
      throw refusal("bytesPerSecond", "\(bytesPerSecond) is not a speed; choose from 1 to 1000000000, or nil.")
    }
    if !(4...JSONScanner.defaultMaximumDepth).contains(maximumDepth) {
      throw refusal(
        "maximumDepth", "\(maximumDepth) is out of range; choose from 4 to \(JSONScanner.defaultMaximumDepth).")
    }
    for name in [idName] + idNames.values.sorted() where name.isEmpty || name.contains(".") {
      let member = name == idName ? "idName" : "idNames"
      throw refusal(member, "'\(name)' is not a top-level member; name one, such as id.")
    }
    if let text = crossOrigin.unusable {
      throw refusal(
        "crossOrigin",
        "'\(text)' is not an origin; write it as https://app.example, https://*.example.com for all below a name, or '*' for all."
      )
    }
    try tlsIdentity?.check()
    if let fill = unusableFill {
      let name = "\(fill.resource ?? "*").\(fill.member)"
      throw refusal(
        "fills",
        "The rule for '\(name)' cannot be used: the server makes ids itself; fill them with uuid, or remove the rule.")
    }
    if let lifetime = signIn?.tokenLifetime, lifetime <= .zero || lifetime > Server.SignIn.longestLifetime {
      throw ServerError(
        .invalidConfiguration,
        "Server.SignIn.tokenLifetime: \(lifetime) is not a valid time; choose up to 31536000 seconds, which is a year.")
    }
    _ = try bodyChecks()
  }

  /// The first rule that fills an id with a value that no id may have; `nil` for none.
  var unusableFill: Fill? {
    fills.first { fill in
      guard fill.member == fill.resource.map({ idNames[$0] ?? idName }) ?? idName else { return false }
      if case .uuid = fill.value { return false } else { return true }
    }
  }

  /// Warnings about resources that the data does not have, and about records without ids.
  func warnings(about database: Database) -> [String] {
    let named =
      fills.compactMap(\.resource).map { ($0, "is filled") }
      + upserts.filter { $0 != "*" }.sorted().map { ($0, "takes records by PUT") }
      + uniqueMembers.map { (String($0.prefix { $0 != "." }), "has a unique member") }
    let unknown = named.filter { database.resource(named: $0.0) == nil }
    return database.idWarnings + schemaWarnings
      + unknown.map { "'\($0)' \($1), but does not exist. \(database.unknownResourceMessage($0))" }
  }

  /// The error for a member.
  ///
  /// - Parameter reason: A sentence that says what is wrong, and what to do.
  func refusal(_ member: String, _ reason: String) -> ServerError {
    ServerError(.invalidConfiguration, "Server.Configuration.\(member): \(reason)")
  }
}
