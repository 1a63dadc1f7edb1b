import Testing

@testable import JSONServerHTTP

struct ReportLimitTests {
  @Test func `Ten reports pass each minute, and the next minute's first tells of the rest`() {
    var limit = ReportLimit()
    let first = (0..<13).map { limit.admit("report \($0)", at: 1000 + Double($0)) }
    #expect(first == (0..<10).map { "report \($0)" } + [nil, nil, nil])
    #expect(limit.admit("late", at: 1059.9) == nil)
    #expect(limit.admit("next", at: 1060) == "next Before it, 4 more were not reported.")
    #expect(limit.admit("after it", at: 1061) == "after it")
  }

  @Test func `A clock that is set back begins a new minute`() {
    var limit = ReportLimit()
    for number in 0..<10 { #expect(limit.admit("\(number)", at: 5000) != nil) }
    #expect(limit.admit("later", at: 10) == "later")
  }
}
