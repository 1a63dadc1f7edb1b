package enum Inflection {
  static func singular(of n: String) -> String { n.hasSuffix("s") ? String(n.dropLast()) : n }
  static func plural(of n: String) -> String { n.hasSuffix("s") ? n : n + "s" }
}
