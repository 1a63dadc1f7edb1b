import JSONDatabase
import JSONServer
import JSONServerValues

/// The options in effect, and their sources.
struct Settings {
  /// The options of the command line.
  let given: ServeCommand
  /// The options with values from the environment and the settings file.
  let options: ServeCommand
  /// The path of the settings file, even if it does not exist.
  let path: String
  /// Warnings for the user.
  let warnings: [String]
  /// The files that are watched in addition to the source, as they were before they were read.
  let watched: WatchedFiles

  /// Adds values from the environment and the settings file to the options.
  ///
  /// - Throws: ``CommandFailure`` that names the variable, or the file with line and column.
  init(_ given: ServeCommand) throws(CommandFailure) {
    var options = given
    try options.fill(from: ProcessInfo.processInfo.environment)
    path = options.running.config ?? SettingsFile.defaultPath
    var watched = WatchedFiles()
    watched.add(path, .settings)
    var warnings: [String] = []
    if let text = FileText.contents(of: path) {
      var file = try SettingsFile(parsing: text, path: path)
      try options.fill(from: &file)
      warnings = file.warnings
    } else if options.running.config != nil || FileKind(of: path) != .missing {
      throw CommandFailure(.usage, "\(path): the settings file cannot be read; check its name and its permissions.")
    }
    watched.add(options.writing.schema, .settings)
    watched.add(options.responses.routes, .routes)
    watched.add(options.stubbing.stubs, .stubs)
    for path in [options.address.cert, options.address.key] { watched.add(path, .certificate) }
    self.watched = watched
    self.warnings = warnings
    self.given = given
    self.options = options
  }
}

/// The settings of a `json-server.json`: the options' names without dashes, and their values.
struct SettingsFile {
  static let defaultPath = "json-server.json"

  private let path: String
  private let members: JSONObject
  /// The names that options have looked up.
  private var known: Set<String> = []

  /// Reads a file's text.
  init(parsing text: [UInt8], path: String) throws(CommandFailure) {
    self.path = path
    members = try JSONFile.object(parsing: text, path: path)
  }

  /// A warning for each name that no option has.
  var warnings: [String] {
    members.names.filter { !known.contains($0) && !$0.hasPrefix("$") }.map { name in
      let meant = Spelling.nearest(to: name, among: ServeCommand.table.map(\.name))
      let hint = meant.map { "Did you mean '\($0)'?" } ?? "'swift-json-server --help' lists the options."
      return "\(path): no option is named '\(name)', so it has no effect. \(hint)"
    }
  }

  /// Returns the value of the first of some names that the file has.
  ///
  /// - Throws: ``CommandFailure`` that names the file and the key, when the value has the wrong type.
  mutating func value<Value: SettingValue>(_ type: Value.Type, _ names: [String]) throws(CommandFailure) -> Value? {
    known.formUnion(names)
    guard let name = names.first(where: { members[$0] != nil }), let member = members[name] else { return nil }
    guard let value = Value.value(of: member) else {
      throw CommandFailure(.usage, "\(path): '\(name)' must be \(Value.expectation).")
    }
    return value
  }
}

/// The small JSON files that users write for the server: settings, rewrite rules and a schema.
enum JSONFile {
  /// Reads a file with a JSON object.
  ///
  /// - Throws: ``CommandFailure`` that names the file, with the line and column of an error.
  static func object(at path: String) throws(CommandFailure) -> JSONObject {
    guard let text = FileText.contents(of: path) else {
      throw CommandFailure(.usage, "\(path): the file cannot be read; check its name and its permissions.")
    }
    return try object(parsing: text, path: path)
  }

  static func object(parsing text: [UInt8], path: String) throws(CommandFailure) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(.usage, error, in: text, of: path)
    }
    guard let object = value.object else {
      throw CommandFailure(.usage, "\(path):1:1: the file must hold a JSON object, such as {}.")
    }
    return object
  }
}
