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
  mutating func block(_ opening: String, indented: Bool = true, _ content: (inout SwiftSource) -> Void) {
    line(opening + " {")
    level += indented ? 1 : 0
    content(&self)
    level -= indented ? 1 : 0
    line("}")
  }

  /// Adds a function; its parameters have a line each when they do not fit in one.
  mutating func function(_ opening: String, _ parameters: [String], _ content: (inout SwiftSource) -> Void) {
    let head = "\(opening)(\(parameters.joined(separator: ", ")))"
    guard !fits(head + " {") else { return block(head, content) }
    lines("\(opening)(", parameters)
    block(")", content)
  }

  /// Adds an array literal; its elements have a line each when they do not fit in one.
  mutating func list(_ opening: String, _ elements: [String]) {
    let text = "\(opening)[\(elements.joined(separator: ", "))]"
    guard !fits(text) else { return line(text) }
    lines("\(opening)[", elements, end: ",")
    line("]")
  }

  private mutating func lines(_ opening: String, _ parts: [String], end: String = "") {
    line(opening)
    level += 1
    for (index, part) in parts.enumerated() { line(part + (index < parts.count - 1 ? "," : end)) }
    level -= 1
  }

  private func fits(_ line: String) -> Bool { level * 2 + line.count <= Self.lineLength }

  /// The length of a line that swift-format's own configuration allows.
  private static let lineLength = 100
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
