import HTTPTypes
package import JSONDatabase
import JSONDescription
package import JSONServerHTTP

/// Suggestions for parameters without effect; each is given once.
package struct Hints {
  private var given: Set<String> = []

  package init() {}

  /// Whether no hint about a subject was given before; then it counts as given.
  package mutating func isNew(_ subject: String) -> Bool { given.count < 1_000 && given.insert(subject).inserted }

  /// The reason why a parameter has no effect, and a suggestion.
  package static func text(for parameter: IgnoredParameter, of request: Request, in database: Database) -> String {
    let (name, path) = (parameter.name, request.path)
    switch parameter.reason {
    case .idle(let reason): return "\(path): the parameter '\(name)' \(reason)."
    case .notTaken: return "\(path): the parameter '\(name)' has no effect on a \(request.method.rawValue) there."
    case .noMember(let collection):
      let meant = meant(by: name, members: database.memberNames(of: collection)).map { " Did you mean '\($0)'?" } ?? ""
      return "\(path): no record has a member '\(name)', so the parameter is ignored.\(meant)"
    }
  }

  /// The hint for an origin whose pages may not read.
  package static func text(forRefused origin: String) -> String {
    """
    A page of the origin '\(origin)' may not read responses, and its browser withholds them; start the server with \
    \(CrossOriginPolicy.option(for: origin)) to let it.
    """
  }

  /// The parameter or member that was probably meant; first the server's own parameters by their exact letters.
  private static func meant(by parameter: String, members: [String]) -> String? {
    let letters = parameter.lowercased().filter { $0 != "_" && $0 != "-" }
    let controls = QueryParameter.names.filter { $0.count > 1 }.sorted()
    if let control = controls.first(where: { $0.filter { $0 != "_" } == letters }) { return control }
    if let member = Spelling.nearest(to: parameter, among: members) { return member }
    let synonymous = QueryParameter.table.first { $0.synonyms.contains(letters) }
    return synonymous?.name ?? Spelling.nearest(to: parameter, among: controls)
  }
}
