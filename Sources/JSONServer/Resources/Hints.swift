import JSONDatabase

/// What a person probably meant by a parameter that has no effect; each hint is given once.
struct Hints {
  private var told: Set<String> = []

  /// The hint for a parameter that no record has a member for, or `nil` when it was given before.
  ///
  /// - Parameter members: Returns the members that records have.
  mutating func hint(for parameter: String, path: String, members: () -> [String]) -> String? {
    guard isNews(parameter, path) else { return nil }
    let meant = Self.meant(by: parameter, members: members()).map { " Did you mean '\($0)'?" } ?? ""
    return "\(path): no record has a member '\(parameter)', so the parameter is ignored.\(meant)"
  }

  /// The hint for a parameter that has no effect, or `nil` when it was given before.
  mutating func hint(for parameter: IdleParameter, path: String) -> String? {
    guard isNews(parameter.name, path) else { return nil }
    return "\(path): the parameter '\(parameter.name)' \(parameter.reason)."
  }

  /// The hint for something else about a request, or `nil` when it was given before.
  mutating func hint(for note: String, path: String) -> String? {
    isNews(note, path) ? "\(path): \(note)." : nil
  }

  private mutating func isNews(_ parameter: String, _ path: String) -> Bool {
    told.count < 1_000 && told.insert(path + "?" + parameter).inserted
  }

  /// Other servers' names for our parameters.
  private static let synonyms = [
    "pagesize": "_limit", "size": "_limit", "take": "_limit", "top": "_limit", "skip": "_start", "offset": "_start",
    "orderby": "_sort", "sortby": "_sort", "direction": "_order", "search": "q", "query": "q", "filter": "_where",
    "include": "_embed", "populate": "_expand",
  ]

  /// The parameter or member that was probably meant; our own parameters by their exact letters first.
  private static func meant(by parameter: String, members: [String]) -> String? {
    let letters = parameter.lowercased().filter { $0 != "_" && $0 != "-" }
    let controls = ListParameters.reserved.filter { $0.count > 1 }.sorted()
    if let control = controls.first(where: { $0.filter { $0 != "_" } == letters }) { return control }
    if let member = Spelling.nearest(to: parameter, among: members) { return member }
    return synonyms[letters] ?? Spelling.nearest(to: parameter, among: controls)
  }
}
