package import JSONServerValues

extension Server.Configuration {
  /// Separates the rules of a routes file that can be used from the others, with which json-server starts, too.
  ///
  /// A rule that may protect data is never left out: with ``signIn``, an unusable rule with a guard is an error.
  ///
  /// - Returns: The usable rules in their order, and a sentence for each other rule; one for all guards.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for an unusable rule that guards.
  package func usable(_ routes: JSONObject) throws(ServerError) -> (rules: JSONObject, faults: [String]) {
    var rules: [(String, JSONValue)] = []
    var (guards, faults): ([String], [String]) = ([], [])
    for (pattern, target) in routes {
      let (digits, rest) = Guard.separated(from: target)
      if digits != nil, signIn == nil {
        guards.append("'\(pattern)'")
        if let rest { rules.append((pattern, rest)) }
        continue
      }
      do throws(ServerError) {
        _ = try Routes(JSONObject([(pattern, target)]), allowsGuards: signIn != nil)
        rules.append((pattern, target))
      } catch {
        if signIn != nil, digits != nil { throw error }
        faults.append(error.message)
      }
    }
    if !guards.isEmpty {
      faults.append(
        """
        The guards of \(guards.prefix(5).joined(separator: ", "))\(guards.count > 5 ? ", …" : "") have no effect, and \
        everyone may read and write: they need Server.Configuration.signIn, which names the collection of the users.
        """)
    }
    return (JSONObject(rules), faults)
  }
}

extension Guard {
  /// Reads the guard in the target of a rule: `640`, or the beginning of `/640/posts`.
  ///
  /// - Returns: The digits, `nil` for a target without a guard; and the target without them, `nil` for a guard alone.
  fileprivate static func separated(from target: JSONValue) -> (digits: String?, rest: JSONValue?) {
    let text = target.string ?? target.int.map(String.init) ?? ""
    if Guard(text) != nil { return (text, nil) }
    let digits = String(text.dropFirst().prefix { $0 != "/" })
    guard text.hasPrefix("/"), Guard(digits) != nil else { return (nil, target) }
    let rest = String(text.dropFirst(1 + digits.count))
    return (digits, .string(rest.isEmpty ? "/" : rest))
  }
}
