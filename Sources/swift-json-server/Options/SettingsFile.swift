import OrderedJSON

/// The settings of a `json-server.json`: the options' names, without dashes, and their values.
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

  /// Returns the value under the first of some names that is there.
  ///
  /// - Throws: ``CommandFailure`` that names the file and the key, when the value is of the wrong kind.
  mutating func value<Value: SettingValue>(_ type: Value.Type, _ names: [String]) throws(CommandFailure) -> Value? {
    known.formUnion(names)
    guard let name = names.first(where: { members[$0] != nil }), let member = members[name] else { return nil }
    guard let value = Value(setting: member) else {
      throw CommandFailure(.usage, "\(path): '\(name)' must be \(Value.expectation).")
    }
    return value
  }
}
