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
