import JSONServer
import JSONServerValues

extension ServeCommand {
  /// The server's configuration, without the source, the rewrite rules, the other server and the event handler.
  ///
  /// - Throws: ``CommandFailure`` that names the invalid option.
  func serverConfiguration() throws(CommandFailure) -> Server.Configuration {
    try refuseNonsense()
    var configuration = Server.Configuration(source: .value([:]))
    configuration.spellings = CommandFailure.spellings
    configuration.hosts = address.host
    configuration.port = address.port ?? defaultPort
    configuration.tlsIdentity = tlsIdentity
    configuration.reads = data.reads ?? configuration.reads
    configuration.durability = data.ephemeral ? .ephemeral : data.sync == .fast ? .fast : .full
    configuration.watching = data.watch ? .on : .off
    configuration.dialect = responses.compat ?? configuration.dialect
    try keys.apply(to: &configuration)
    configuration.fills = try CommandFailure.translating("--fill: ") { () throws(ServerError) in
      try writing.fill.map { rule throws(ServerError) in try Fill(rule) }
    }
    configuration.checksBodies = writing.check
    configuration.uniqueMembers = writing.unique
    try CommandFailure.translating("--unique: ") { () throws(ServerError) in _ = try configuration.checks() }
    if let schema = writing.schema {
      configuration.jsonSchema = .object(try JSONFile.object(at: schema))
      try CommandFailure.translating("\(schema): ") { () throws(ServerError) in _ = try configuration.checks() }
    }
    configuration.signIn = try signIn
    configuration.hasSessions = users.sessions
    configuration.isReadOnly = data.readOnly
    configuration.wrapName = responses.wrap
    configuration.delay = .milliseconds(responses.delay ?? 0)
    configuration.crossOrigin = crossOrigin
    configuration.allowedHosts = address.allowedHost
    configuration.compresses = !responses.noGzip
    // 1.0 serves a directory in addition to `./public`, 0.17 in place of it.
    let hasUsual = (responses.compat == .v1 || responses.static.isEmpty) && FileKind(of: "public") == .directory
    configuration.staticDirectories = (hasUsual ? ["public"] : []) + responses.static
    configuration.privateFiles = privateFiles
    configuration.stubsFile = stubbing.stubs
    configuration.isStrict = responses.strict
    configuration.showsSecrets = running.showSecrets
    configuration.hasResetRoutes = responses.resetRoutes
    configuration.maximumDepth = limits.maxDepth ?? configuration.maximumDepth
    configuration.limits.maximumBodyBytes = limits.maxBody?.bytes ?? configuration.limits.maximumBodyBytes
    if let timeout = limits.timeout {
      configuration.limits.headTimeout = .seconds(timeout)
      configuration.limits.bodyTimeout = .seconds(timeout)
      configuration.limits.idleTimeout = .seconds(timeout)
    }
    return configuration
  }

  /// The files that the options name, except the directories of static files; from the directory of snapshots, the
  /// snapshots.
  var privateFiles: [PrivateFile] {
    let paths = [
      source, address.cert, address.key, responses.routes, stubbing.stubs, writing.schema, stubbing.record, data.seed,
      running.config ?? SettingsFile.defaultPath, running.readyFile,
    ]
    let snapshots = PrivateFile.files(
      in: data.snapshots ?? ".", prefix: Session.snapshotPrefix, suffixes: [Session.snapshotSuffix])
    return paths.compactMap { $0.map(PrivateFile.file) } + [snapshots]
  }

  private var tlsIdentity: TLSIdentity? {
    guard let cert = address.cert, let key = address.key else { return nil }
    return TLSIdentity(certificatePath: cert, keyPath: key)
  }

  private var crossOrigin: CrossOrigin {
    if address.noCORS { return .none }
    if address.cors.isEmpty { return .loopback }
    return address.cors.contains("*") ? .any : .origins(address.cors)
  }

  private var signIn: Server.SignIn? {
    get throws(CommandFailure) {
      guard let auth = users.auth else {
        guard users.guards.isEmpty, users.tokenLifetime == nil else {
          let option = users.guards.isEmpty ? "--token-lifetime" : "--guard"
          throw CommandFailure(.usage, "\(option): it needs --auth, which names the collection of the users.")
        }
        return nil
      }
      var signIn = Server.SignIn(users: auth)
      for argument in users.guards {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let rule = Guard(String(parts[1])) else {
          throw CommandFailure(
            .usage,
            "--guard: '\(argument)' is not a guard; write posts=640, with 400, 440, 444, 600, 640, 644, 660, 664 or 666."
          )
        }
        signIn.guards[String(parts[0])] = rule
      }
      if let tokenLifetime = users.tokenLifetime {
        guard tokenLifetime > 0, tokenLifetime <= Double(Server.SignIn.longestLifetime) else {
          throw CommandFailure(
            .usage,
            "--token-lifetime: \(tokenLifetime) is not a valid time; give seconds, up to \(Server.SignIn.longestLifetime)."
          )
        }
        signIn.tokenLifetime = .seconds(tokenLifetime)
      }
      return signIn
    }
  }

  /// Refuses options that contradict each other.
  private func refuseNonsense() throws(CommandFailure) {
    if !responses.middlewares.isEmpty {
      throw CommandFailure(
        .usage,
        "--middlewares: JavaScript cannot be run here; use rewrite rules (--routes) and stubs (--stubs), or Middleware of the JSONServer library."
      )
    }
    if data.reads != nil, !SourceLocator.isDatabase(source) {
      throw CommandFailure(.usage, "--reads: only a database of postgres://… has other writers; leave it out.")
    }
    if let port = address.port, !(0...65535).contains(port) {
      throw CommandFailure(.usage, "--port: \(port) is not a port; choose one from 1 to 65535, or 0 for a free one.")
    }
    if address.cert != nil, address.key == nil {
      throw CommandFailure(.usage, "--cert: the certificate is of no use without its private key; give --key, too.")
    }
    if address.key != nil, address.cert == nil {
      throw CommandFailure(.usage, "--key: the private key is of no use without its certificate; give --cert, too.")
    }
    try CommandFailure.translating { () throws(ServerError) in try tlsIdentity?.check() }
    if let delay = responses.delay, delay < 0 {
      throw CommandFailure(.usage, "--delay: \(delay) is not a valid time; give milliseconds from 0 up.")
    }
    if let timeout = limits.timeout, !(timeout > 0 && timeout <= 86_400) {
      throw CommandFailure(.usage, "--timeout: \(timeout) is not a valid time; give seconds, up to 86400.")
    }
    if let maxDepth = limits.maxDepth, !(4...1_000).contains(maxDepth) {
      throw CommandFailure(.usage, "--max-depth: \(maxDepth) is out of range; choose from 4 to 1000.")
    }
    if stubbing.proxy == nil, stubbing.record != nil {
      throw CommandFailure(.usage, "--record: it needs --proxy, which names the server whose responses are recorded.")
    }
    try CommandFailure.translating("--proxy: ") { () throws(ServerError) in
      if let proxy = stubbing.proxy { _ = try UpstreamAddress(proxy) }
    }
    if let wrap = responses.wrap, wrap.isEmpty || wrap == "total" {
      throw CommandFailure(.usage, "--wrap: '\(wrap)' cannot hold the records; choose another name, such as data.")
    }
    if address.noCORS, !address.cors.isEmpty {
      throw CommandFailure(.usage, "--no-cors: it contradicts --cors; give one of the two.")
    }
    try CommandFailure.translating("--cors: ") { () throws(ServerError) in try crossOrigin.check() }
    for path in responses.static where FileKind(of: path) != .directory {
      throw CommandFailure(.usage, "--static: '\(path)' is not a directory.")
    }
    if let snapshots = data.snapshots, FileKind(of: snapshots) != .directory {
      throw CommandFailure(.usage, "--snapshots: '\(snapshots)' is not a directory.")
    }
  }

  /// The recorder for the responses of the server that `--proxy` names; creates its file if it is missing.
  ///
  /// - Parameters:
  ///   - previous: The recorder before a restart, which keeps the same file, since it has locked it.
  ///   - onFailure: Called with a sentence when a response could not be recorded.
  func recorder(
    _ previous: StubRecorder?, onFailure: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) -> StubRecorder? {
    guard stubbing.proxy != nil, let record = stubbing.record else { return nil }
    if let previous, previous.path == record { return previous }
    if FileKind(of: record) == .missing {
      do throws(CommandFailure) {
        try FileText.save(Array("[]\n".utf8), to: record, isNew: true)
      } catch {
        throw CommandFailure(.cannotCreate, "--record: \(error.message)")
      }
    }
    return try CommandFailure.translating("--record: ") { () throws(ServerError) in
      try StubRecorder(record, onFailure: onFailure)
    }
  }

  /// The server that `--proxy` names; `nil` for none.
  func upstream(_ recorder: StubRecorder?) throws(CommandFailure) -> Upstream? {
    guard let proxy = stubbing.proxy else { return nil }
    let curl = Curl(maximumBytes: limits.maxBody?.bytes ?? Limits().maximumBodyBytes)
    return try CommandFailure.translating { () throws(ServerError) in
      let upstream = try UpstreamAddress(proxy)
      return try Upstream(proxy) { request, address in
        guard let recorder else { return try await curl.send(request, to: address) }
        let whole = request.unconditional
        let response = try await curl.send(whole, to: address)
        await recorder.record(whole, response, from: upstream)
        return response
      }
    }
  }
}
