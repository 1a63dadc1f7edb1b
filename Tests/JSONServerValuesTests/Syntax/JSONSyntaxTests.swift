import Testing

@testable import JSONServerValues

struct JSONSyntaxTests {
  /// Texts of all lengths around those that are examined in one step.
  @Test func `A string ends at its first quote that is not escaped`() {
    for count in 0...70 {
      let plain = [UInt8](repeating: UInt8(ascii: "a"), count: count)
      for escape in [#""#, #"\""#, #"\\"#, #"\u0041"#, "é", "😀"] {
        for place in [0, count / 2, count] {
          let text = Array("\"".utf8) + plain[..<place] + Array(escape.utf8) + plain[place...] + Array("\"".utf8)
          for rest in ["", ",\"b\"", String(repeating: "\\\"", count: 40)] {
            let end = (text + Array(rest.utf8)).withUnsafeBufferPointer { JSONSyntax.endOfString(in: $0, from: 0) }
            #expect(end == text.count, "\(count) bytes, \(escape) at \(place), then \(rest)")
          }
        }
      }
    }
  }
}
