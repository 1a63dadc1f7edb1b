import ArgumentParser

/// The options of serving, each as it was given, or nothing.
struct ServeOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "What to serve: a .json or .json5 file, a directory of such files, postgres://…, http(s)://…, a .js file, an executable, or - for standard input.",
      valueName: "source"),
    completion: .file())
  var source: String

  // MARK: Where

  @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 takes a free one. (default: 3000)", valueName: "number"))
  var port: Int?

  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp("An address to listen on; repeatable. (default: 127.0.0.1 and ::1)", valueName: "address"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp("A further name by which the server may be addressed; repeatable.", valueName: "name"))
  var allowedHost: [String] = []

  @Option(
    help: ArgumentHelp("Serve HTTPS with the certificate of this PEM file, which --key belongs to.", valueName: "file"),
    completion: .file())
  var cert: String?

  @Option(
    help: ArgumentHelp("The PEM file with the private key of --cert, unencrypted.", valueName: "file"),
    completion: .file())
  var key: String?

  @Option(
    help: ArgumentHelp(
      "An origin whose pages may read and write, also https://*.example.com, or '*'; repeatable. (default: loopback)",
      valueName: "origin"))
  var cors: [String] = []

  @Flag(name: [.customLong("no-cors"), .customLong("nc")], help: "Send no CORS headers.")
  var noCORS = false

  // MARK: What

  @Flag(
    name: .shortAndLong,
    help: "Reload the source, the routes, the stubs, the settings and the certificate when they are edited.")
  var watch = false

  @Flag(help: "Look for edits at short intervals, for network mounts that do not report them.")
  var poll = false

  @Option(name: .shortAndLong, help: ArgumentHelp("A file of rewrite rules.", valueName: "file"), completion: .file())
  var routes: String?

  @Option(
    help: ArgumentHelp("A file of stubs: responses that requests get whatever the data holds.", valueName: "file"),
    completion: .file())
  var stubs: String?

  @Option(
    help: ArgumentHelp(
      "Another server, such as https://api.example.com, which is asked for what nothing here responds to.",
      valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp("Keep what --proxy's server responds as stubs in this file, for --stubs.", valueName: "file"),
    completion: .file())
  var record: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Not available: JavaScript is not run.", valueName: "file"))
  var middlewares: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "A directory whose files are served first; repeatable. (default: ./public)", valueName: "directory"),
    completion: .directory)
  var `static`: [String] = []

  @Option(
    name: [.customShort("S"), .long],
    help: ArgumentHelp("Where snapshots are written. (default: .)", valueName: "directory"),
    completion: .directory)
  var snapshots: String?

  @Flag(name: [.customLong("read-only"), .customLong("ro")], help: "Refuse every change.")
  var readOnly = false

  @Flag(help: "Refuse requests that nothing responds to, and parameters that nothing understands, with 400.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Hold records and lists under a name in every response, as {\"data\": …}, lists with their total.",
      valueName: "name"))
  var wrap: String?

  @Flag(name: [.customLong("no-gzip"), .customLong("ng")], help: "Do not compress responses.")
  var noGzip = false

  @Option(name: .shortAndLong, help: ArgumentHelp("How long every response waits, in milliseconds.", valueName: "ms"))
  var delay: Int?

  @OptionGroup var keys: KeyOptions

  @Option(
    help: ArgumentHelp(
      "Fill a member of new records: with now, uuid, increment or a value; with ! at the end, on every change (posts.updatedAt=now!); repeatable.",
      valueName: "resource.member=value"))
  var fill: [String] = []

  @Flag(
    help:
      "Refuse bodies with 422 that contradict the other records: a missing member, another kind, a reference to nothing."
  )
  var check = false

  @Option(
    help: ArgumentHelp(
      "A member with another value in each record (users.email), else 422; repeatable.", valueName: "resource.member"))
  var unique: [String] = []

  @Option(
    help: ArgumentHelp(
      "A JSON Schema of the data by which bodies are refused with 422. (default: with --check, the data's $schema)",
      valueName: "file"),
    completion: .file())
  var schema: String?

  @Option(
    help: ArgumentHelp(
      "Which json-server to follow where 0.17 and 1.0 differ: v0 or v1. (default: v0)", valueName: "version"))
  var compat: Compatibility?

  @Flag(help: "Serve POST /reset and POST /merge as json-server-reset does.")
  var resetRoutes = false

  // MARK: Signing in

  @Option(
    help: ArgumentHelp(
      "Have clients sign in: a collection of users with email and password.", valueName: "collection"))
  var auth: String?

  @Option(
    name: .customLong("guard"),
    help: ArgumentHelp(
      "Who may use a resource, in json-server-auth's digits (posts=640); repeatable. (default: 660, of the users 600)",
      valueName: "resource=digits"))
  var guards: [String] = []

  @Option(help: ArgumentHelp("How long an access token is valid. (default: 3600)", valueName: "seconds"))
  var tokenLifetime: Double?

  // MARK: Sessions

  @Flag(help: "Give each client that names a session its own copy of the data, in memory.")
  var sessions = false

  // MARK: Keeping

  @Option(
    help: ArgumentHelp(
      "When a write is acknowledged: full, when it survives a power cut; fast, when it survives the process. (default: full)",
      valueName: "mode"))
  var sync: Synchronization?

  @Flag(help: "Keep all changes in memory; the source is never written.")
  var ephemeral = false

  // MARK: Sharing

  @Option(
    help: ArgumentHelp("A file of JSON that an empty database of postgres://… is filled with.", valueName: "file"),
    completion: .file())
  var seed: String?

  @Option(
    help: ArgumentHelp(
      "What reads show of a shared database: linearizable, every write that any server acknowledged before; local, this server's version, which may be a second old. (default: linearizable)",
      valueName: "mode"))
  var reads: ReadMode?

  // MARK: Limits

  @Option(help: ArgumentHelp("The most bytes of a body, such as 500k or 10M. (default: 10M)", valueName: "bytes"))
  var maxBody: ByteCount?

  @Option(help: ArgumentHelp("The deepest nesting of JSON. (default: 512)", valueName: "levels"))
  var maxDepth: Int?

  @Option(
    help: ArgumentHelp(
      "How long a slow or idle client is waited for, in seconds. (default: 10 for a head, else 30)",
      valueName: "seconds"))
  var timeout: Double?

  // MARK: Running

  @Option(
    name: .shortAndLong, help: ArgumentHelp("A file of settings. (default: json-server.json)", valueName: "file"),
    completion: .file())
  var config: String?

  @Flag(help: "Print the settings in effect as JSON, and end.")
  var printConfig = false

  @Option(
    help: ArgumentHelp(
      "Run a command with JSON_SERVER_URL set, stop when it ends, and exit as it did.", valueName: "command"))
  var exec: String?

  @Option(
    help: ArgumentHelp(
      "Write {\"url\", \"port\", \"pid\"} here once the server listens; removed at the end.", valueName: "file"),
    completion: .file())
  var readyFile: String?

  @Flag(help: "Open the home page in the browser.")
  var open = false

  // MARK: Output

  @Flag(name: .shortAndLong, help: "Print only errors and the address.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "How events are printed: text, or json for one object a line. (default: text)", valueName: "format"))
  var logFormat: LogFormat?

  @Flag(help: "Show passwords, tokens and cookies in the request log and at /__admin/requests, instead of ***.")
  var showSecrets = false

  @Flag(inversion: .prefixedNo, help: "Colour the output. (default: on a terminal, unless NO_COLOR is set)")
  var color: Bool?
}

/// Which json-server is followed.
enum Compatibility: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case v0
  case v1
}

/// When a write is acknowledged.
enum Synchronization: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case full
  case fast
}

/// What reads show of a database that several servers share.
enum ReadMode: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case linearizable
  case local
}

/// How events are printed.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, SettingValue {
  case text
  case json
}

/// What the ids of records and the references to them are called.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The member that holds a record's id, for all resources or for one (posts=post_id); repeatable. (default: id)",
      valueName: "name"))
  var id: [String] = []

  @Option(
    name: [.customLong("foreignKeySuffix"), .customLong("fks")],
    help: ArgumentHelp("What a foreign key ends with, as in postId. (default: Id)", valueName: "suffix"))
  var foreignKeySuffix: String?

  @Option(
    help: ArgumentHelp(
      "A member with a list of ids that is named after their collection (tags), or whose list loses the ids of deleted records (tagIds); repeatable.",
      valueName: "name"))
  var idLists: [String] = []

  /// The names that ``idLists`` has, which commas may separate.
  var idListNames: Set<String> {
    get throws(CommandFailure) {
      let names = idLists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      guard !names.contains("") else {
        throw CommandFailure(.usage, "--id-lists: a name is empty; write --id-lists tags.")
      }
      return Set(names)
    }
  }
}

/// What `--id` names: the member that holds a record's id, for all resources or for one.
struct IDNames: Hashable {
  /// The member in all resources that ``names`` leaves out; `nil` when none is named.
  private(set) var common: String?
  /// The members in some resources.
  private(set) var names: [String: String] = [:]

  /// Reads arguments such as `key` and `posts=key`; of several for the same resources the last counts.
  ///
  /// - Throws: ``CommandFailure`` when one names no member.
  init(_ arguments: [String]) throws(CommandFailure) {
    for argument in arguments {
      guard !argument.isEmpty, !argument.hasPrefix("="), !argument.hasSuffix("=") else {
        throw CommandFailure(.usage, "--id: '\(argument)' names no member; write --id key, or --id posts=key.")
      }
      if let mark = argument.firstIndex(of: "=") {
        names[String(argument[..<mark])] = String(argument[argument.index(after: mark)...])
      } else {
        common = argument
      }
    }
  }
}
