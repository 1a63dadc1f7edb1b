/// The order of words for people: first by base letters, then by accents, then by case, with small letters first.
///
/// An approximation of JavaScript's `localeCompare`, with which json-server 1.0 sorts, for Latin letters; other scripts
/// are sorted by code point.
enum Collation {
  /// White space and punctuation in the order of the Unicode collation algorithm; they come before digits and letters.
  private static let punctuation = Array("\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$".unicodeScalars)

  /// The base letters of U+00C0 to U+017F; a space stands for a character without another base.
  private static let bases = Array(
    ("aaaaaa ceeeeiiii nooooo ouuuuy  aaaaaa ceeeeiiii nooooo ouuuuy y"
      + "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkk llllllllllnnnnnn   oooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs")
      .unicodeScalars)

  /// Letters that are sorted as two.
  private static let pairs: [Unicode.Scalar: [Unicode.Scalar]] = ["ß": ["s", "s"], "æ": ["a", "e"], "œ": ["o", "e"]]

  /// Returns bytes in the same order as the texts.
  static func key(for text: String) -> [UInt8] {
    var primary: [UInt8] = []
    var accents: [UInt8] = []
    var cases: [UInt8] = []
    for scalar in text.unicodeScalars {
      if !scalar.isASCII, scalar.properties.generalCategory == .nonspacingMark, !accents.isEmpty {
        accents[accents.count - 1] = 2
        continue
      }
      let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
      for base in (lower.isASCII ? nil : pairs[lower]) ?? [base(of: lower)] {
        appendWeight(of: base, to: &primary)
        accents.append(base == lower ? 1 : 2)
        cases.append(lower == scalar ? 1 : 2)
      }
    }
    return primary + [0] + accents + [0] + cases
  }

  private static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let index = Int(scalar.value) - 0xC0
    guard bases.indices.contains(index), bases[index] != " " else { return scalar }
    return bases[index]
  }

  private static func appendWeight(of scalar: Unicode.Scalar, to key: inout [UInt8]) {
    if let index = punctuation.firstIndex(of: scalar) {
      key.append(UInt8(1 + index))
    } else if scalar.isASCII {
      // Digits and letters are already above the forty weights of punctuation.
      key.append(UInt8(scalar.value) | 0x80)
    } else {
      let lead: UInt8 = isWordCharacter(scalar) ? 0xFF : 0x60
      key += [lead, UInt8(scalar.value >> 16 & 0xFF), UInt8(scalar.value >> 8 & 0xFF), UInt8(scalar.value & 0xFF)]
    }
  }

  /// Whether a character belongs to words; punctuation and symbols come before digits and letters.
  private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
