package struct PatternError: Error { package let message: String }
package struct Pattern: Sendable {
  package init(_ t: String) throws(PatternError) {}
  package func matches(_ b: UnsafeBufferPointer<UInt8>) -> Bool { false }
}
package struct LiteralSearch: Sendable {
  init(caseInsensitive: String) {}
  func firstMatch(in b: UnsafeBufferPointer<UInt8>, from: Int) -> Int? { nil }
}
