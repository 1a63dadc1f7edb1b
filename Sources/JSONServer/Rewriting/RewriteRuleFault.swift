/// What is wrong with one rule of a routes file.
package struct RewriteRuleFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern of the rule.
  package let rule: String

  /// What is wrong and what to do, in a sentence.
  package let message: String

  package var description: String { "The rule '\(rule)' cannot be used: \(message)" }
}
