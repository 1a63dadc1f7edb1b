import JSONServer
import OrderedJSON

/// One run of the server, from its start to the signal, the key or the command that ends it.
struct Session {
  /// What happens beside requests.
  enum Event: Sendable {
    case signal(Int32)
    case key(UInt8)
    case childEnded(status: Int32)
    /// A second has gone by.
    case tick
  }

  private let settings: Settings
  private let log: LogWriter

  init(_ settings: Settings) {
    self.settings = settings
    let options = settings.options
    let style = LogStyle(isColored: options.color ?? Terminal.isOutput)
    log = LogWriter(Self.formatter(options, style), style: style)
  }

  private static func formatter(_ options: ServeOptions, _ style: LogStyle) -> any EventFormatter {
    switch options.logFormat ?? .text {
    case .text: TextFormatter(style: style, isQuiet: options.quiet)
    case .json: JSONLinesFormatter(isQuiet: options.quiet)
    }
  }

  /// Serves until it is asked to stop.
  ///
  /// - Returns: The exit code.
  func run() async throws(CommandFailure) -> Int32 {
    defer { log.flush() }
    let (events, inbox) = AsyncStream<Event>.makeStream()
    let signals = Signals { inbox.yield(.signal($0)) }
    defer { withExtendedLifetime(signals) {} }
    let server = try await start()
    await announce(server)
    for await event in events {
      switch event {
      case .signal: return await stop(server)
      case .key, .childEnded, .tick: break
      }
    }
    return 0
  }

  private func start() async throws(CommandFailure) -> Server {
    let options = settings.options
    let source = try SourceLocator(options.source).locate { log.print($0) }
    var configuration = try options.configuration(for: source)
    if let path = options.routes { configuration.routes = try JSONFile.object(at: path) }
    configuration.onEvent = { [log] in log.log($0) }
    for warning in settings.warnings { log.log(.warning(warning)) }
    do throws(ServerError) {
      return try await Server.start(configuration)
    } catch {
      throw CommandFailure(error)
    }
  }

  private func announce(_ server: Server) async {
    let banner = Banner(
      settings.options, resources: await server.resources, url: server.url, addresses: server.addresses)
    switch settings.options.logFormat ?? .text {
    case .text: log.print(settings.options.quiet ? banner.address : banner.text(log.style))
    case .json: log.print(banner.json)
    }
  }

  private func stop(_ server: Server) async -> Int32 {
    await server.stop()
    return 0
  }
}
