extension ServeOptions {
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
    try Self.fill(&port, file.integer("port", "p"))
    try Self.fill(&host, file.strings("host", "H"))
    try Self.fill(&allowedHost, file.strings("allowed-host", "allowedHost"))
    try Self.fill(&cors, file.strings("cors"))
    try Self.fill(&noCORS, file.flag("no-cors", "noCors", "nc"))
    try Self.fill(&watch, file.flag("watch", "w"))
    try Self.fill(&poll, file.flag("poll"))
    try Self.fill(&routes, file.string("routes", "r"))
    try Self.fill(&middlewares, file.strings("middlewares", "m"))
    try Self.fill(&self.static, file.strings("static", "s"))
    try Self.fill(&snapshots, file.string("snapshots", "S"))
    try Self.fill(&readOnly, file.flag("read-only", "readOnly", "ro"))
    try Self.fill(&noGzip, file.flag("no-gzip", "noGzip", "ng"))
    try Self.fill(&delay, file.integer("delay", "d"))
    try Self.fill(&keys.id, file.strings("id", "i"))
    try Self.fill(&keys.foreignKeySuffix, file.string("foreignKeySuffix", "foreign-key-suffix", "fks"))
    try Self.fill(&compat, file.choice("compat", Compatibility.self))
    try Self.fill(&resetRoutes, file.flag("reset-routes", "resetRoutes"))
    try Self.fill(&sync, file.choice("sync", Synchronization.self))
    try Self.fill(&ephemeral, file.flag("ephemeral"))
    try Self.fill(&maxBody, Self.bytes(file.string("max-body", "maxBody")))
    try Self.fill(&maxDepth, file.integer("max-depth", "maxDepth"))
    try Self.fill(&timeout, file.number("timeout"))
    try Self.fill(&exec, file.string("exec"))
    try Self.fill(&readyFile, file.string("ready-file", "readyFile"))
    try Self.fill(&open, file.flag("open"))
    try Self.fill(&quiet, file.flag("quiet", "q"))
    try Self.fill(&logFormat, file.choice("log-format", LogFormat.self))
  }

  private static func fill<Value>(_ option: inout Value?, _ setting: Value?) {
    option = option ?? setting
  }

  private static func fill(_ option: inout [String], _ setting: [String]) {
    if option.isEmpty { option = setting }
  }

  private static func fill(_ option: inout Bool, _ setting: Bool) {
    option = option || setting
  }

  private static func bytes(_ text: String?) throws(CommandFailure) -> ByteCount? {
    guard let text else { return nil }
    guard let count = ByteCount(argument: text) else {
      throw CommandFailure(.usage, "max-body: '\(text)' is no number of bytes; write it as 500k or 10M.")
    }
    return count
  }
}
