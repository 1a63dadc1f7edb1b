import JSONDatabase
public import JSONServerValues

extension Fill {
  /// Reads a rule of the command line: `posts.createdAt=now`, `*.updatedAt=now!`, `posts.status=draft`.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a rule without member or value.
  public init(_ rule: String) throws(ServerError) {
    let sides = rule.split(separator: "=", maxSplits: 1).map(String.init)
    let names = sides.first?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
    guard sides.count == 2, names.count == 2, !names.contains(""), sides[1] != "!" else {
      throw ServerError(
        .invalidConfiguration,
        "'\(rule)' is not a rule; write posts.createdAt=now, with the name of a resource or *, one member of its records, and now, uuid, increment or a value."
      )
    }
    let isForced = sides[1].hasSuffix("!")
    let text = isForced ? String(sides[1].dropLast()) : sides[1]
    let value: Value =
      switch text {
      case "now": .now
      case "uuid": .uuid
      case "increment": .increment
      default: .constant((try? JSONValue(parsing: Array(text.utf8))) ?? .string(text))
      }
    self.init(names[1], of: names[0] == "*" ? nil : names[0], with: value, onEveryChange: isForced)
  }
}

extension Server.Configuration {
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
}
