/// Text from outside, made safe for a terminal and a log.
enum LogText {
  /// Writes control characters, line breaks and characters that turn the direction of text as `\u{1B}`.
  static func escaped(_ text: String) -> String {
    replacingUnsafe(in: text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// Writes the same characters in the strings of JSON text as `\u202E`, so that a reader of it sees what they were.
  static func escapedInJSON(_ text: String) -> String {
    // All of them have four digits or fewer, and none stands outside of strings in JSON text on one line.
    replacingUnsafe(in: text) { "\\u\(String(0x1_0000 + $0.value, radix: 16, uppercase: true).dropFirst())" }
  }

  private static func replacingUnsafe(
    in text: String, with escape: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
  }
}
