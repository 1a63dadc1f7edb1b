import JSONOpenAPI
import JSONServer
import JSONServerValues

extension EffectiveOptions {
  /// The server's configuration, without the source, the rewrite rules, the other server and the event handler.
  ///
  /// - Throws: ``CommandFailure`` that names the invalid option.
  func configuration() throws(CommandFailure) -> Server.Configuration {
    for option in ServeCommand.table where option.isSet(options) { try checkNeed(of: option) }
    var configuration = Server.Configuration(source: .value([:]))
    configuration.spellings = CommandFailure.spellings
    configuration.port = options.defaultPort
    for option in ServeCommand.table {
      do throws(CommandFailure) {
        try option.apply(options, &configuration)
      } catch {
        throw CommandFailure(error.status, "\(label(of: option)): \(error.message)", excerpt: error.excerpt)
      }
    }
    if options.servesDocument {
      guard configuration.openAPI == nil else {
        throw CommandFailure(.usage, "--openapi: the source is an OpenAPI document already; leave the option out.")
      }
      configuration.openAPI = options.source
    }
    // 1.0 serves a directory in addition to `./public`, 0.17 in place of it.
    if configuration.dialect == .v1 || configuration.staticDirectories.isEmpty, FileKind(of: "public") == .directory {
      configuration.staticDirectories.insert("public", at: 0)
    }
    configuration.privateFiles = options.privateFiles
    try translating { () throws(ServerError) in try configuration.check() }
    return configuration
  }

  /// Refuses an option that has no effect without another.
  private func checkNeed(of option: ServeOption) throws(CommandFailure) {
    if option.name == "reads", !SourceLocator.isDatabase(options.source) {
      throw CommandFailure(
        .usage, "\(label(of: option)): only a database of postgres://… has other writers; leave it out.")
    }
    guard let need = option.need, ServeCommand.table.first(where: { $0.name == need.option })?.isSet(options) == false
    else { return }
    throw CommandFailure(.usage, "\(label(of: option)): it needs --\(need.option), which names \(need.purpose).")
  }

  /// The rewrite rules of the file that `--routes` names, without those that cannot be used.
  ///
  /// - Parameters:
  ///   - configuration: The configuration in which the rules take effect.
  ///   - warn: Called with a sentence for each unusable rule.
  /// - Throws: ``CommandFailure`` for a file that cannot be read, and for an unusable rule that guards data.
  func routes(for configuration: Server.Configuration, warn: (String) -> Void) throws(CommandFailure) -> JSONObject {
    guard let path = options.responses.routes else { return JSONObject() }
    let label = places["routes"].map { "\($0): " } ?? ""
    let name = label + LogText.escaped(path)
    let routes: JSONObject
    do throws(CommandFailure) {
      routes = try JSONFile.object(at: path)
    } catch {
      throw CommandFailure(error.status, label + error.message, excerpt: error.excerpt)
    }
    let usable: (rules: JSONObject, faults: [String])
    do throws(ServerError) {
      usable = try configuration.usable(routes)
    } catch {
      throw CommandFailure(.usage, "\(name): \(failure(error).message)")
    }
    if usable.rules.isEmpty, !routes.isEmpty, routes.allSatisfy({ $0.1.string == nil && $0.1.int == nil }) {
      warn("\(name) has no effect, since it holds no rewrite rules, such as {\"/api/*\": \"/$1\"}.")
    } else {
      for fault in usable.faults { warn("\(name): \(failure(ServerError(.invalidConfiguration, fault)).message)") }
    }
    return usable.rules
  }

  /// What messages call an option: the option, or its place in the settings file.
  func label(of option: ServeOption) -> String { places[option.name] ?? "--\(option.name)" }

  /// The failure for a server's error, which names options where they were set.
  func failure(_ error: ServerError) -> CommandFailure {
    CommandFailure(error, CommandFailure.spellings.merging(spellings) { $1 })
  }

  /// Calls a closure, and converts a server's error.
  func translating<Result>(_ body: () throws(ServerError) -> Result) throws(CommandFailure) -> Result {
    do throws(ServerError) {
      return try body()
    } catch {
      throw failure(error)
    }
  }

  /// The places of options for the names of Swift's members; a file that was read for an option is named, too.
  private var spellings: [String: String] {
    var spellings: [String: String] = [:]
    for option in ServeCommand.table where option.isSet(options) {
      let file = option.isFile ? option.value(options)?.string.map { ": \($0)" } : nil
      for member in option.members { spellings[member] = label(of: option) + (file ?? "") }
    }
    return spellings
  }

  /// The recorder for the responses of the server that `--proxy` names; creates its file if it is missing.
  ///
  /// - Parameters:
  ///   - previous: The recorder before a restart, which keeps the same file, since it has locked it.
  ///   - onFailure: Called with a sentence when a response could not be recorded.
  func recorder(
    _ previous: StubRecorder?, onFailure: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) -> StubRecorder? {
    guard let record = options.stubbing.record else { return nil }
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
    guard let proxy = options.stubbing.proxy else { return nil }
    let curl = Curl(maximumBytes: options.limits.maxBody?.bytes ?? Limits().maximumBodyBytes)
    return try translating { () throws(ServerError) in
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

extension ServeCommand {
  /// Whether the source is an OpenAPI document, whose records are in memory.
  var servesDocument: Bool {
    guard !source.contains("://"), FileKind(of: source) == .file else { return false }
    return FileText.contents(of: source).map { Document.isDocument($0, name: source) } == true
  }

  /// The files that the options name, except the directories of static files; from the directory of snapshots, the
  /// snapshots.
  var privateFiles: [PrivateFile] {
    let named = Self.table.filter(\.isFile).compactMap { $0.value(self)?.string }
    let snapshots = PrivateFile.files(
      in: data.snapshots ?? ".", prefix: ServerRun.snapshotPrefix, suffixes: [ServerRun.snapshotSuffix])
    return ([source, running.config ?? SettingsFile.defaultPath] + named).map(PrivateFile.file) + [snapshots]
  }
}
