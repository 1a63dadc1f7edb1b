/// Which json-server's answers are given where the two differ.
package enum Dialect: Sendable, Hashable, CaseIterable {
  /// json-server 0.17.4's answers, and every spelling of 1.0 that does not contradict them.
  case classic
  /// json-server 1.0's answers.
  case v1
}
