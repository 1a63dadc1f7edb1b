/// What a person probably meant by a parameter that has no effect; each is told once.
struct Hints {
  private var told: Set<String> = []

  /// The hint for a parameter, or `nil` when it was told before.
  mutating func hint(for parameter: String, path: String) -> String? {
    guard told.count < 1_000, told.insert(path + "?" + parameter).inserted else { return nil }
    return "\(path): no record has a member '\(parameter)', so the parameter is ignored.\(Self.guess(parameter))"
  }

  private static func guess(_ parameter: String) -> String {
    let known = ListParameters.reserved.filter { $0.hasPrefix("_") }
    let folded = parameter.lowercased().filter { $0 != "_" && $0 != "-" }
    if let match = known.first(where: { $0.filter { $0 != "_" } == folded }) { return " Did you mean '\(match)'?" }
    return ""
  }
}
