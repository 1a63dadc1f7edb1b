import ArgumentParser
import JSONServer
import JSONServerValues

/// What a project that starts json-server has to change: a command, settings, and the rest in sentences.
struct Migration {
  /// A script of package.json, and what it becomes.
  struct Script {
    let name: String
    let text: String
    let command: String
  }

  private(set) var scripts: [Script] = []
  /// The members of `json-server.json`.
  private(set) var settings = JSONObject()
  /// What the settings do not do.
  private(set) var remaining: [String] = []

  private let directory: String
  /// The scripts as they were read, with their options.
  private var starts: [(name: String, text: String, source: String, options: JSONObject)] = []
  /// The files that were judged, so that each is named once.
  private var judged: Set<String> = []

  /// Reads a project. No program of it runs.
  ///
  /// - Parameter directory: The directory of its `package.json`.
  /// - Throws: ``CommandFailure`` for a project without a script that starts json-server.
  init(of directory: String) throws(CommandFailure) {
    self.directory = directory
    let package = try JSONFile.object(at: path(of: "package.json"))
    if FileText.contents(of: settingsPath) != nil { settings = try JSONFile.object(at: settingsPath) }
    keepSettings()
    for (name, value) in package["scripts"]?.object ?? JSONObject() {
      if let text = value.string { read(script: name, text) }
    }
    divideOptions()
    guard !scripts.isEmpty else {
      throw CommandFailure(
        .missingSource, "\(path(of: "package.json")): no script runs json-server, nor a program that uses it.")
    }
    judge(routes: settings["routes"]?.string)
    let installed = ["dependencies", "devDependencies"].flatMap { package[$0]?.object?.names ?? [] }
    let old = installed.filter { $0.hasPrefix("json-server") }
    let list = scripts.map { "'\($0.name)'" }.joined(separator: ", ")
    remaining.append(
      "package.json: write the command\(scripts.count > 1 ? "s" : "") into \(list)"
        + (old.isEmpty ? "." : ", and remove \(old.joined(separator: ", ")) from the dependencies."))
  }

  private func path(of name: String) -> String { directory == "." ? name : "\(directory)/\(name)" }
  /// The path of the settings that the server reads.
  var settingsPath: String { path(of: SettingsFile.defaultPath) }

  // MARK: Scripts

  private mutating func read(script name: String, _ text: String) {
    let line = ShellLine(text)
    if let (program, arguments) = line.command(running: ["json-server", "json-server-auth"]) {
      read(script: name, text, arguments, isAuth: program == "json-server-auth")
    } else if let (_, arguments) = line.command(running: ["node", "nodemon", "ts-node", "tsx", "babel-node"]),
      let file = arguments.first(where: { !$0.hasPrefix("-") })
    {
      let names = file.contains(".") ? [file] : [file, "\(file).js", "\(file)/index.js"]
      for known in names {
        let program = MiddlewareFile(path: known, in: directory)
        if program.text?.contains("json-server") == true { return read(script: name, text, program) }
      }
    }
  }

  private mutating func read(script name: String, _ text: String, _ arguments: [String], isAuth: Bool) {
    let parsed: ServeCommand
    do {
      parsed = try ServeCommand.parse(
        Array(ArgumentNormalizer(subcommands: []).normalize(arguments).dropFirst()))
    } catch {
      let reason = ServeCommand.message(for: error)
      remaining.append("package.json: '\(name)' cannot be read: \(reason)")
      let words = ["swift-json-server"] + arguments
      scripts.append(Script(name: name, text: text, command: words.joined(separator: " ")))
      return
    }
    var given = JSONObject()
    for option in ServeCommand.table where option.isSet(parsed) && option.name != "middlewares" {
      given[option.name] = option.value(parsed)
    }
    if isAuth { given["auth"] = "users" }
    for file in parsed.responses.middlewares { judge(middleware: file, in: &given) }
    judge(source: parsed.source, script: name)
    if parsed.address.host.contains("0.0.0.0") {
      remaining.append(
        """
        package.json: '\(name)' listens on all addresses; add "allowed-host" for each name that clients use, and "cors" \
        for pages.
        """)
    }
    starts.append((name, text, parsed.source, given))
  }

  /// Makes settings of the options that all scripts have; each command keeps its others.
  private mutating func divideOptions() {
    for (option, value) in starts.first?.options ?? JSONObject() {
      if starts.allSatisfy({ $0.options[option] == value }) { settings[option] = value }
    }
    for (name, text, source, options) in starts {
      let own = options.filter { settings[$0.name] != $0.value }.flatMap { option, value -> [String] in
        (value.array ?? [value]).flatMap { $0 == true ? ["--\(option)"] : ["--\(option)", $0.plainText] }
      }
      let words = ["swift-json-server", source].filter { !$0.isEmpty } + own
      scripts.append(Script(name: name, text: text, command: words.map(ShellLine.quoted).joined(separator: " ")))
    }
  }

  // MARK: Programs

  /// Reads a program that uses json-server as a library, by its words.
  private mutating func read(script name: String, _ text: String, _ program: MiddlewareFile) {
    let code = FileText.contents(of: path(of: program.path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    var given = JSONObject()
    let port = code.firstMatch(of: #/(?:listen\(\s*|[Pp][Oo][Rr][Tt]\s*(?:=|\|\|)\s*|\|\|\s*)(\d{2,5})/#)
    given["port"] = (port?.1).flatMap { Int($0) }.map { JSONValue($0) }
    if code.contains("json-server-auth") { given["auth"] = "users" }
    if code.contains("json-server-reset") { given["reset-routes"] = true }
    let source = code.firstMatch(of: #/router\([^;]*?['"`]([^'"`]+\.(?:json|js))['"`]/#).map { String($0.1) }
    if source == nil {
      remaining.append("\(program.path): its data is made by code; write the data to a .json file.")
    }
    judge(program)
    judge(source: source ?? "db.json", script: program.path)
    starts.append((name, text, source ?? "db.json", given))
  }

  // MARK: Files

  /// Settings of json-server's that have another form here.
  private mutating func keepSettings() {
    let middlewares = settings["middlewares"]
    settings["middlewares"] = nil
    var kept = settings
    for file in middlewares?.array ?? [middlewares].compactMap(\.self) {
      if let file = file.string { judge(middleware: file, in: &kept) }
    }
    settings = kept
    if settings["cors"]?.bool != nil { settings["cors"] = settings["cors"] == true ? ["*"] : nil }
    let names = ServeCommand.table.map(\.name)
    for name in settings.names where !name.hasPrefix("$") && !names.contains(name) {
      let isKnown = ServeCommand.table.contains { $0.alias == name || $0.name == ServeOption.kebabCase(name) }
      if isKnown { continue }
      settings[name] = nil
      remaining.append("\(SettingsFile.defaultPath): no option is named '\(name)'.")
    }
  }

  private mutating func judge(middleware file: String, in given: inout JSONObject) {
    let package = file.split(separator: "/").last.map(String.init) ?? file
    switch package {
    case "json-server-reset": given["reset-routes"] = true
    case "json-server-auth": given["auth"] = "users"
    default: judge(MiddlewareFile(path: file, in: directory))
    }
  }

  /// Says what a file does that no setting does.
  private mutating func judge(_ file: MiddlewareFile) {
    guard judged.insert(file.path).inserted else { return }
    guard file.text != nil else { return remaining.append("\(file.path): the file cannot be read.") }
    let found = file.findings
    if found.isEmpty {
      remaining.append("\(file.path): its words do not say what it does; the guide to moving lists middlewares.")
    }
    for (deed, option, line) in found.sorted(by: { $0.line ?? 0 < $1.line ?? 0 }) {
      remaining.append("\(file.path)\(line.map { ":\($0)" } ?? ""): it may \(deed); here: \(option).")
    }
  }

  private mutating func judge(source: String, script: String) {
    guard !source.contains("://"), judged.insert(source).inserted else { return }
    switch FileKind(of: path(of: source)) {
    case _ where source.isEmpty: remaining.append("package.json: '\(script)' names no data file; add one.")
    case .missing: remaining.append("\(source): there is no such file; the server makes one with sample data.")
    case .file, .executable, .directory, .other:
      if [".js", ".cjs", ".mjs"].contains(where: source.hasSuffix) {
        remaining.append("\(source): 'node' runs it at each start, and changes stay in memory, as before.")
      }
    }
  }

  private mutating func judge(routes file: String?) {
    guard let file else { return }
    do {
      let routes = try JSONFile.object(at: path(of: file))
      var configuration = Server.Configuration(source: .value([:]))
      if settings["auth"] != nil { configuration.signIn = Server.SignIn() }
      for fault in try configuration.usable(routes).faults {
        remaining.append("\(file): \(fault.respelled(CommandFailure.spellings))")
      }
    } catch {
      let failure = CommandFailure(error)
      remaining.append(failure.message)
    }
  }

  // MARK: Text

  /// The report for people.
  ///
  /// - Parameter isWritten: Whether the settings are in their file.
  func text(isWritten: Bool) -> String {
    var parts = ["Commands:\n" + scripts.map { "  \($0.name): \($0.command)" }.joined(separator: "\n")]
    if settings.isEmpty {
      parts.append("Settings: none.")
    } else {
      let lines = JSONValue.object(settings).text().split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
      parts.append("Settings\(isWritten ? ", written to" : " for") \(SettingsFile.defaultPath):\n\(lines)")
    }
    parts.append("Left to do:\n" + remaining.map { "- \($0)" }.joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }
}

/// Reads a project that starts json-server, and says how it starts this server.
struct MigrateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Say what a project changes that uses json-server.",
    discussion: """
      In a project's directory, the command reads the scripts of package.json, json-server.json, rewrite rules and middlewares, \
      as text. It prints the command for each script, the settings, and what is left to do.
      """,
    success: "the report is printed",
    exitCodes: [
      (.usage, "package.json or json-server.json is invalid"), (.missingSource, "no script runs json-server"),
      (.cannotCreate, "json-server.json cannot be written"),
    ])

  @Argument(help: "The project's directory.", completion: .directory)
  var directory = "."

  @Flag(help: "Write the settings to json-server.json; package.json stays as it is.")
  var write = false

  func perform() async throws -> Int32 {
    let migration = try Migration(of: directory)
    let writes = write && !migration.settings.isEmpty
    if writes {
      let text = JSONValue.object(migration.settings).text() + "\n"
      try FileText.save(Array(text.utf8), to: migration.settingsPath)
    }
    try FileText.print(migration.text(isWritten: writes))
    return 0
  }
}
