/// What is wrong with one rule of a routes file.
struct RewriteRuleFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern of the rule.
  let rule: String

  /// What is wrong and what to do, in a sentence.
  let message: String

  var description: String { "The rule '\(rule)' cannot be used: \(message)" }
}
