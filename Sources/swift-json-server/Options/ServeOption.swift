import ArgumentParser
import JSONServerValues

/// An option of serving, for settings files, `--print-config` and json-server's spellings.
///
/// Its declaration in ``ServeCommand`` sets how the command line is parsed and what `--help` prints; its row in
/// ``ServeCommand/table`` has the rest.
struct ServeOption: Sendable {
  /// The property of ``ServeCommand`` for the value.
  typealias Place<Value> = WritableKeyPath<ServeCommand, Value> & Sendable

  /// The name in a settings file and, after two dashes, on the command line.
  let name: String
  /// Other names; a single letter follows one dash.
  let aliases: [String]
  /// What the server's messages call the option: the names of Swift's members, perhaps with a word after them.
  let members: [String]
  /// Whether the option has no value on the command line.
  let isFlag: Bool
  /// Takes values that are not set yet from a settings file.
  let fill: @Sendable (inout ServeCommand, inout SettingsFile) throws(CommandFailure) -> Void
  /// The value in effect, as a settings file has it; `nil` when there is none to show.
  let value: @Sendable (ServeCommand) -> JSONValue?

  /// The names that a settings file may use: `read-only`, `readOnly` and `ro` are the same.
  private static func names(_ name: String, _ aliases: [String]) -> [String] {
    [name] + [camelCase(name), kebabCase(name)].filter { $0 != name } + aliases
  }

  /// Creates the row of an option with one value.
  ///
  /// - Parameter default: The value to show when none is set.
  init<Value: SettingValue>(
    _ name: String, _ aliases: String..., at place: any Place<Value?>, spelling members: String...,
    default: @escaping @Sendable (ServeCommand) -> Value? = { _ in nil }
  ) {
    (self.name, self.aliases, self.members, isFlag) = (name, aliases, members, false)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      let setting = try file.value(Value.self, names)
      options[keyPath: place] = options[keyPath: place] ?? setting
    }
    value = { ($0[keyPath: place] ?? `default`($0))?.setting }
  }

  /// Creates the row of an option that may be repeated.
  ///
  /// - Parameter default: The values to show when none is set; `nil` shows nothing.
  init(
    _ name: String, _ aliases: String..., at place: any Place<[String]>, spelling members: String...,
    default: [String]? = []
  ) {
    (self.name, self.aliases, self.members, isFlag) = (name, aliases, members, false)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      let setting = try file.value([String].self, names)
      if options[keyPath: place].isEmpty, let setting { options[keyPath: place] = setting }
    }
    value = { ($0[keyPath: place].isEmpty ? `default` : $0[keyPath: place])?.setting }
  }

  /// Creates the row of a flag.
  init(_ name: String, _ aliases: String..., at place: any Place<Bool>, spelling members: String...) {
    (self.name, self.aliases, self.members, isFlag) = (name, aliases, members, true)
    let names = Self.names(name, aliases)
    fill = { options, file throws(CommandFailure) in
      let setting = try file.value(Bool.self, names)
      if setting == true, !options.running.off.contains(name) { options[keyPath: place] = true }
    }
    value = { $0[keyPath: place].setting }
  }

  /// Converts `readOnly` to `read-only`.
  static func kebabCase(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      if character.isUppercase, let last = result.last, last != "-" { result.append("-") }
      result += character.lowercased()
    }
  }

  /// Converts `read-only` to `readOnly`.
  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "-")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension ServeCommand {
  /// Takes values that no option sets from the environment.
  mutating func fill(from environment: [String: String]) throws(CommandFailure) {
    if address.port == nil, let text = environment["PORT"], !text.isEmpty {
      guard let number = Int(text), 0...65535 ~= number else {
        throw CommandFailure(.usage, "PORT: '\(text)' is not a port; set a number, or 0 for a free port.")
      }
      address.port = number
    }
    if address.host.isEmpty, let name = environment["HOST"], !name.isEmpty { address.host = [name] }
    // https://no-color.org: any value counts, an empty one does not.
    if running.color == nil, let text = environment["NO_COLOR"], !text.isEmpty { running.color = false }
  }

  /// Takes values that neither an option nor the environment sets from a settings file.
  mutating func fill(from file: inout SettingsFile) throws(CommandFailure) {
    for option in Self.table { try option.fill(&self, &file) }
  }

  /// The options in effect, in the form of a settings file.
  var json: JSONValue {
    var object = JSONObject()
    for option in Self.table { object[option.name] = option.value(self) }
    return .object(object)
  }

  /// The port when none is set: with `--exec` a free one.
  var defaultPort: Int { running.exec == nil ? 3000 : 0 }
}

/// A value of an option in a settings file.
protocol SettingValue: Sendable {
  /// Reads a value; `nil` when it has the wrong type.
  static func value(of setting: JSONValue) -> Self?

  /// The expected form of the value, for error messages.
  static var expectation: String { get }

  var setting: JSONValue? { get }
}

extension Bool: SettingValue {
  static func value(of setting: JSONValue) -> Bool? { setting.bool }
  static var expectation: String { "true or false" }
  var setting: JSONValue? { JSONValue(self) }
}

extension Int: SettingValue {
  static func value(of setting: JSONValue) -> Int? { setting.int ?? setting.string.flatMap { Int($0) } }
  static var expectation: String { "a whole number" }
  var setting: JSONValue? { JSONValue(self) }
}

extension Double: SettingValue {
  static func value(of setting: JSONValue) -> Double? { setting.double.flatMap { $0.isFinite ? $0 : nil } }
  static var expectation: String { "a number" }
  var setting: JSONValue? { JSONNumber(self).map(JSONValue.number) }
}

extension String: SettingValue {
  static func value(of setting: JSONValue) -> String? {
    if case .number(let number) = setting { number.text } else { setting.string }
  }
  static var expectation: String { "text" }
  var setting: JSONValue? { JSONValue(self) }
}

/// A string, or an array of strings.
extension [String]: SettingValue {
  static func value(of setting: JSONValue) -> [String]? {
    let elements = setting.string.map { [JSONValue($0)] } ?? setting.array
    let texts = elements?.compactMap(\.string)
    return texts?.count == elements?.count ? texts : nil
  }
  static var expectation: String { "a text or an array of texts" }
  var setting: JSONValue? { .array(map(JSONValue.string)) }
}

extension ByteCount: SettingValue {
  static func value(of setting: JSONValue) -> ByteCount? {
    String.value(of: setting).flatMap(ByteCount.init(argument:))
  }
  static var expectation: String { "a number of bytes, such as 500k or 10M" }
  var setting: JSONValue? { JSONValue(bytes) }
}

/// One of a few words.
extension SettingValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  static func value(of setting: JSONValue) -> Self? { setting.string.flatMap(Self.init(rawValue:)) }
  static var expectation: String { allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ") }
  var setting: JSONValue? { JSONValue(rawValue) }
}

/// A number of bytes, written as `1048576`, `1024k` or `1M`.
struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
  let bytes: Int

  init?(argument: String) {
    var digits = argument.lowercased()[...]
    if digits.last == "b" { digits.removeLast() }
    let unit = digits.last.flatMap { ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30][$0] }
    if unit != nil { digits.removeLast() }
    guard let count = Int(digits), count >= 0 else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}
