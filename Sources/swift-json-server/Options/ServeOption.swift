import ArgumentParser
import JSONServer
import JSONServerValues

/// An option of serving, for settings files, `--print-config`, json-server's spellings and the server's configuration.
///
/// Its declaration in ``ServeCommand`` sets how the command line is parsed and what `--help` prints; its row in
/// ``ServeCommand/table`` has the rest.
struct ServeOption: Sendable {
  /// The property of ``ServeCommand`` for the value.
  typealias Place<Property> = WritableKeyPath<ServeCommand, Property> & Sendable
  /// The property of a configuration that the option sets.
  typealias Target<Setting> = WritableKeyPath<Server.Configuration, Setting> & Sendable
  /// Sets the option's value in a configuration; an error says what is wrong with the value.
  typealias Effect<Setting> = @Sendable (inout Server.Configuration, Setting) throws(CommandFailure) -> Void
  /// Another option, without which an option has no effect, and what that one does.
  typealias Need = (option: String, purpose: String)

  /// The name in a settings file and, after two dashes, on the command line.
  let name: String
  /// Another name; a single letter follows one dash.
  let alias: String?
  /// What the server's messages call the option: the names of Swift's members, perhaps with a word after them.
  let members: [String]
  /// Whether the option has no value on the command line.
  let isFlag: Bool
  /// Whether the value is the path of a file that is never served.
  let isFile: Bool
  let need: Need?
  /// Takes the value from a settings file, unless it is set already.
  ///
  /// Returns the name that the file has for the option; `nil` when no value was taken.
  let fill: @Sendable (inout ServeCommand, inout SettingsFile) throws(CommandFailure) -> String?
  /// Whether a value is set.
  let isSet: @Sendable (ServeCommand) -> Bool
  /// The value in effect, as a settings file has it; `nil` when there is none to show.
  let value: @Sendable (ServeCommand) -> JSONValue?
  /// Sets the value in a configuration, if there is one.
  let apply: @Sendable (ServeCommand, inout Server.Configuration) throws(CommandFailure) -> Void

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - isFile: Whether the value is the path of a file that is never served.
  ///   - members: The names of Swift's members in the server's messages about the option.
  ///   - need: An option without which this one is refused.
  ///   - foreign: What to write instead of a value of json-server's that has no effect here; `nil` when a value of
  ///     another type is an error.
  ///   - effect: Sets a value in a configuration.
  ///   - shown: The value to show when none is set.
  init<Property: OptionProperty>(
    _ name: String, _ alias: String? = nil, at place: any Place<Property>, isFile: Bool = false,
    spelling members: [String] = [], needs need: Need? = nil, foreign: String? = nil,
    effect: @escaping Effect<Property.Setting> = { _, _ in },
    showing shown: @escaping @Sendable (ServeCommand) -> Property.Setting? = { _ in Property.unset }
  ) {
    (self.name, self.alias, self.members, self.need, self.isFile) = (name, alias, members, need, isFile)
    isFlag = Property.self == Bool.self
    let names =
      [name] + [Self.camelCase(name), Self.kebabCase(name)].filter { $0 != name } + (alias.map { [$0] } ?? [])
    fill = { options, file throws(CommandFailure) in
      guard let (name, setting) = try file.value(Property.Setting.self, names, foreign: foreign),
        options[keyPath: place].given == nil, !options.running.off.contains(names[0])
      else { return nil }
      options[keyPath: place] = Property(given: setting)
      return name
    }
    isSet = { $0[keyPath: place].given != nil }
    value = { ($0[keyPath: place].given ?? shown($0))?.setting }
    apply = { options, configuration throws(CommandFailure) in
      if let setting = options[keyPath: place].given { try effect(&configuration, setting) }
    }
  }

  /// Creates a row whose value is that of a property of the configuration.
  init<Property: OptionProperty>(
    _ name: String, _ alias: String? = nil, at place: any Place<Property>, spelling members: [String] = [],
    sets target: any Target<Property.Setting>,
    showing shown: @escaping @Sendable (ServeCommand) -> Property.Setting? = { _ in Property.unset }
  ) {
    self.init(
      name, alias, at: place, spelling: members, effect: { $0[keyPath: target] = $1 }, showing: shown)
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
  ///
  /// - Returns: The names that the file has for the options whose values were taken, by the names of the options.
  @discardableResult
  mutating func fill(from file: inout SettingsFile) throws(CommandFailure) -> [String: String] {
    var names: [String: String] = [:]
    for option in Self.table { names[option.name] = try option.fill(&self, &file) }
    return names
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

/// A property of ``ServeCommand`` for the value of an option.
protocol OptionProperty: Sendable {
  associatedtype Setting: SettingValue
  /// The value that is set; `nil` for none.
  var given: Setting? { get }
  /// The value to show when none is set.
  static var unset: Setting? { get }

  init(given: Setting)
}

extension Optional: OptionProperty where Wrapped: SettingValue {
  var given: Wrapped? { self }
  static var unset: Wrapped? { nil }
  init(given: Wrapped) { self = given }
}

extension [String]: OptionProperty {
  var given: [String]? { isEmpty ? nil : self }
  static var unset: [String]? { [] }
  init(given: [String]) { self = given }
}

extension Bool: OptionProperty {
  var given: Bool? { self ? true : nil }
  static var unset: Bool? { false }
  init(given: Bool) { self = given }
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

extension Seconds: SettingValue {
  static func value(of setting: JSONValue) -> Seconds? { setting.double.flatMap(Seconds.init(count:)) }
  static var expectation: String { "a number" }
  var setting: JSONValue? { JSONNumber(count).map(JSONValue.number) }
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

/// A time in seconds.
struct Seconds: ExpressibleByArgument, Hashable, Sendable {
  let count: Double
  var duration: Duration { .seconds(count) }

  /// - Returns: `nil` for a number that no time has.
  init?(count: Double) {
    guard count.magnitude < 1e12 else { return nil }
    self.count = count
  }

  init?(argument: String) {
    guard let count = Double(argument) else { return nil }
    self.init(count: count)
  }
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
