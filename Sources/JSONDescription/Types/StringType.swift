/// What the strings in one place have in common.
package enum StringType: Sendable, Hashable {
  /// Nothing.
  case plain
  /// They are all written in this format.
  case formatted(StringFormat)
  /// They are a few words that occur again and again, in order of appearance.
  case choice([String])

  private static let mostChoices = 8
  private static let fewestValues = 20
  /// A longer text is prose, however often it occurs.
  private static let longestChoice = 40

  /// Infers what some strings have in common.
  ///
  /// They count as a choice when there are at least 20 of 2 to 8 kinds, all of them short, and none occurs only once.
  package init(of strings: [String]) {
    if let format = StringFormat(of: strings) {
      self = .formatted(format)
    } else if let choices = Self.choices(in: strings) {
      self = .choice(choices)
    } else {
      self = .plain
    }
  }

  private static func choices(in strings: [String]) -> [String]? {
    guard strings.count >= fewestValues else { return nil }
    var choices: [String] = []
    var counts: [String: Int] = [:]
    for string in strings {
      if counts[string] == nil { choices.append(string) }
      guard choices.count <= mostChoices, string.utf8.count <= longestChoice else { return nil }
      counts[string, default: 0] += 1
    }
    return choices.count > 1 && counts.values.allSatisfy { $0 > 1 } ? choices : nil
  }
}
