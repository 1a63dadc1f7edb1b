/// Swift source that is being written, line by line.
struct SwiftSource {
  private(set) var text = ""
  private var level = 0

  /// Adds a line at the current indentation; an empty one has none.
  mutating func line(_ line: String = "") {
    text += (line.isEmpty ? "" : String(repeating: "  ", count: level) + line) + "\n"
  }

  /// Adds a blank line and a piece of source that brings its own layout.
  mutating func append(_ piece: String) {
    text += "\n" + piece + "\n"
  }

  /// Adds what is between a line that opens a brace and the brace that closes it.
  mutating func block(_ opening: String, _ content: (inout SwiftSource) -> Void) {
    line(opening + " {")
    level += 1
    content(&self)
    level -= 1
    line("}")
  }
}

/// Writes names from the data into Swift source in such a way that they can do no harm.
enum SwiftText {
  /// A string literal.
  static func literal(_ string: String) -> String {
    var literal = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where isInvisible(scalar): literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Text for a comment of one line.
  static func inOneLine(_ string: String) -> String {
    var line = String.UnicodeScalarView()
    line.append(contentsOf: string.unicodeScalars.filter { !isInvisible($0) }.prefix(60))
    return String(line)
  }

  /// Whether a character would end a line, or change the direction of what follows it.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    default: false
    }
  }
}
