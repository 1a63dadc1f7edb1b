import JSONServerValues

@testable import JSONServer
@testable import JSONServerHTTP

/// What must hold of rewrite rules.
enum RewriteChecks {
  /// The bytes are a rule's pattern, its target and a request's target, each on a line.
  ///
  /// A rule that is accepted gives the same result each time, and what it makes is a path.
  static func check(_ bytes: UnsafeBufferPointer<UInt8>) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
      .compactMap { String(validating: $0, as: UTF8.self) }
    guard lines.count == 3, let rules = try? RewriteRules(json: JSONObject([(lines[0], .string(lines[1]))])) else {
      return
    }
    guard let target = try? RequestTarget(lines[2]) else { return }
    let rewritten = (try? rules.rewrite(target))?.target.text
    precondition(
      rewritten?.utf8.first ?? UInt8(ascii: "/") == UInt8(ascii: "/"), "a target does not start with a slash")
    precondition((try? rules.rewrite(target))?.target.text == rewritten, "a rule rewrites otherwise the second time")
  }
}
