import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers

/// One run of the command, from the start of the server to the signal, key or program that ends it.
struct ServerRun {
  /// Events other than requests.
  private enum Event: Sendable {
    case signal(Int32)
    case key(Key)
    case childEnded(status: Int32)
    /// A second has passed.
    case tick
  }

  private let log: LogWriter
  private var startup: Startup
  private var server: Server
  private var child: ChildProcess?
  private var watched: WatchedFiles
  private var readyFile: ReadyFile?

  /// Starts the server, serves until it is asked to stop, and stops it.
  ///
  /// - Returns: The exit code.
  static func run(_ effective: EffectiveOptions) async throws -> Int32 {
    let log = LogWriter(effective.options)
    defer { log.flush() }
    let (events, inbox) = AsyncStream<Event>.makeStream()
    CommandProcess.raiseOpenFileLimit()
    let keyboard =
      takesKeys(effective.options) ? Keyboard { if let key = Key(rawValue: $0) { inbox.yield(.key(key)) } } : nil
    // json-server 0.17 also accepts `s` and a line break from any input.
    let pipe =
      takesKeys(effective.options) && !CommandProcess.endsWithInput
      ? InputReader(onLine: { if $0.lowercased() == "s" { inbox.yield(.key(.snapshot)) } }) : nil
    let isRunning = NIOLockedValueBox(false)
    let signals = Signals(
      onFirst: { number in
        inbox.yield(.signal(number))
        return isRunning.withLockedValue { $0 }
      }, onEnd: { [weak keyboard] in keyboard?.restore() })
    defer { withExtendedLifetime((keyboard, pipe, signals)) {} }
    if effective.options.source != "-" { CommandProcess.onEndOfInput { inbox.yield(.signal($0)) } }

    let (startup, server) = try await start(effective, log)
    isRunning.withLockedValue { $0 = true }
    var run = ServerRun(log: log, startup: startup, server: server)
    do {
      try await run.announce(hasKeys: keyboard != nil)
    } catch {
      await server.stop()
      throw error
    }
    let status = await run.serve(events, inbox)
    await run.server.stop()
    guard let failure = await run.startup.recorder?.finish() else { return status }
    log.printError(failure)
    return status == 0 ? ExitStatus.cannotCreate.rawValue : status
  }

  /// Whether keys control the server, which print text: not when the server runs a program, and not when a program
  /// reads its output.
  static func takesKeys(_ options: ServeCommand) -> Bool {
    options.running.exec == nil && options.source != "-" && (options.running.logFormat ?? .text) == .text
  }

  private static func start(_ effective: EffectiveOptions, _ log: LogWriter) async throws -> (Startup, Server) {
    let notice = ReadingNotice(effective.options)
    defer { notice?.end() }
    let began = ContinuousClock.now
    let startup = try await Startup(effective, log: log)
    try ReadyFile(effective)?.removeOld()
    let server = try await startup.start(notice)
    // Otherwise, the next line of the log would stand behind the notice.
    notice?.end()
    let duration = .now - began
    if duration > .milliseconds(500) {
      log.log(.working("read \(effective.options.shownSource) in \(LogText.seconds(duration))"))
    }
    return (startup, server)
  }

  private init(log: LogWriter, startup: Startup, server: Server) {
    self.log = log
    self.startup = startup
    self.server = server
    watched = startup.watched
    readyFile = ReadyFile(startup.effective)
  }

  private mutating func serve(
    _ events: AsyncStream<Event>, _ inbox: AsyncStream<Event>.Continuation
  ) async -> Int32 {
    defer { readyFile?.remove() }
    if let command = startup.effective.options.running.exec {
      // The address must come before the program's output.
      log.flush()
      child = ChildProcess.start(["/bin/sh", "-c", command], variables: ["JSON_SERVER_URL": server.url])
      guard child != nil else {
        log.printError("--exec: there is no shell at /bin/sh to run the command.")
        return 127
      }
      child?.onEnd { inbox.yield(.childEnded(status: $0)) }
    }
    if startup.effective.options.running.open { Browser.open(server.url) }
    let ticker = startup.effective.options.data.watch ? Ticker { inbox.yield(.tick) } : nil
    defer { withExtendedLifetime(ticker) {} }
    for await event in events {
      if let status = await handle(event) { return status }
    }
    return 0
  }

  /// - Returns: The exit code, when the event ends the run.
  private mutating func handle(_ event: Event) async -> Int32? {
    switch event {
    case .signal(let number):
      // The exit code is the one of the program.
      child?.send(number)
      return child == nil ? 0 : nil
    case .childEnded(let status): return await hadUnexpectedRequests() && status == 0 ? 1 : status
    case .key(.help): log.print(Key.help(log.style))
    case .key(.urls): log.print(await banner.urls(log.style))
    case .key(.snapshot): await writeSnapshot()
    case .key(.clear): log.print(Terminal.clearing)
    case .key(.quit): return 0
    case .key(.reload): return await restart()
    case .tick:
      let edited = watched.edited()
      if edited.contains(.settings) { return await restart() }
      if edited.contains(.routes) { await reloadRoutes() }
      if edited.contains(.certificate) { reloadCertificate() }
      if edited.contains(.stubs) { await reloadStubs() }
    }
    return nil
  }

  // MARK: Reloading

  /// Reads the source, the settings and the rules again, and restarts the server. When one of them is invalid, reports
  /// that and continues as before.
  ///
  /// - Returns: The exit code, when no server can be started any more.
  private mutating func restart() async -> Int32? {
    guard !startup.isReadOnce else {
      log.log(
        .warning("\(startup.effective.options.shownSource) is a pipe, which cannot be read again; restart the server."))
      return nil
    }
    do {
      let began = ContinuousClock.now
      let notice = ReadingNotice(startup.effective.options)
      defer { notice?.end() }
      var next = try await Startup(try EffectiveOptions(startup.effective.given), log: log, after: startup)
      next.keepPort(server.port)
      await next.keepData(of: server)
      startup.keepPort(server.port)
      try ReadyFile(next.effective)?.check()
      try await next.check(onOtherPortThan: startup)
      await server.stop()
      do throws(CommandFailure) {
        server = try await next.start(notice)
        let recorder = startup.recorder
        if next.effective.options.running.readyFile != startup.effective.options.running.readyFile {
          readyFile?.remove()
          readyFile = ReadyFile(next.effective)
        }
        startup = next
        watched = next.watched
        // Responses that the old file could not take would be lost with its recorder.
        if recorder !== next.recorder, let failure = await recorder?.finish() { log.log(.warning(failure)) }
      } catch {
        log.log(.invalid(message: error.text))
        server = try await startup.start()
        return nil
      }
      notice?.end()
      log.log(.reloaded(resources: [await summary(after: .now - began)]))
      try await announce(hasKeys: false)
    } catch {
      let failure = CommandFailure(error)
      log.log(.invalid(message: failure.text))
      return server.port == 0 ? failure.status.rawValue : nil
    }
    return nil
  }

  /// The size of the source: `database.json: 3 resources, 1,234 records, in 0.1 s`.
  private func summary(after duration: Duration) async -> String {
    let resources = await server.resources
    let records = resources.reduce(0) { $0 + ($1.count ?? 0) }
    let counts = [(resources.count, "resource"), (records, "record")].map { count, name in
      "\(LogText.grouped(count)) \(name)\(count == 1 ? "" : "s")"
    }
    let source = startup.effective.options.shownSource
    return "\(source): \(counts.joined(separator: ", ")), in \(LogText.seconds(duration))"
  }

  private func reloadRoutes() async {
    guard let path = startup.effective.options.responses.routes else { return }
    do {
      let rules = try startup.effective.routes(for: startup.configuration) { log.log(.warning($0)) }
      try await server.setRoutes(rules)
      log.log(.reloaded(resources: ["\(rules.count) rewrite rules of \(path)"]))
    } catch {
      log.log(.invalid(message: "\(CommandFailure(error).text)\nThe old rules stay in use."))
    }
  }

  private mutating func reloadStubs() async {
    guard let path = startup.effective.options.stubbing.stubs else { return }
    for path in startup.configuration.bodyFilePaths { watched.add(path, .stubs) }
    do throws(ServerError) {
      let count = try await server.reloadStubs()
      log.log(.reloaded(resources: ["\(count) \(count == 1 ? "stub" : "stubs") of \(path)"]))
    } catch {
      log.log(.invalid(message: "\(error)\nThe old stubs stay in use."))
    }
  }

  private func reloadCertificate() {
    do throws(ServerError) {
      try server.reloadCertificate()
      log.log(.reloaded(resources: ["the certificate of \(startup.effective.options.address.cert ?? "")"]))
    } catch {
      log.log(.invalid(message: "\(error.message)\nThe old certificate stays in use."))
    }
  }

  // MARK: Messages

  private var banner: Banner {
    get async { Banner(startup: startup, resources: await server.resources, server: server) }
  }

  /// Prints the address of the server, and writes the ready file.
  ///
  /// - Throws: ``CommandFailure`` when the ready file cannot be written: a program that waits for it would wait
  ///   forever.
  private mutating func announce(hasKeys: Bool) async throws(CommandFailure) {
    let options = startup.effective.options
    let banner = await banner
    try readyFile?.write(server)
    switch options.running.logFormat ?? .text {
    case .text: log.print(options.running.quiet ? server.url : banner.text(log.style, hasKeys: hasKeys))
    case .json: log.print(banner.json)
    }
  }

  /// Lists the requests that the strict server refused.
  ///
  /// - Returns: Whether there were any.
  private func hadUnexpectedRequests() async -> Bool {
    let unexpected = await server.allUnexpectedRequests
    guard !unexpected.isEmpty else { return false }
    let lines = unexpected.map { exchange in
      let request = LogText.escaped("\(exchange.request.method) \(exchange.shownTarget)")
      return "  \(request)\n    \(LogText.escaped(exchange.refusal ?? ""))"
    }
    log.printError("--strict: requests came that were not expected:\n" + lines.joined(separator: "\n"))
    return true
  }

  /// The beginning and the end of snapshots' names, as in json-server.
  static let (snapshotPrefix, snapshotSuffix) = ("db-", ".json")

  private func writeSnapshot() async {
    let name = "\(Self.snapshotPrefix)\(Timestamp.now.milliseconds)\(Self.snapshotSuffix)"
    let path = startup.effective.options.data.snapshots.map { "\($0)/\(name)" } ?? name
    do throws(ServerError) {
      try await server.writeSnapshot(to: path)
      log.print("  Saved snapshot to \(path)\n")
    } catch {
      log.log(.invalid(message: error.message))
    }
  }
}

/// The keys that control the running server.
private enum Key: UInt8, CaseIterable {
  case help = 0x68
  case reload = 0x72
  case urls = 0x75
  case snapshot = 0x73
  case clear = 0x63
  case quit = 0x71

  private var meaning: String {
    switch self {
    case .help: "show this help"
    case .reload: "read the source, the rules and the settings again"
    case .urls: "show the URLs"
    case .snapshot: "save a snapshot of the data"
    case .clear: "clear the screen"
    case .quit: "quit"
    }
  }

  /// The keys and their effects.
  static func help(_ style: LogStyle) -> String {
    let lines = allCases.map { key in
      "  press \(style(.bold, String(Unicode.Scalar(key.rawValue)))) to \(key.meaning)"
    }
    return "\n" + lines.joined(separator: "\n") + "\n"
  }
}
