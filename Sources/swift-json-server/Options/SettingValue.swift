import OrderedJSON

/// A value of an option, as a settings file writes it.
protocol SettingValue: Sendable {
  /// Reads a value; `nil` when it is of the wrong kind.
  init?(setting: JSONValue)

  /// What the value must be, as an error message says it.
  static var expectation: String { get }

  var setting: JSONValue? { get }
}

extension Bool: SettingValue {
  init?(setting: JSONValue) {
    guard case .bool(let flag) = setting else { return nil }
    self = flag
  }

  static var expectation: String { "true or false" }
  var setting: JSONValue? { .bool(self) }
}

extension Int: SettingValue {
  init?(setting: JSONValue) {
    guard let number = setting.integer ?? setting.string.flatMap({ Int($0) }) else { return nil }
    self = number
  }

  static var expectation: String { "a whole number" }
  var setting: JSONValue? { .number(JSONNumber(self)) }
}

extension Double: SettingValue {
  init?(setting: JSONValue) {
    guard case .number(let number) = setting, number.doubleValue.isFinite else { return nil }
    self = number.doubleValue
  }

  static var expectation: String { "a number" }
  var setting: JSONValue? { JSONNumber(self).map(JSONValue.number) }
}

extension String: SettingValue {
  init?(setting: JSONValue) {
    switch setting {
    case .string(let text): self = text
    case .number(let number): self = number.text
    case .null, .bool, .array, .object: return nil
    }
  }

  static var expectation: String { "text" }
  var setting: JSONValue? { .string(self) }
}

/// One text or several.
extension [String]: SettingValue {
  init?(setting: JSONValue) {
    let elements = setting.string.map { [JSONValue.string($0)] } ?? setting.array
    let texts = elements?.compactMap(\.string)
    guard let texts, texts.count == elements?.count else { return nil }
    self = texts
  }

  static var expectation: String { "a text or an array of texts" }
  var setting: JSONValue? { .array(map(JSONValue.string)) }
}

extension ByteCount: SettingValue {
  init?(setting: JSONValue) {
    guard let count = String(setting: setting).flatMap(ByteCount.init(argument:)) else { return nil }
    self = count
  }

  static var expectation: String { "a number of bytes, such as 500k or 10M" }
  var setting: JSONValue? { .number(JSONNumber(bytes)) }
}

/// One of a few words.
extension SettingValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  init?(setting: JSONValue) {
    guard let value = setting.string.flatMap(Self.init(rawValue:)) else { return nil }
    self = value
  }

  static var expectation: String { allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ") }
  var setting: JSONValue? { .string(rawValue) }
}
