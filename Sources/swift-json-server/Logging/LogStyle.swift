/// Colours, where they are wanted.
struct LogStyle: Sendable {
  /// A way to stand out, by its number in ECMA-48.
  enum Emphasis: Int {
    case bold = 1
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case cyan = 36
    case grey = 90
  }

  let isColored: Bool

  func callAsFunction(_ emphasis: Emphasis, _ text: String) -> String {
    isColored ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
  }
}
