import JSONServer
import OrderedJSON

/// One run of the command, from the server's start to the signal, the key or the program that ends it.
struct Session {
  /// What happens beside requests.
  private enum Event: Sendable {
    case signal(Int32)
    case key(Key)
    case childEnded(status: Int32)
    /// A second has gone by.
    case tick
  }

  private let log: LogWriter
  private var startup: Startup
  private var server: Server
  private var child: ChildProcess?
  private var watched: WatchedFiles

  /// Starts the server, serves until it is asked to stop, and stops it.
  ///
  /// - Returns: The exit code.
  static func run(_ settings: Settings) async throws(CommandFailure) -> Int32 {
    let log = LogWriter(settings.options)
    defer { log.flush() }
    let (events, inbox) = AsyncStream<Event>.makeStream()
    CommandProcess.raiseOpenFileLimit()
    let keyboard =
      takesKeys(settings.options) ? Keyboard { if let key = Key(rawValue: $0) { inbox.yield(.key(key)) } } : nil
    let terminal = keyboard?.settings
    let signals = Signals(onFirst: { inbox.yield(.signal($0)) }, onSecond: { terminal?.restore() })
    defer { withExtendedLifetime((keyboard, signals)) {} }
    if settings.options.source != "-" { CommandProcess.onEndOfInput { inbox.yield(.signal($0)) } }

    let (startup, server) = try await start(settings, log)
    var session = Session(log: log, startup: startup, server: server)
    let status = await session.serve(events, inbox, hasKeys: keyboard != nil)
    await session.server.stop()
    return status
  }

  /// Whether the server is controlled with keys, whose output is text: not when it runs for a program, nor when a program
  /// reads its output.
  static func takesKeys(_ options: ServeOptions) -> Bool {
    options.exec == nil && options.source != "-" && (options.logFormat ?? .text) == .text
  }

  private static func start(
    _ settings: Settings, _ log: LogWriter
  ) async throws(CommandFailure) -> (Startup, Server) {
    let notice = ReadingNotice(settings.options)
    defer { notice?.end() }
    let startup = try Startup(settings, log: log)
    return (startup, try await startup.start())
  }

  private init(log: LogWriter, startup: Startup, server: Server) {
    self.log = log
    self.startup = startup
    self.server = server
    watched = WatchedFiles(startup.settings.watchedPaths)
  }

  private mutating func serve(
    _ events: AsyncStream<Event>, _ inbox: AsyncStream<Event>.Continuation, hasKeys: Bool
  ) async -> Int32 {
    await announce(hasKeys: hasKeys)
    defer { removeReadyFile() }
    if let command = startup.settings.options.exec {
      child = ChildProcess.start(["/bin/sh", "-c", command], variables: ["JSON_SERVER_URL": server.url])
      guard child != nil else {
        log.printError("--exec: there is no shell at /bin/sh to run the command.")
        return 127
      }
      child?.onEnd { inbox.yield(.childEnded(status: $0)) }
    }
    if startup.settings.options.open { Browser.open(server.url) }
    let ticker = startup.settings.options.watch ? Ticker { inbox.yield(.tick) } : nil
    defer { withExtendedLifetime(ticker) {} }
    for await event in events {
      if let status = await handle(event) { return status }
    }
    return 0
  }

  /// - Returns: The exit code, when the event ends the session.
  private mutating func handle(_ event: Event) async -> Int32? {
    switch event {
    case .signal(let number):
      // A program that is run decides the exit code.
      child?.send(number)
      return child == nil ? 0 : nil
    case .childEnded(let status): return status
    case .key(.help): log.print(Key.help(log.style))
    case .key(.urls): log.print(await banner.urls(log.style))
    case .key(.snapshot): await writeSnapshot()
    case .key(.clear): log.print(Terminal.clearing)
    case .key(.quit): return 0
    case .key(.reload): return await restart()
    case .tick:
      let edited = watched.edited()
      if edited.contains(startup.settings.path) { return await restart() }
      if let path = startup.settings.options.routes, edited.contains(path) { await reloadRoutes(path) }
      if !edited.isDisjoint(with: startup.settings.certificatePaths) { reloadCertificate() }
    }
    return nil
  }

  // MARK: Reloading

  /// Reads the source, the settings and the rules again, and restarts the server; when one of them is invalid, reports
  /// that and goes on as before.
  ///
  /// - Returns: The exit code, when no server can be started any more.
  private mutating func restart() async -> Int32? {
    do throws(CommandFailure) {
      var next = try Startup(try Settings(startup.settings.given), log: log)
      next.keepPort(server.port)
      startup.keepPort(server.port)
      try await next.check()
      await server.stop()
      do throws(CommandFailure) {
        server = try await next.start()
        startup = next
      } catch {
        log.log(.invalid(message: error.text))
        server = try await startup.start()
      }
      watched = WatchedFiles(startup.settings.watchedPaths)
      await announce(hasKeys: false)
    } catch {
      log.log(.invalid(message: error.text))
      return server.port == 0 ? error.status.rawValue : nil
    }
    return nil
  }

  private func reloadRoutes(_ path: String) async {
    do throws(CommandFailure) {
      let rules = try JSONFile.object(at: path)
      do throws(ServerError) {
        try await server.setRoutes(rules)
      } catch {
        throw CommandFailure(error)
      }
      log.log(.reloaded(resources: ["\(rules.count) rewrite rules of \(path)"]))
    } catch {
      log.log(.invalid(message: "\(error.text)\nThe rules before stay in force."))
    }
  }

  private func reloadCertificate() {
    do throws(ServerError) {
      try server.reloadCertificate()
      log.log(.reloaded(resources: ["the certificate of \(startup.settings.options.cert ?? "")"]))
    } catch {
      log.log(.invalid(message: "\(error.message)\nThe certificate before stays in use."))
    }
  }

  // MARK: Messages

  private var banner: Banner {
    get async { Banner(startup, resources: await server.resources, server: server) }
  }

  private func announce(hasKeys: Bool) async {
    let options = startup.settings.options
    let banner = await banner
    switch options.logFormat ?? .text {
    case .text: log.print(options.quiet ? server.url : banner.text(log.style, hasKeys: hasKeys))
    case .json: log.print(banner.json)
    }
    guard let path = options.readyFile else { return }
    if !FileText.replace(path, Array(banner.readyFile.utf8)) {
      log.log(.warning("\(path): the ready file cannot be written; check its directory."))
    }
  }

  private func removeReadyFile() {
    if let path = startup.settings.options.readyFile { FileText.remove(path) }
  }

  private func writeSnapshot() async {
    let name = "db-\(Timestamp.now.milliseconds).json"
    let path = startup.settings.options.snapshots.map { "\($0)/\(name)" } ?? name
    do throws(ServerError) {
      try await server.writeSnapshot(to: path)
      log.print("  Saved snapshot to \(path)\n")
    } catch {
      log.log(.invalid(message: error.message))
    }
  }
}
