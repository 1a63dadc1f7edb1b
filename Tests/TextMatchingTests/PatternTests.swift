import JSONServerValues
import TestSupport
import Testing

@testable import TextMatching

@Suite(.calculates) struct PatternTests {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    let pattern = try Pattern(pattern)
    return Array(text.utf8).withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) }
  }

  /// A pattern, texts that hold a match, and texts that hold none.
  struct Case: Sendable {
    let pattern: String
    let matching: [String]
    let others: [String]

    init(_ pattern: String, _ matching: [String], not others: [String] = []) {
      self.pattern = pattern
      self.matching = matching
      self.others = others
    }
  }

  static let cases: [Case] = [
    // Plain texts
    Case("", ["", "a"]),
    Case("lorem", ["lorem", "a LoReM b"], not: ["", "lore", "merol"]),
    Case("é", ["É", "é", "café"], not: ["e", "e\u{301}"]),
    Case("straße", ["STRAßE"], not: ["strasse"]),
    Case("ΟΔΟΣ", ["οδος", "οδοσ"]),
    Case("k", ["K"], not: ["\u{212A}"]),
    Case("日本", ["日本語"], not: ["本日"]),
    // Sets
    Case("^.$", ["a", "é", "😀", "\u{85}"], not: ["", "\n", "\r", "\u{2028}", "ab"]),
    Case("^[a-c]$", ["a", "B"], not: ["d", "-"]),
    Case("^[^a-c]$", ["d", "é", "\n"], not: ["a", "B"]),
    Case("^[à-ý]$", ["É", "é"], not: ["e"]),
    Case("^[^é]$", ["e"], not: ["É", "é"]),
    Case("[]", [], not: ["", "a"]),
    Case("^[^]$", ["\n"], not: [""]),
    Case("^[a-]$", ["a", "-"], not: ["b"]),
    Case("^[\\d-x]$", ["5", "-", "X"], not: ["k"]),
    Case("^[\\b]$", ["\u{8}"], not: ["b"]),
    Case("^[.*]$", [".", "*"], not: ["a"]),
    Case("^\\d\\D$", ["1a", "0é"], not: ["11", "٣a"]),
    Case("^\\w\\W$", ["a ", "_é"], not: ["ab", "é "]),
    Case("^\\s\\S$", ["\ta", "\u{A0}é", "\u{FEFF}x", "\u{2028}x"], not: ["a ", "  "]),
    // Escapes
    Case("^\\t\\n\\v\\f\\r\\0$", ["\t\n\u{B}\u{C}\r\0"]),
    Case("^\\x41\\u0042\\u{1F600}$", ["ab😀"]),
    Case("^\\uD83D\\uDE00$", ["😀"]),
    Case("^\\u{d83d}", [], not: ["😀"]),
    Case("^\\.\\-\\/\\]$", [".-/]"], not: ["a-/]"]),
    Case("^\\cA\\c1$", ["\u{1}\\c1"]),
    Case("^\\xg\\uzz\\u{z}\\q$", ["xguzzu{z}q"]),
    // Groups and alternatives
    Case("^(a|bc)d$", ["ad", "BCD"], not: ["abcd", "d"]),
    Case("^(?:a|)$", ["a", ""], not: ["b"]),
    Case("^(?<name>ab)+$", ["abAB"], not: ["aba"]),
    Case("foo|^bar", ["xfoo", "barx"], not: ["xbar"]),
    // Places
    Case("^ab", ["abc"], not: ["cab", "c\nab"]),
    Case("ab$", ["cab"], not: ["abc", "ab\n"]),
    Case("^$", [""], not: ["a", "\n"]),
    Case("\\bcat\\b", ["cat", "a cat.", "écat"], not: ["cats", "concat", "cat_"]),
    Case("\\Bcat", ["concat"], not: ["cat", "a cat"]),
    Case("a^b|a$b", [], not: ["ab"]),
    // Repetition
    Case("^ab*c$", ["ac", "abbbc"], not: ["abb"]),
    Case("^ab+?c$", ["abc", "abbbc"], not: ["ac"]),
    Case("^ab??c$", ["ac", "abc"], not: ["abbc"]),
    Case("^a{2}$", ["aa"], not: ["a", "aaa"]),
    Case("^a{2,}?$", ["aa", "aaaa"], not: ["a"]),
    Case("^a{1,3}$", ["a", "aaa"], not: ["", "aaaa"]),
    Case("^(ab){0}$", [""], not: ["ab"]),
    Case("^(a{2}){3}$", ["aaaaaa"], not: ["aaaaa"]),
    Case("^(a*)*b$", ["b", "aab"], not: ["aa"]),
    // Characters that are plain where they mean nothing (Annex B)
    Case("^a{,2}$", ["a{,2}"], not: ["aa"]),
    Case("^a{$", ["a{"]),
    Case("^}]{$", ["}]{"]),
    Case("^{a}$", ["{a}"]),
    Case("^x{1$", ["x{1"]),
  ]

  @Test(arguments: cases)
  func `A pattern matches what JavaScript's matches with flag i`(_ test: Case) throws {
    for text in test.matching {
      #expect(try matches(test.pattern, text), "/\(test.pattern)/i matches '\(text)'")
    }
    for text in test.others {
      #expect(try !matches(test.pattern, text), "/\(test.pattern)/i does not match '\(text)'")
    }
  }

  static let refusals: [(pattern: String, offset: Int, message: String)] = [
    ("(", 0, "The group is not closed with ')'."),
    ("ab(c(d)", 2, "The group is not closed with ')'."),
    ("é)", 2, "')' closes no group."),
    ("a[b", 1, "The class is not closed with ']'."),
    ("[a-", 0, "The class is not closed with ']'."),
    ("[\\", 1, "The pattern ends after a backslash."),
    ("a\\", 1, "The pattern ends after a backslash."),
    ("[az-a]", 2, "The range is out of order."),
    ("*a", 0, "'*' has nothing to repeat."),
    ("a|+", 2, "'+' has nothing to repeat."),
    ("(?)", 0, "'(?' does not begin a group."),
    ("(?i:a)", 0, "'(?' does not begin a group."),
    ("(?<1a>b)", 0, "The group's name is not valid."),
    ("(?<ab", 0, "The group's name is not valid."),
    ("a**", 2, "'*' has nothing to repeat."),
    ("^?", 1, "'?' has nothing to repeat."),
    ("\\b+", 2, "'+' has nothing to repeat."),
    ("{1}", 0, "'{' has nothing to repeat."),
    ("a{2,1}", 1, "The numbers in '{2,1}' are out of order."),
    ("\\u{110000}", 0, "The escape names no Unicode character."),
    ("a(?=b)", 1, "Lookahead '(?=' is not supported."),
    ("a(?!b)", 1, "Lookahead '(?!' is not supported."),
    ("(?<=a)b", 0, "Lookbehind '(?<=' is not supported."),
    ("(?<!a)b", 0, "Lookbehind '(?<!' is not supported."),
    ("(a)\\1", 3, "Backreferences such as '\\1' are not supported."),
    ("(?<n>a)\\k<n>", 7, "Backreferences such as '\\k' are not supported."),
    ("\\012", 0, "Octal escapes such as '\\0' are not supported; write '\\x' and two digits."),
    ("[\\1]", 1, "Octal escapes such as '\\1' are not supported; write '\\x' and two digits."),
    ("a{1001}", 0, "The pattern repeats too much."),
    ("((a{99}){99}){99}", 0, "The pattern repeats too much."),
    ("(((){999999}){999999}){999999}", 0, "The pattern repeats too much."),
    ("a{99999999999999999999999}", 0, "The pattern repeats too much."),
    (String(repeating: "a", count: 257), 256, "The pattern is longer than 256 bytes."),
  ]

  @Test(arguments: refusals)
  func `A pattern that cannot be matched is refused with its place`(
    pattern: String, offset: Int, message: String
  ) {
    let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
    #expect(error?.message == message)
    #expect(error?.offset == offset)
  }

  @Test(arguments: [
    "^(a+)+$", "^(a|a)*$", "^(a*)*$", "^(a|aa)+$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a|b)*a(a|b){300}c",
    "(x+x+)+y",
    String(repeating: "(", count: 80) + "a" + String(repeating: ")*", count: 80) + "b",
    String(repeating: "(", count: 80) + "a" + String(repeating: ")?", count: 80) + "b",
  ])
  func `A pattern that ruins a backtracking matcher ends soon`(pattern: String) throws {
    #expect(try !matches(pattern, String(repeating: "a", count: 400) + "!"))
  }

  @Test func `A matcher gives the same results after it has dropped its states`() throws {
    let matcher = PatternMatcher(try Pattern("^(a|b)*a(a|b){200}$"))
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<50 {
      let text = (0..<400).map { _ in generator.next() % 2 == 0 ? UInt8(ascii: "a") : UInt8(ascii: "b") }
      let found = text.withUnsafeBufferPointer { matcher.matches($0) }
      #expect(found == (text[text.count - 201] == UInt8(ascii: "a")))
    }
  }

  @Test(
    arguments: [
      ("Lorem", true), ("ÉTÉ\\.", true), ("ὈΔΥΣΣΕΎΣ", true), ("(?:a)(b)", true), ("", true), ("a.", false),
      ("^a", false), ("a|b", false), ("[a]", false), ("a{1}", false), ("\\ud800", false),
    ])
  func `A plain text is recognized`(pattern: String, isLiteral: Bool) throws {
    #expect(try Pattern(pattern).isLiteral == isLiteral)
  }

  @Test func `Bytes that are not UTF-8 are read to their end`() throws {
    let pattern = try Pattern("^[^a]*b$")
    for bytes: [UInt8] in [[0xFF, 0x62], [0xC3, 0x62, 0x62], [0x80, 0xF0, 0x9F, 0x98, 0x80, 0x62]] {
      #expect(bytes.withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) })
    }
    let bytes: [UInt8] = [0x62, 0xF0, 0x9F]
    #expect(!bytes.withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) })
  }
}
