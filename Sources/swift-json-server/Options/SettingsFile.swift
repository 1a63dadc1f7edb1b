import OrderedJSON

/// The settings of a `json-server.json`: the options' names, without dashes, and their values.
///
/// Names are taken in 0.17's spellings: `read-only`, `readOnly` and `ro` are one. A value of the wrong kind throws a
/// failure that names the file and the key.
struct SettingsFile {
  static let defaultPath = "json-server.json"

  private let path: String
  private let members: JSONObject
  /// The names that were asked for.
  private var known: Set<String> = []

  /// Reads a file's text.
  init(parsing text: [UInt8], path: String) throws(CommandFailure) {
    self.path = path
    members = try JSONFile.object(parsing: text, path: path)
  }

  /// The names that no option has.
  var unknownNames: [String] {
    members.names.filter { !known.contains($0) && !$0.hasPrefix("$") }
  }

  mutating func string(_ names: String...) throws(CommandFailure) -> String? {
    guard let (name, value) = member(names) else { return nil }
    switch value {
    case .string(let text): return text
    case .number(let number): return number.text
    case .null, .bool, .array, .object: throw failure(name, "text")
    }
  }

  mutating func integer(_ names: String...) throws(CommandFailure) -> Int? {
    guard let (name, value) = member(names) else { return nil }
    guard let number = value.integer ?? value.string.flatMap({ Int($0) }) else { throw failure(name, "a whole number") }
    return number
  }

  mutating func number(_ names: String...) throws(CommandFailure) -> Double? {
    guard let (name, value) = member(names) else { return nil }
    guard case .number(let number) = value, number.doubleValue.isFinite else { throw failure(name, "a number") }
    return number.doubleValue
  }

  /// A flag; one that is missing is off.
  mutating func flag(_ names: String...) throws(CommandFailure) -> Bool {
    guard let (name, value) = member(names) else { return false }
    guard case .bool(let flag) = value else { throw failure(name, "true or false") }
    return flag
  }

  /// One text or several.
  mutating func strings(_ names: String...) throws(CommandFailure) -> [String] {
    guard let (name, value) = member(names) else { return [] }
    if let text = value.string { return [text] }
    let texts = value.array?.compactMap(\.string) ?? []
    guard let elements = value.array, texts.count == elements.count else {
      throw failure(name, "a text or an array of texts")
    }
    return texts
  }

  /// A value out of a few.
  mutating func choice<Choice: CaseIterable & RawRepresentable>(
    _ name: String, _ type: Choice.Type
  ) throws(CommandFailure) -> Choice? where Choice.RawValue == String {
    guard let (name, value) = member([name]) else { return nil }
    guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
      throw failure(name, Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
    }
    return choice
  }

  private mutating func member(_ names: [String]) -> (name: String, value: JSONValue)? {
    known.formUnion(names)
    for name in names {
      if let value = members[name] { return (name, value) }
    }
    return nil
  }

  private func failure(_ name: String, _ expected: String) -> CommandFailure {
    CommandFailure(.usage, "\(path): '\(name)' must be \(expected).")
  }
}
