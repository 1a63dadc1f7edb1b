import OrderedJSON

extension ServeOptions {
  /// All options that a settings file may set, in the order in which `--print-config` shows them.
  ///
  /// A new option is declared in ``ServeOptions``, has a row here, and takes effect in ``configuration(for:)`` or the
  /// session.
  static let table: [ServeOption] = [
    ServeOption("port", "p", at: \.port) { $0.defaultPort },
    ServeOption("host", "H", at: \.host, default: ["127.0.0.1", "::1"]),
    ServeOption("allowed-host", at: \.allowedHost),
    ServeOption("cert", at: \.cert) { _ in nil },
    ServeOption("key", at: \.key) { _ in nil },
    ServeOption("cors", at: \.cors),
    ServeOption("no-cors", "nc", at: \.noCORS),
    ServeOption("watch", "w", at: \.watch),
    ServeOption("poll", at: \.poll),
    ServeOption("routes", "r", at: \.routes),
    ServeOption("stubs", at: \.stubs),
    ServeOption("proxy", at: \.proxy),
    ServeOption("record", at: \.record),
    ServeOption("middlewares", "m", at: \.middlewares, default: nil),
    ServeOption("static", "s", at: \.static),
    ServeOption("snapshots", "S", at: \.snapshots) { _ in "." },
    ServeOption("read-only", "ro", at: \.readOnly),
    ServeOption("strict", at: \.strict),
    ServeOption("wrap", at: \.wrap),
    ServeOption("no-gzip", "ng", at: \.noGzip),
    ServeOption("delay", "d", at: \.delay) { _ in 0 },
    ServeOption("id", "i", at: \.keys.id, default: ["id"]),
    ServeOption("foreignKeySuffix", "fks", at: \.keys.foreignKeySuffix) { _ in "Id" },
    ServeOption("compat", at: \.compat) { _ in .v0 },
    ServeOption("reset-routes", at: \.resetRoutes),
    ServeOption("auth", at: \.auth),
    ServeOption("guard", at: \.guards),
    ServeOption("token-lifetime", at: \.tokenLifetime) { $0.auth == nil ? nil : 3600 },
    ServeOption("sessions", at: \.sessions),
    ServeOption("sync", at: \.sync) { _ in .full },
    ServeOption("ephemeral", at: \.ephemeral),
    ServeOption("seed", at: \.seed) { _ in nil },
    ServeOption("reads", at: \.reads) { SourceLocator.isDatabase($0.source) ? .linearizable : nil },
    ServeOption("max-body", at: \.maxBody),
    ServeOption("max-depth", at: \.maxDepth),
    ServeOption("timeout", at: \.timeout),
    ServeOption("exec", at: \.exec),
    ServeOption("ready-file", at: \.readyFile),
    ServeOption("open", at: \.open),
    ServeOption("quiet", "q", at: \.quiet),
    ServeOption("log-format", at: \.logFormat) { _ in .text },
    ServeOption("show-secrets", at: \.showSecrets),
  ]

  /// Takes from the environment what no option set.
  mutating func fill(from environment: [String: String]) throws(CommandFailure) {
    if port == nil, let text = environment["PORT"], !text.isEmpty {
      guard let number = Int(text) else {
        throw CommandFailure(.usage, "PORT: '\(text)' is no port; set a number, or 0.")
      }
      port = number
    }
    if host.isEmpty, let name = environment["HOST"], !name.isEmpty { host = [name] }
    // https://no-color.org: any text counts, none does not.
    if color == nil, let text = environment["NO_COLOR"], !text.isEmpty { color = false }
  }

  /// Takes from a settings file what neither an option nor the environment set.
  mutating func fill(from file: inout SettingsFile) throws(CommandFailure) {
    for option in Self.table { try option.fill(&self, &file) }
  }

  /// The options in effect, in the form of a settings file.
  var json: JSONValue {
    var object = JSONObject()
    for option in Self.table { object[option.name] = option.value(self) }
    return .object(object)
  }

  /// The port when none is chosen: a command that is run gets a free one.
  var defaultPort: Int { exec == nil ? 3000 : 0 }
}
