import JSONDatabase
import JSONServer
import JSONServerValues

/// The options in effect, and where they were set.
struct EffectiveOptions {
  /// The options of the command line.
  let given: ServeCommand
  /// The options with values from the environment and the settings file.
  let options: ServeCommand
  /// The path of the settings file, even if it does not exist.
  let path: String
  /// The places of the options that the settings file sets, by name: `json-server.json: 'routes'`.
  let places: [String: String]
  /// Warnings for the user.
  let warnings: [String]
  /// The files that are watched in addition to the source, as they were before they were read.
  let watched: WatchedFiles

  /// Adds values from the environment and the settings file to the options.
  ///
  /// - Throws: ``CommandFailure`` that names the variable, or the file with line and column.
  init(_ given: ServeCommand) throws(CommandFailure) {
    // The parser itself would report a missing source before an unknown option.
    guard !given.source.isEmpty else {
      throw CommandFailure(
        .usage, "Missing expected argument '<source>'; 'swift-json-server --help' lists the options and sources.")
    }
    var options = given
    try options.fill(from: ProcessInfo.processInfo.environment)
    path = options.running.config ?? SettingsFile.defaultPath
    var watched = WatchedFiles()
    watched.add(path, .settings)
    var (places, warnings): ([String: String], [String]) = ([:], [])
    if let text = FileText.contents(of: path) {
      var file = try SettingsFile(parsing: text, path: path)
      places = try options.fill(from: &file).mapValues { [path] in "\(path): '\($0)'" }
      warnings = file.warnings
    } else if options.running.config != nil || FileKind(of: path) != .missing {
      throw CommandFailure(.usage, "\(path): the settings file cannot be read; check its name and its permissions.")
    }
    watched.add(options.writing.schema, .settings)
    if case .file(let path)? = options.users.signIn { watched.add(path, .settings) }
    watched.add(options.responses.routes, .routes)
    watched.add(options.stubbing.stubs, .stubs)
    for path in [options.address.cert, options.address.key] { watched.add(path, .certificate) }
    self.watched = watched
    let label = places["middlewares"] ?? "--middlewares"
    warnings += options.responses.middlewares.map { "\(label): \(MiddlewareFile(path: $0).warning)" }
    self.places = places
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
  /// The warnings about values of json-server's that have no effect here.
  private var foreign: [String] = []

  /// Reads a file's text.
  init(parsing text: [UInt8], path: String) throws(CommandFailure) {
    self.path = path
    members = try JSONFile.object(parsing: text, path: path)
  }

  /// A warning for each name that no option has, and for each value without an effect.
  var warnings: [String] {
    foreign
      + members.names.filter { !known.contains($0) && !$0.hasPrefix("$") }.map { name in
        let meant = Spelling.nearest(to: name, among: ServeCommand.table.map(\.name))
        let hint = meant.map { "Did you mean '\($0)'?" } ?? "'swift-json-server --help' lists the options."
        return "\(path): no option is named '\(name)', so it has no effect. \(hint)"
      }
  }

  /// Returns the value of the first of some names that the file has, and that name.
  ///
  /// - Parameter foreign: What to write instead of a value of another type, which has no effect; `nil` for an error.
  /// - Throws: ``CommandFailure`` that names the file and the key, when the value has the wrong type.
  mutating func value<Value: SettingValue>(
    _ type: Value.Type, _ names: [String], foreign: String? = nil
  ) throws(CommandFailure) -> (name: String, value: Value)? {
    known.formUnion(names)
    guard let name = names.first(where: { members[$0] != nil }), let member = members[name] else { return nil }
    if let value = Value.value(of: member) { return (name, value) }
    guard let foreign else { throw CommandFailure(.usage, "\(path): '\(name)' must be \(Value.expectation).") }
    self.foreign.append("\(path): '\(name)' has no effect in this form; \(foreign).")
    return nil
  }
}

/// The small JSON files that users write for the server: settings, rewrite rules and a schema.
enum JSONFile {
  /// Reads a file with a JSON object.
  ///
  /// - Throws: ``CommandFailure`` that names the file, with the line and column of an error.
  static func object(at path: String) throws(CommandFailure) -> JSONObject {
    try object(parsing: try text(at: path), path: path)
  }

  /// Reads a file with any JSON value.
  ///
  /// - Throws: ``CommandFailure`` that names the file, with the line and column of an error.
  static func value(at path: String) throws(CommandFailure) -> JSONValue {
    try value(parsing: try text(at: path), path: path)
  }

  private static func text(at path: String) throws(CommandFailure) -> [UInt8] {
    guard let text = FileText.contents(of: path) else {
      throw CommandFailure(.usage, "\(path): the file cannot be read; check its name and its permissions.")
    }
    return text
  }

  private static func value(parsing text: [UInt8], path: String) throws(CommandFailure) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(.usage, error, in: text, of: path)
    }
  }

  static func object(parsing text: [UInt8], path: String) throws(CommandFailure) -> JSONObject {
    let value = try value(parsing: text, path: path)
    guard let object = value.object else {
      throw CommandFailure(.usage, "\(path):1:1: the file must hold a JSON object, such as {}.")
    }
    return object
  }
}
