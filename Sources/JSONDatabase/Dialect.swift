/// Which json-server's answers are given where the two differ.
public enum Dialect: String, Sendable, Hashable, CaseIterable {
  /// json-server 0.17.4's answers, and every spelling of 1.0 that does not contradict them.
  case classic = "v0"
  /// json-server 1.0's answers.
  case v1 = "v1"
}
