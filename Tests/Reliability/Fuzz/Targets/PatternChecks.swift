@testable import TextMatching

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What must hold of patterns and of searches for a text, and how long they may take.
enum PatternChecks {
  /// The bytes are a pattern and, after a line feed, a text.
  ///
  /// A matcher that knows its states gives the results of a new one; the time for a long text is linear in its length.
  static func check(_ bytes: UnsafeBufferPointer<UInt8>) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let text = String(validating: parts[0], as: UTF8.self) else { return }
    if parts.count > 1, let subject = String(validating: parts[1], as: UTF8.self) { checkSearch(text, subject) }
    guard let pattern = try? Pattern(text) else { return }
    let matcher = PatternMatcher(pattern)
    let subject = parts.count > 1 ? Array(parts[1]) : []
    let isMatch = subject.withUnsafeBufferPointer { matcher.matches($0) }
    precondition(subject.withUnsafeBufferPointer { matcher.matches($0) } == isMatch, "a matcher changes its mind")
    precondition(
      subject.withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) } == isMatch, "two matchers differ")
    if subject.count > 8, subject[0] & 15 == 0 { checkTime(pattern, subject) }
  }

  /// A search finds what a comparison at each place finds, also in a text that is long enough to learn from.
  private static func checkSearch(_ needle: String, _ text: String) {
    let search = LiteralSearch(caseInsensitive: needle)
    let sought = needle.unicodeScalars.map(CaseFolding.canonical)
    for count in text.utf8.count < 64 ? [1, 200] : [1] {
      let text = String(repeating: text, count: count)
      let canonical = text.unicodeScalars.map(CaseFolding.canonical)
      let place = (0...canonical.count).first { canonical[$0...].starts(with: sought) }
      let expected = place.map { text.unicodeScalars.prefix($0).reduce(0) { $0 + UTF8.width($1) } }
      let match = Array(text.utf8).withUnsafeBufferPointer { search.firstMatch(in: $0, from: 0) }
      precondition(match == expected, "a search finds another place")
    }
  }

  /// Sixteen times the text may not take a hundred times as long; a quadratic matcher takes 256 times.
  private static func checkTime(_ pattern: Pattern, _ piece: [UInt8]) {
    let short = seconds(pattern, Array(repeatElement(piece, count: 2048 / piece.count + 1).joined()))
    let long = seconds(pattern, Array(repeatElement(piece, count: 16 * (2048 / piece.count + 1)).joined()))
    precondition(long < 100 * short + 0.05, "matching is not linear: \(short) s, then \(long) s")
  }

  /// The least time of three that a match takes this thread; what else the machine does is left out.
  private static func seconds(_ pattern: Pattern, _ text: [UInt8]) -> Double {
    (0..<3).map { _ in
      let start = threadTime
      _ = text.withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) }
      return threadTime - start
    }.min() ?? 0
  }

  private static var threadTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
