import HTTPTypes
import JSONDatabase

extension RuleTable {
  /// The stub that a request without a response resembles most, without secrets; `nil` when none has a similar path.
  func nearestStub(to request: MatchableRequest, _ method: HTTPRequest.Method) -> RequestPattern? {
    var nearest: (pattern: RequestPattern, likeness: Int)?
    for entry in all(.stub) {
      let pattern = entry.rule.matcher.pattern
      guard let likeness = request.targets.compactMap({ pattern.likeness(to: $0, method) }).max(),
        likeness > nearest?.likeness ?? 0
      else { continue }
      nearest = (pattern, likeness)
    }
    return nearest?.pattern.withoutSecrets
  }
}

extension RequestPattern {
  /// How much a request resembles the pattern: first in its path, then in its parameters and its method.
  ///
  /// - Returns: `nil` when no segment of the paths is similar.
  fileprivate func likeness(to target: MatchableRequest.Target, _ sent: HTTPRequest.Method) -> Int? {
    let (own, others) = ((path ?? "").split(separator: "/"), target.text.split(separator: "/"))
    let similar = zip(own, others).reduce(0) { sum, pair in
      if pair.0.lowercased() == pair.1.lowercased() || pair.0 == "*" { return sum + 3 }
      return Spelling.nearest(to: String(pair.1), among: [String(pair.0)]) == nil ? sum : sum + 2
    }
    guard similar > 0 || own.isEmpty && others.isEmpty else { return nil }
    let sharedParameters = query.count { field in
      target.parameters.contains { $0.name == field.name && $0.value == field.value }
    }
    let otherParameters = query.count + target.parameters.count - 2 * sharedParameters
    let details = 4 * min(sharedParameters, 10) - min(otherParameters, 10) + (method == nil || method == sent ? 3 : 0)
    return 1_000 + 100 * (similar - 3 * abs(own.count - others.count)) + details
  }
}
