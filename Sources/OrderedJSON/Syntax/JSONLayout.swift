/// How JSON text is spread over lines.
package struct JSONLayout: Sendable, Hashable {
  /// The indentation of each level; `nil` keeps everything on one line.
  package var indent: String?
  /// What precedes each line of a multi-line value but the first.
  package var margin: String
  /// What is between members on one line, after the comma.
  package var afterComma: String
  /// What is between a name's colon and its value.
  package var afterColon: String
  /// What is inside the braces of an object on one line.
  package var padding: String
  /// What ends a line.
  package var newline: String

  package init(
    indent: String? = "  ", margin: String = "", afterComma: String = "", afterColon: String = " ",
    padding: String = "", newline: String = "\n"
  ) {
    self.indent = indent
    self.margin = margin
    self.afterComma = afterComma
    self.afterColon = afterColon
    self.padding = padding
    self.newline = newline
  }

  /// Whether nothing but white space is written, so that the text stays valid.
  var isBlank: Bool {
    [indent ?? "", margin, afterComma, afterColon, padding, newline].allSatisfy { text in
      text.utf8.allSatisfy(JSONSyntax.isWhitespace)
    }
  }

  /// Two spaces per level, as `JSON.stringify(value, null, 2)` writes.
  package static let pretty = JSONLayout()

  /// No white space at all.
  package static let compact = JSONLayout(indent: nil, afterColon: "")
}
