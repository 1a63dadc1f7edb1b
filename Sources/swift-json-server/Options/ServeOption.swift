import OrderedJSON

/// An option of serving as a settings file, `--print-config` and json-server's spellings know it.
///
/// Its declaration in ``ServeOptions`` says how the command line is parsed and what `--help` prints; a row of
/// ``ServeOptions/table`` says the rest.
struct ServeOption: Sendable {
  /// Where ``ServeOptions`` keeps a value.
  typealias Place<Value> = WritableKeyPath<ServeOptions, Value> & Sendable

  /// The name in a settings file and, after two dashes, on the command line.
  let name: String
  /// Its other names; a single letter stands after one dash.
  let aliases: [String]
  /// Whether it has no value on the command line.
  let isFlag: Bool
  /// Takes from a settings file what is not set yet.
  let fill: @Sendable (inout ServeOptions, inout SettingsFile) throws(CommandFailure) -> Void
  /// The value in effect, as a settings file has it; `nil` when there is none to show.
  let value: @Sendable (ServeOptions) -> JSONValue?

  /// The names that a settings file may use: `read-only`, `readOnly` and `ro` are one.
  private static func names(_ name: String, _ aliases: [String]) -> [String] {
    [name] + [camelCase(name), kebabCase(name)].filter { $0 != name } + aliases
  }

  /// Creates the row of an option with one value.
  ///
  /// - Parameter default: What is shown when no value is set.
  init<Value: SettingValue>(
    _ name: String, _ aliases: String..., at place: any Place<Value?>,
    default: @escaping @Sendable (ServeOptions) -> Value? = { _ in nil }
  ) {
    (self.name, self.aliases, isFlag) = (name, aliases, false)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      let setting = try file.value(Value.self, names)
      options[keyPath: place] = options[keyPath: place] ?? setting
    }
    value = { ($0[keyPath: place] ?? `default`($0))?.setting }
  }

  /// Creates the row of an option that may be repeated.
  ///
  /// - Parameter default: What is shown when no value is set; `nil` shows nothing at all.
  init(_ name: String, _ aliases: String..., at place: any Place<[String]>, default: [String]? = []) {
    (self.name, self.aliases, isFlag) = (name, aliases, false)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      let setting = try file.value([String].self, names)
      if options[keyPath: place].isEmpty, let setting { options[keyPath: place] = setting }
    }
    value = { ($0[keyPath: place].isEmpty ? `default` : $0[keyPath: place])?.setting }
  }

  /// Creates the row of a flag.
  init(_ name: String, _ aliases: String..., at place: any Place<Bool>) {
    (self.name, self.aliases, isFlag) = (name, aliases, true)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      if try file.value(Bool.self, names) == true { options[keyPath: place] = true }
    }
    value = { $0[keyPath: place].setting }
  }

  /// `readOnly` as `read-only`.
  static func kebabCase(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      if character.isUppercase, let last = result.last, last != "-" { result.append("-") }
      result += character.lowercased()
    }
  }

  /// `read-only` as `readOnly`.
  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "-")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
