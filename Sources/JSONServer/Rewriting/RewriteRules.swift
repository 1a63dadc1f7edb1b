import OrderedJSON

/// The rules of a routes file, which change a request's target before it is routed.
///
/// Patterns are those of json-server 0.17 (path-to-regexp 1.8): matched from start to end, upper and lower case alike.
/// Unlike in json-server, a query needs no `*`: a rule whose pattern holds none matches the path, and carries the query
/// over.
struct RewriteRules: Sendable {
  /// The rules as the file has them, pattern to target, in order.
  let rules: JSONObject

  private let compiled: [RewriteRule]

  /// Reads the object of a routes file.
  ///
  /// - Throws: ``RewriteRuleFault`` for the first rule that cannot be used.
  init(json: JSONObject) throws(RewriteRuleFault) {
    var compiled: [RewriteRule] = []
    for (pattern, target) in json {
      guard case .string(let target) = target else {
        throw RewriteRuleFault(
          rule: pattern, message: "its target is no string; write what the path becomes, as \"/$1\".")
      }
      compiled.append(try RewriteRule(pattern, target: target))
    }
    rules = json
    self.compiled = compiled
  }

  /// Whether they rewrite nothing.
  var isEmpty: Bool { compiled.isEmpty }

  /// Returns the target that a request is routed by.
  ///
  /// The rules are tried in order, each on what those before it made of the target.
  ///
  /// - Complexity: Linear in the target's length for each rule.
  func rewrite(_ target: String) -> String { rewritten(target).target }

  /// Returns the target that a request is routed by, and the pattern of the first rule that applied.
  func rewritten(_ target: String) -> (target: String, rule: String?) {
    var bytes = Array(target.utf8)
    var applied: Int?
    for (index, rule) in compiled.enumerated() {
      guard let result = rule.apply(to: bytes) else { continue }
      bytes = result
      applied = applied ?? index
    }
    return (String(decoding: bytes, as: UTF8.self), applied.map { rules.names[$0] })
  }
}
