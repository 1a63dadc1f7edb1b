/// How the users of the data sign in: one of its collections holds names and passwords, as the server's `--auth` wants it.
struct SwiftSignIn {
  /// The resource of the users.
  let resource: String
  /// The member that names a user: `email`, or `username`.
  let nameKey: String

  /// The member that no response shows.
  static let passwordKey = "password"

  /// The first collection whose records hold an email address or a name, and a password; `nil` when there is none.
  init?(_ resources: [ResourceType]) {
    for resource in resources where resource.kind == .collection {
      guard Self.isText(Self.passwordKey, in: resource),
        let name = ["email", "username"].first(where: { Self.isText($0, in: resource) })
      else { continue }
      self.resource = resource.name
      nameKey = name
      return
    }
    return nil
  }

  private static func isText(_ key: String, in resource: ResourceType) -> Bool {
    guard let type = resource.record[key]?.type, case .string? = type.alternatives.first else { return false }
    return type.alternatives.count == 1
  }
}
