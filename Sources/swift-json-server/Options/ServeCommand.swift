public import ArgumentParser
public import JSONServer
import JSONServerValues

/// Serves a source until the server is stopped. The options are as given.
///
/// Each group is a section of `--help`. All groups together fit on two screens of 48 lines, so a help text should have
/// one line.
struct ServeCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a JSON file as a REST API, and write every change back.",
    usage: """
      swift-json-server [options] <source>
      swift-json-server init|validate|generate|record|export|rehearse|migrate|…
      """,
    discussion: """
      Options come first, then the variables PORT and HOST, then the file json-server.json. \
      'swift-json-server help' explains the commands and exit codes.
      """)

  @Argument(
    help: ArgumentHelp(
      "A .json or .json5 file, a directory, an OpenAPI document, postgres://…, http(s)://…, a program, or -.",
      valueName: "source"),
    completion: .file())
  var source = ""

  @OptionGroup(title: "Address") var address: AddressOptions
  @OptionGroup(title: "Data") var data: DataOptions
  @OptionGroup(title: "Data") var keys: KeyOptions
  @OptionGroup(title: "Data") var writing: WritingOptions
  @OptionGroup(title: "Responses") var responses: ResponseOptions
  @OptionGroup(title: "Stubs and other servers") var stubbing: StubOptions
  @OptionGroup(title: "Users and sessions") var users: UserOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Running and output") var running: RunningOptions

  /// The source for people: an address without its password.
  var shownSource: String { source == "-" ? "standard input" : SecretText.source(source) }

  func perform() async throws -> Int32 {
    var given = self
    // In `-m auth.js db.js` the last file is the source.
    if source.isEmpty, responses.middlewares.count > 1 { given.source = given.responses.middlewares.removeLast() }
    given.source = try SourceLocator.confirmed(given.source)
    let effective = try EffectiveOptions(given)
    if running.printConfig {
      try FileText.print(effective.options.json.text())
      return 0
    }
    return try await ServerRun.run(effective)
  }
}

extension ServeCommand {
  /// All options that a settings file may set, in the order in which `--print-config` shows them.
  ///
  /// A new option is declared in ``ServeCommand``, and has a row here. Values that the configuration of a server cannot
  /// have are judged in `Server.Configuration.check()`.
  static let table: [ServeOption] = [
    ServeOption(
      "port", "p", at: \.address.port, spelling: ["Server.Configuration.port"], sets: \.port,
      showing: { $0.defaultPort }),
    ServeOption(
      "host", "H", at: \.address.host, spelling: ["Server.Configuration.hosts"], sets: \.hosts,
      showing: { _ in ["127.0.0.1", "::1"] }),
    ServeOption(
      "allowed-host", at: \.address.allowedHost, spelling: ["Server.Configuration.allowedHosts for"],
      sets: \.allowedHosts),
    ServeOption(
      "cert", at: \.address.cert, isFile: true, spelling: ["Server.Configuration.tlsIdentity"],
      needs: ("key", "the file of its private key")
    ) {
      $0.tlsIdentity = TLSIdentity(certificatePath: $1, keyPath: "")
    },
    ServeOption(
      "key", at: \.address.key, isFile: true, spelling: ["Server.Configuration.tlsIdentity.keyPath"],
      needs: ("cert", "the file of its certificate")
    ) {
      $0.tlsIdentity?.keyPath = $1
    },
    ServeOption(
      "cors", at: \.address.cors,
      spelling: ["Server.Configuration.crossOrigin for", "Server.Configuration.crossOrigin"],
      foreign: "write the origins of pages that may use the server, such as \"https://app.example\", or \"*\" for all"
    ) { $0.crossOrigin = $1.contains("*") ? .any : .origins($1) },
    ServeOption("no-cors", "nc", at: \.address.noCORS) { configuration, _ throws(CommandFailure) in
      guard configuration.crossOrigin == .loopback else {
        throw CommandFailure(.usage, "it contradicts --cors; give one of the two.")
      }
      configuration.crossOrigin = .none
    },
    ServeOption("watch", "w", at: \.data.watch, spelling: ["Server.Configuration.watching"]) { configuration, _ in
      configuration.watching = .on
    },
    ServeOption("poll", at: \.data.poll),
    ServeOption("routes", "r", at: \.responses.routes, isFile: true, spelling: ["Server.Configuration.routes"]),
    ServeOption(
      "stubs", at: \.stubbing.stubs, isFile: true, spelling: ["Server.Configuration.stubsFile"]
    ) { $0.stubsFile = $1 },
    ServeOption("proxy", at: \.stubbing.proxy, spelling: ["Server.Configuration.upstream"]) {
      (_, url) throws(CommandFailure) in
      try CommandFailure.translating { () throws(ServerError) in _ = try UpstreamAddress(url) }
    },
    ServeOption(
      "record", at: \.stubbing.record, isFile: true,
      needs: ("proxy", "the server whose responses are recorded")),
    ServeOption("middlewares", "m", at: \.responses.middlewares, showing: { _ in nil }),
    ServeOption("static", "s", at: \.responses.static, spelling: ["Server.Configuration.staticDirectories"]) {
      configuration, paths throws(CommandFailure) in
      for path in paths { try CommandFailure.checkDirectory(path) }
      configuration.staticDirectories = paths
    },
    ServeOption("snapshots", "S", at: \.data.snapshots) { _, path throws(CommandFailure) in
      try CommandFailure.checkDirectory(path)
    } showing: { _ in
      "."
    },
    ServeOption(
      "read-only", "ro", at: \.data.readOnly, spelling: ["Server.Configuration.isReadOnly"], sets: \.isReadOnly),
    ServeOption("strict", at: \.responses.strict, spelling: ["Server.Configuration.isStrict"], sets: \.isStrict),
    ServeOption("wrap", at: \.responses.wrap, spelling: ["Server.Configuration.wrapName"]) { $0.wrapName = $1 },
    ServeOption("pages", at: \.responses.pages, spelling: ["Server.Configuration.cursorPages"]) {
      configuration, rules throws(CommandFailure) in
      configuration.cursorPages = try CommandFailure.translating { () throws(ServerError) in
        try CursorPages(rules)
      }
    },
    ServeOption("no-gzip", "ng", at: \.responses.noGzip, spelling: ["Server.Configuration.compresses"]) {
      configuration, _ in configuration.compresses = false
    },
    ServeOption("delay", "d", at: \.responses.delay, spelling: ["Server.Configuration.delay"]) {
      $0.delay = .milliseconds($1)
    } showing: { _ in
      0
    },
    ServeOption("bytes-per-second", at: \.responses.bytesPerSecond, spelling: ["Server.Configuration.bytesPerSecond"]) {
      $0.bytesPerSecond = $1
    },
    ServeOption("now", at: \.responses.now, spelling: ["Server.Configuration.now"]) {
      configuration, text throws(CommandFailure) in
      guard let time = Date(rfc3339: text) else {
        throw CommandFailure(.usage, "'\(text)' is not a time; write it as 2030-01-31T09:30:00Z.")
      }
      configuration.now = time
    },
    ServeOption(
      "id", "i", at: \.keys.id,
      spelling: [
        "Server.Configuration.idNames for", "Server.Configuration.idName for", "Server.Configuration.idNames",
        "Server.Configuration.idName",
      ], effect: KeyOptions.setIDs, showing: { _ in ["id"] }),
    ServeOption(
      "foreignKeySuffix", "fks", at: \.keys.foreignKeySuffix, spelling: ["Server.Configuration.foreignKeySuffix"],
      sets: \.foreignKeySuffix, showing: { _ in "Id" }),
    ServeOption(
      "id-lists", at: \.keys.idLists, spelling: ["Server.Configuration.idLists"], effect: KeyOptions.setIDLists),
    ServeOption("upsert", at: \.writing.upsert, spelling: ["Server.Configuration.upserts"], sets: \.upserts),
    ServeOption("fill", at: \.writing.fill, spelling: ["Server.Configuration.fills"]) {
      configuration, rules throws(CommandFailure) in
      configuration.fills = try CommandFailure.translating { () throws(ServerError) in
        try rules.map { rule throws(ServerError) in try Fill(rule) }
      }
    },
    ServeOption("check", at: \.writing.check, spelling: ["Server.Configuration.checksBodies"], sets: \.checksBodies),
    ServeOption(
      "unique", at: \.writing.unique, spelling: ["Server.Configuration.uniqueMembers"], sets: \.uniqueMembers),
    ServeOption(
      "schema", at: \.writing.schema, isFile: true, spelling: ["Server.Configuration.jsonSchema"]
    ) { configuration, path throws(CommandFailure) in
      configuration.jsonSchema = .object(try JSONFile.object(at: path))
    },
    ServeOption(
      "openapi", at: \.writing.openapi, isFile: true, spelling: ["Server.Configuration.openAPI"]
    ) { $0.openAPI = $1 },
    ServeOption("no-check", at: \.writing.noCheck, spelling: ["Server.Configuration.checksRequests"]) {
      configuration, _ in configuration.checksRequests = false
    },
    ServeOption(
      "compat", at: \.responses.compat, spelling: ["Server.Configuration.dialect"], sets: \.dialect,
      showing: { _ in .classic }),
    ServeOption(
      "reset-routes", at: \.responses.resetRoutes, spelling: ["Server.Configuration.hasResetRoutes"],
      sets: \.hasResetRoutes),
    ServeOption("auth", at: \.users.auth, spelling: ["Server.SignIn.users", "Server.Configuration.signIn"]) {
      $0.signIn = Server.SignIn(users: $1)
    },
    ServeOption(
      "sign-in", at: \.users.signIn, isFile: true, spelling: ["Server.SignIn.routes"],
      needs: ("auth", "the collection of the users")
    ) { configuration, rows throws(CommandFailure) in
      configuration.signIn?.routes = try rows.read()
    },
    ServeOption(
      "guard", at: \.users.guards, spelling: ["Server.SignIn.guards"],
      needs: ("auth", "the collection of the users"), effect: UserOptions.setGuards),
    ServeOption(
      "token-lifetime", at: \.users.tokenLifetime, spelling: ["Server.SignIn.tokenLifetime"],
      needs: ("auth", "the collection of the users")
    ) {
      $0.signIn?.tokenLifetime = $1.duration
    } showing: {
      $0.users.auth == nil ? nil : Seconds(count: 3600)
    },
    ServeOption(
      "sessions", at: \.users.sessions, spelling: ["Server.Configuration.hasSessions"], sets: \.hasSessions),
    ServeOption("sync", at: \.data.sync, spelling: ["Server.Configuration.durability"]) {
      $0.durability = $1 == .fast ? .fast : .full
    } showing: { _ in
      .full
    },
    ServeOption("ephemeral", at: \.data.ephemeral) { configuration, _ in configuration.durability = .ephemeral },
    ServeOption("seed", at: \.data.seed, isFile: true),
    ServeOption(
      "reads", at: \.data.reads, spelling: ["Server.Configuration.reads"], sets: \.reads,
      showing: { SourceLocator.isDatabase($0.source) ? .linearizable : nil }),
    ServeOption("max-body", at: \.limits.maxBody, spelling: ["Server.Configuration.limits.maximumBodyBytes"]) {
      $0.limits.maximumBodyBytes = $1.bytes
    },
    ServeOption(
      "max-depth", at: \.limits.maxDepth, spelling: ["Server.Configuration.maximumDepth"], sets: \.maximumDepth),
    ServeOption("timeout", at: \.limits.timeout, spelling: ["Server.Configuration.limits.headTimeout"]) {
      configuration, timeout throws(CommandFailure) in
      guard timeout.count > 0, timeout.count <= 86_400 else {
        throw CommandFailure(.usage, "\(timeout.count) is not a valid time; give seconds, up to 86400.")
      }
      configuration.limits.headTimeout = timeout.duration
      configuration.limits.bodyTimeout = timeout.duration
      configuration.limits.idleTimeout = timeout.duration
    },
    ServeOption("exec", at: \.running.exec),
    ServeOption("ignore", at: \.running.ignore, showing: { _ in nil }),
    ServeOption("ready-file", at: \.running.readyFile, isFile: true),
    ServeOption("open", at: \.running.open),
    ServeOption("quiet", "q", at: \.running.quiet),
    ServeOption("log-format", at: \.running.logFormat, showing: { _ in .text }),
    ServeOption(
      "show-secrets", at: \.running.showSecrets, spelling: ["Server.Configuration.showsSecrets"], sets: \.showsSecrets),
  ]
}

/// The addresses of the server, and who may use it.
struct AddressOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 takes a free one. (default: 3000)", valueName: "number"))
  var port: Int?

  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp("Listen on this address; repeatable. (default: loopback)", valueName: "address"))
  var host: [String] = []

  @Option(help: ArgumentHelp("Accept requests to this name; repeatable.", valueName: "name"))
  var allowedHost: [String] = []

  @Option(
    help: ArgumentHelp("Allow pages of this origin; repeatable. (default: loopback)", valueName: "origin"))
  var cors: [String] = []

  @Flag(name: [.customLong("no-cors"), .customLong("nc")], help: "Send no CORS headers.")
  var noCORS = false

  @Option(help: ArgumentHelp("Serve HTTPS with this certificate (PEM).", valueName: "file"), completion: .file())
  var cert: String?

  @Option(help: ArgumentHelp("The unencrypted private key of --cert (PEM).", valueName: "file"), completion: .file())
  var key: String?
}

/// How the data is read and saved.
struct DataOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Reload the source and other files when edited.")
  var watch = false

  @Flag(help: ArgumentHelp("Without effect: --watch finds edits on network mounts, too.", visibility: .hidden))
  var poll = false

  @Flag(name: [.customLong("read-only"), .customLong("ro")], help: "Refuse every change.")
  var readOnly = false

  @Flag(help: "Keep changes in memory; never write the source.")
  var ephemeral = false

  @Option(
    help: ArgumentHelp(
      "A saved write survives a power cut (full, the default) or the end of the process (fast).", valueName: "mode"))
  var sync: Synchronization?

  @Option(
    name: [.customShort("S"), .long],
    help: ArgumentHelp("Write snapshots to this directory. (default: .)", valueName: "dir"), completion: .directory)
  var snapshots: String?

  @Option(
    help: ArgumentHelp("Fill an empty postgres:// database from this file.", valueName: "file"), completion: .file())
  var seed: String?

  @Option(
    help: ArgumentHelp(
      "Reads of postgres:// are up to date (linearizable, the default), or may be a second old (local).",
      valueName: "mode"))
  var reads: Reads?
}

/// What the server adds to a body, and which bodies it refuses.
struct WritingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Create missing records by PUT, * for all; repeatable.", valueName: "name"))
  var upsert: [String] = []

  @Option(help: ArgumentHelp("Fill a member, as in posts.createdAt=now; repeatable.", valueName: "rule"))
  var fill: [String] = []

  @Flag(help: "Refuse bodies that contradict the data, with 422.")
  var check = false

  @Option(help: ArgumentHelp("Refuse duplicates, as in users.email; repeatable.", valueName: "member"))
  var unique: [String] = []

  @Option(
    help: ArgumentHelp("Refuse bodies that are invalid by this JSON Schema.", valueName: "file"), completion: .file())
  var schema: String?

  @Option(
    name: .customLong("openapi"),
    help: ArgumentHelp("Serve the paths of this OpenAPI document.", valueName: "file"), completion: .file())
  var openapi: String?

  @Flag(help: "Take requests that the OpenAPI document forbids.")
  var noCheck = false
}

/// How requests are read, and what responses look like.
struct ResponseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Follow json-server 0.17 (default) or 1.0.", valueName: "version"))
  var compat: Server.Configuration.Dialect?

  @Option(name: .shortAndLong, help: ArgumentHelp("A file of rewrite rules.", valueName: "file"), completion: .file())
  var routes: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Serve files of this directory; repeatable. (default: ./public)", valueName: "dir"),
    completion: .directory)
  var `static`: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Not available: the server does not run JavaScript.", valueName: "file", visibility: .hidden))
  var middlewares: [String] = []

  @Option(help: ArgumentHelp("Wrap records in an object, as in {\"data\": …}.", valueName: "name"))
  var wrap: String?

  @Option(help: ArgumentHelp("Lists with a cursor: cursor, or next=meta.next; repeatable.", valueName: "rule"))
  var pages: [String] = []

  @Option(name: .shortAndLong, help: ArgumentHelp("Delay every response, in milliseconds.", valueName: "ms"))
  var delay: Int?

  @Option(help: ArgumentHelp("The speed of bodies, both ways.", valueName: "count"))
  var bytesPerSecond: Int?

  @Option(help: ArgumentHelp("The time at the start, as 2030-01-31T09:30:00Z.", valueName: "time"))
  var now: String?

  @Flag(help: "Refuse unknown paths and parameters with 400.")
  var strict = false

  @Flag(name: [.customLong("no-gzip"), .customLong("ng")], help: "Do not compress responses.")
  var noGzip = false

  @Flag(help: "Serve /reset and /merge as json-server-reset does.")
  var resetRoutes = false
}

/// Responses that do not come from the data.
struct StubOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Serve the responses of this file (JSON or HAR).", valueName: "file"), completion: .file())
  var stubs: String?

  @Option(help: ArgumentHelp("Forward requests for unknown paths to this server.", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp("Record the responses of --proxy in this stubs file.", valueName: "file"), completion: .file())
  var record: String?
}

/// Users, and the rights to data.
struct UserOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Let the users in this collection sign in.", valueName: "collection"))
  var auth: String?

  @Option(
    help: ArgumentHelp("The paths and responses of signing in, as rows.", valueName: "file"), completion: .file())
  var signIn: SignInRows?

  @Option(
    name: .customLong("guard"),
    help: ArgumentHelp("Who may use a resource, as in posts=640; repeatable.", valueName: "rule"))
  var guards: [String] = []

  @Option(help: ArgumentHelp("How long a token is valid. (default: 3600)", valueName: "secs"))
  var tokenLifetime: Seconds?

  @Flag(help: "Give each client that names a session its own data.")
  var sessions = false

  /// Sets guards in a configuration with a sign-in.
  ///
  /// - Throws: ``CommandFailure`` for an argument that is not a guard.
  static func setGuards(_ configuration: inout Server.Configuration, _ arguments: [String]) throws(CommandFailure) {
    for argument in arguments {
      let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let rule = Guard(String(parts[1])) else {
        throw CommandFailure(
          .usage,
          "'\(argument)' is not a guard; write posts=640, with 400, 440, 444, 600, 640, 644, 660, 664 or 666.")
      }
      configuration.signIn?.guards[String(parts[0])] = rule
    }
  }
}

/// The rows of the table of sign-in: in a file of their own, or in the settings file.
enum SignInRows: ExpressibleByArgument, SettingValue {
  case file(String)
  case rows([JSONValue])

  init?(argument: String) { self = .file(argument) }

  static func value(of setting: JSONValue) -> SignInRows? {
    setting.string.map(SignInRows.file) ?? setting.array.map(SignInRows.rows)
  }
  static var expectation: String { "an array of rows, or the name of a file with one" }

  var setting: JSONValue? {
    switch self {
    case .file(let path): .string(path)
    case .rows(let rows): .array(rows)
    }
  }

  /// - Throws: ``CommandFailure`` for a file that cannot be read.
  func read() throws(CommandFailure) -> [JSONValue] {
    switch self {
    case .rows(let rows): return rows
    case .file(let path):
      guard let rows = try JSONFile.value(at: path).array else {
        throw CommandFailure(.usage, "\(path):1:1: the file must hold an array of rows, such as [].")
      }
      return rows
    }
  }
}

/// The limits of requests.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The largest body, such as 500k. (default: 10M)", valueName: "bytes"))
  var maxBody: ByteCount?

  @Option(help: ArgumentHelp("The deepest nesting of JSON. (default: 512)", valueName: "levels"))
  var maxDepth: Int?

  @Option(help: ArgumentHelp("Disconnect a client that is silent. (default: 30)", valueName: "secs"))
  var timeout: Seconds?
}

/// How the command runs, and what it prints.
struct RunningOptions: ParsableArguments {
  @Flag(help: "Open the server's page in the browser.")
  var open = false

  @Option(help: ArgumentHelp("Run a command with JSON_SERVER_URL, then stop.", valueName: "command"))
  var exec: String?

  @Option(help: ArgumentHelp("A change that 'rehearse' does not make.", valueName: "change", visibility: .hidden))
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp("Write url, port and pid to this file at the start.", valueName: "file"), completion: .file())
  var readyFile: String?

  /// Flags that a settings file cannot set.
  @Option(help: .hidden)
  var off: [String] = []

  @Option(
    name: .shortAndLong, help: ArgumentHelp("A file of options. (default: json-server.json)", valueName: "file"),
    completion: .file())
  var config: String?

  @Flag(help: "Print the options in effect as JSON, and end.")
  var printConfig = false

  @Flag(name: .shortAndLong, help: "Print only the address, warnings and errors.")
  var quiet = false

  @Option(help: ArgumentHelp("The format of the log.", valueName: "format"))
  var logFormat: LogFormat?

  @Flag(help: "Show passwords and tokens in logs, not ***.")
  var showSecrets = false

  @Flag(inversion: .prefixedNo, help: "Color the output. (default: on a terminal)")
  var color: Bool?
}

extension Server.Configuration.Dialect: ExpressibleByArgument, SettingValue {}
extension Reads: ExpressibleByArgument, SettingValue {}

/// What an acknowledged write survives.
enum Synchronization: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case full
  case fast
}

/// The format of printed events.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case text
  case json
}

/// The names of ids and of foreign keys.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The member that holds ids, or posts=NAME; repeatable.",
      valueName: "name"))
  var id: [String] = []

  @Option(
    name: [.customLong("foreignKeySuffix"), .customLong("fks")],
    help: ArgumentHelp("The end of foreign keys, as in postId. (default: Id)", valueName: "suffix"))
  var foreignKeySuffix: String?

  @Option(
    help: ArgumentHelp("A list of ids, such as tags or tagIds; repeatable.", valueName: "name"))
  var idLists: [String] = []

  /// Sets the members that hold ids; of two arguments for the same resources, the last one counts.
  ///
  /// - Throws: ``CommandFailure`` for an argument without a name.
  static func setIDs(_ configuration: inout Server.Configuration, _ arguments: [String]) throws(CommandFailure) {
    for argument in arguments {
      guard !argument.isEmpty, !argument.hasPrefix("="), !argument.hasSuffix("=") else {
        throw CommandFailure(.usage, "'\(argument)' names no member; write --id key, or --id posts=key.")
      }
      if let mark = argument.firstIndex(of: "=") {
        configuration.idNames[String(argument[..<mark])] = String(argument[argument.index(after: mark)...])
      } else {
        configuration.idName = argument
      }
    }
  }

  /// Sets the members with lists of ids, whose names may be separated by commas.
  ///
  /// - Throws: ``CommandFailure`` for an empty name.
  static func setIDLists(_ configuration: inout Server.Configuration, _ arguments: [String]) throws(CommandFailure) {
    let names = arguments.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    guard !names.contains("") else { throw CommandFailure(.usage, "a name is empty; write --id-lists tags.") }
    configuration.idLists = Set(names)
  }
}
