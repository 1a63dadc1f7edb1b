/// A parameter that has no effect, because another is missing or decides instead.
struct IdleParameter: Sendable, Hashable {
  let name: String
  /// What is missing or decides instead, as the end of a sentence that starts with the name.
  let reason: String

  /// Finds the parameters of a list request that have no effect.
  static func all(in parameters: QueryParameters) -> [IdleParameter] {
    func isGiven(_ name: String) -> Bool { parameters.first(name)?.isEmpty == false }
    var idle: [IdleParameter] = []
    if isGiven("_per_page"), !isGiven("_page") {
      idle.append(IdleParameter(name: "_per_page", reason: "has no effect without '_page', as in _page=1"))
    }
    if isGiven("_order"), !isGiven("_sort") {
      idle.append(IdleParameter(name: "_order", reason: "has no effect without '_sort', which names the member"))
    }
    for name in ["_start", "_end"] where isGiven(name) && isGiven("_page") {
      idle.append(IdleParameter(name: name, reason: "has no effect beside '_page'"))
    }
    if isGiven("_start"), !isGiven("_end"), !isGiven("_limit"), !isGiven("_page") {
      idle.append(IdleParameter(name: "_start", reason: "has no effect without '_end' or '_limit'"))
    }
    return idle
  }
}
