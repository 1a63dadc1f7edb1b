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

  /// Adds what stands between a line that opens a brace and the brace that closes it.
  mutating func block(_ opening: String, _ content: (inout SwiftSource) -> Void) {
    line(opening + " {")
    level += 1
    content(&self)
    level -= 1
    line("}")
  }
}
