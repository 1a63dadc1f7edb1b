import TestSupport
import Testing

@testable import TextMatching

@Suite(.calculates) struct LiteralSearchTests {
  private func firstMatch(of needle: String, in text: String, from start: Int = 0, before end: Int = .max) -> Int? {
    let search = LiteralSearch(caseInsensitive: needle)
    return Array(text.utf8).withUnsafeBufferPointer { search.firstMatch(in: $0, from: start, before: end) }
  }

  static let cases: [(needle: String, text: String, start: Int, offset: Int?)] = [
    ("", "", 0, 0), ("", "abc", 3, 3), ("", "abc", 4, nil), ("a", "", 0, nil),
    ("b", "abAB", 0, 1), ("b", "abAB", 2, 3), ("B", "ab", 2, nil),
    ("Ab", "aab", 0, 1), ("aab", "aaaab", 0, 2), ("abc", "ab", 0, nil),
    ("@", "`", 0, nil), ("[", "{", 0, nil), ("a\0b", "A\0B", 0, 0),
    ("é", "cafÉ", 0, 3), ("ÉTÉ", "l'été", 0, 2), ("é", "e\u{301}", 0, nil), ("aé", "xAÉ", 0, 1),
    ("рус", "РУС", 0, 0), ("ς", "Σ", 0, 0), ("ι", "\u{1FBE}", 0, 0), ("ß", "ss", 0, nil), ("k", "\u{212A}", 0, nil),
    ("ⱥb", "aȺB", 0, 1), ("Ⱥ", "ⱥ", 0, 0), ("😀", "a😀", 0, 1), ("𐐨", "𐐀", 0, 0),
    // An old form of a letter takes three bytes instead of two.
    ("вода", "ВОДА", 0, 0), ("вода", "вᲂда", 0, 0), ("вода", "я ВᲂᲁА вода", 0, 3), ("ᲀода", "вода", 0, 0),
    ("вода", "ᲀᲀода вода", 0, 3), ("вода", "ᲀод вода", 0, 8), ("вода", "вода ᲀода", 1, 9),
  ]

  @Test(arguments: cases)
  func `The first match at or after an offset is found`(needle: String, text: String, start: Int, offset: Int?) {
    #expect(firstMatch(of: needle, in: text, from: start) == offset)
  }

  @Test(arguments: ["q", "QU", "quiz", "é", "ÉQ", "qé"])
  func `A match is found wherever it lies`(needle: String) {
    for length in 0..<40 {
      for place in 0...length {
        let filler = String(repeating: "x", count: place)
        let text = filler + needle.lowercased() + String(repeating: "y", count: length - place)
        #expect(firstMatch(of: needle, in: text) == place)
        #expect(firstMatch(of: needle + "!", in: text) == nil)
      }
    }
  }

  /// In texts of few letters, nearly every place is a candidate.
  @Test(arguments: ["ab", "aAb", "aéÉ", "ⱥȺa", "aб", "доᲁᲂ", "оооᲂ"])
  func `A needle is found where a comparison at each place finds it`(letters: String) {
    var generator = SeededGenerator(seed: 7)
    func random(_ count: Int) -> String {
      String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    for _ in 0..<300 {
      let needle = random(Int.random(in: 1...40, using: &generator))
      let text = random(Int.random(in: 0...2_000, using: &generator))
      let canonical = text.unicodeScalars.map(CaseFolding.canonical)
      let sought = needle.unicodeScalars.map(CaseFolding.canonical)
      let place = canonical.indices.first { canonical[$0...].starts(with: sought) }
      let expected = place.map { text.unicodeScalars.prefix($0).reduce(0) { $0 + UTF8.width($1) } }
      #expect(firstMatch(of: needle, in: text) == expected, "'\(needle)' in '\(text)'")
      let end = Int.random(in: 0...text.utf8.count, using: &generator)
      let early = expected.flatMap { $0 < end ? $0 : nil }
      #expect(firstMatch(of: needle, in: text, before: end) == early, "'\(needle)' before \(end) in '\(text)'")
    }
  }

  static let hostile: [(needle: String, text: String)] = [
    (String(repeating: "a", count: 1_999) + "b", String(repeating: "a", count: 100_000) + "!"),
    ("b" + String(repeating: "a", count: 1_999), String(repeating: "a", count: 100_000) + "!"),
    (
      String(repeating: "a", count: 1_000) + "b" + String(repeating: "a", count: 999),
      String(repeating: "a", count: 100_000)
    ),
    (String(repeating: "ab", count: 999) + "aa", String(repeating: "ab", count: 50_000)),
    (String(repeating: "é", count: 999) + "e", String(repeating: "Éé", count: 50_000)),
    (
      String(repeating: "z", count: 500) + "a" + String(repeating: "z", count: 500),
      String(repeating: "z", count: 100_000)
    ),
    ("zq" + String(repeating: "z", count: 1_998), String(repeating: "zq", count: 50_000)),
    (String(repeating: "о", count: 999) + "e", String(repeating: "О", count: 50_000)),
    ("q" + String(repeating: "z", count: 20), String(repeating: "zq", count: 200_000)),
    (String(repeating: "о", count: 999) + "я", String(repeating: "ᲂО", count: 50_000)),
  ]

  static let frequent: [(needle: String, text: String)] = [
    ("façade zzz", "façade zz façade zy "), ("FAÇADE ZZZ", "zzzzz façade, "), ("quizzical", "zzzz zzzzzz "),
    ("дом стол", "дом стоит на горе и в нём "), ("żółw", "łódź żółć "), ("вода", "вод воды ᲀ "),
  ]

  /// Half of the text is made of what the needle begins with, or of its rarest letters, and the other half is not.
  @Test(arguments: frequent)
  func `A needle is found in a text of its parts`(needle: String, piece: String) {
    let pieces = String(repeating: piece, count: 400_000 / piece.utf8.count)
    let plain = String(repeating: "lorem ipsum ", count: 20_000)
    for text in [pieces + plain, plain + pieces, plain + pieces + plain] {
      #expect(firstMatch(of: needle, in: text) == nil)
      #expect(firstMatch(of: needle, in: text + needle) == text.utf8.count)
      #expect(firstMatch(of: needle, in: text + needle + text, from: 10) == text.utf8.count)
    }
  }

  @Test func `A match in a long text of two letters is found`() {
    var generator = SeededGenerator(seed: 11)
    func random(_ count: Int) -> String {
      String((0..<count).map { _ in Bool.random(using: &generator) ? "a" : "b" })
    }
    let (text, needle) = (random(36_000), random(40))
    for count in stride(from: 32_700, to: 36_000, by: 30) {
      #expect(firstMatch(of: needle, in: text.prefix(count) + needle + "ab") == count)
    }
  }

  @Test(arguments: hostile)
  func `A search takes steps in proportion to the text, whatever the needle`(needle: String, text: String) {
    let search = LiteralSearch(caseInsensitive: needle)
    var steps = 0
    let match = Array(text.utf8).withUnsafeBufferPointer { search.firstMatch(in: $0, from: 0, steps: &steps) }
    #expect(match == nil)
    #expect(steps < 5 * (text.utf8.count + needle.utf8.count))
  }

  @Test func `A bounded search reads no further than a match that starts before the bound`() {
    let search = LiteralSearch(caseInsensitive: String(repeating: "a", count: 99) + "b")
    var steps = 0
    let match = Array(repeating: UInt8(ascii: "a"), count: 100_000).withUnsafeBufferPointer { text in
      search.firstMatch(in: text, from: 0, before: 1_000, steps: &steps)
    }
    #expect(match == nil)
    #expect(steps < 5 * 1_100)
  }

  @Test func `The end of a text is compared in any case and form`() {
    func ends(_ text: String, _ needle: String) -> Bool {
      let search = LiteralSearch(caseInsensitive: needle)
      return Array(text.utf8).withUnsafeBufferPointer { search.isSuffix(of: $0) }
    }
    #expect(ends("caFÉ", "fé") && ends("xȺ", "ⱥ") && ends("x", "") && ends("ab", "AB"))
    #expect(!ends("b", "ab") && !ends("éa", "é") && !ends("", "a"))
  }

  @Test func `Random needles are found where a plain comparison finds them`() {
    var generator = SeededGenerator(seed: 3)
    let letters: [Character] = ["a", "A", "b", "é", "É", "è", "c"]
    func random(_ count: Int) -> String {
      String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    for _ in 0..<2_000 {
      let needle = random(Int.random(in: 1...3, using: &generator))
      let text = random(30)
      let folded = Array(text.lowercased().utf8)
      let sought = Array(needle.lowercased().utf8)
      let expected = folded.indices.first { folded[$0...].starts(with: sought) }
      #expect(firstMatch(of: needle, in: text) == expected, "'\(needle)' in '\(text)'")
    }
  }
}
