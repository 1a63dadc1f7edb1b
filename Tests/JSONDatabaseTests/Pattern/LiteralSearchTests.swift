import TestSupport
import Testing

@testable import JSONDatabase

struct LiteralSearchTests {
  private func firstMatch(of needle: String, in text: String, from start: Int = 0) -> Int? {
    let search = LiteralSearch(caseInsensitive: needle)
    return Array(text.utf8).withUnsafeBufferPointer { search.firstMatch(in: $0, from: start) }
  }

  static let cases: [(needle: String, text: String, start: Int, offset: Int?)] = [
    ("", "", 0, 0), ("", "abc", 3, 3), ("", "abc", 4, nil), ("a", "", 0, nil),
    ("b", "abAB", 0, 1), ("b", "abAB", 2, 3), ("B", "ab", 2, nil),
    ("Ab", "aab", 0, 1), ("aab", "aaaab", 0, 2), ("abc", "ab", 0, nil),
    ("@", "`", 0, nil), ("[", "{", 0, nil), ("a\0b", "A\0B", 0, 0),
    ("é", "cafÉ", 0, 3), ("ÉTÉ", "l'été", 0, 2), ("é", "e\u{301}", 0, nil), ("aé", "xAÉ", 0, 1),
    ("рус", "РУС", 0, 0), ("ς", "Σ", 0, 0), ("ι", "\u{1FBE}", 0, 0), ("ß", "ss", 0, nil), ("k", "\u{212A}", 0, nil),
    ("ⱥb", "aȺB", 0, 1), ("Ⱥ", "ⱥ", 0, 0), ("😀", "a😀", 0, 1), ("𐐨", "𐐀", 0, 0),
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
