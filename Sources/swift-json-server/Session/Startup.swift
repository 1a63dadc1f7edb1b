import JSONServer
import OrderedJSON

/// What a server is started with.
struct Startup {
  let settings: Settings
  private(set) var configuration: Server.Configuration
  /// Whether the source is a pipe, which is empty when it was read.
  let isReadOnce: Bool
  /// What keeps the responses of the server that is asked; `nil` for nothing.
  let recorder: StubRecorder?

  /// Fetches the source and reads the rewrite rules. Blocks until that is done.
  ///
  /// - Parameter previous: What the server was started with before; it goes on recording.
  /// - Throws: ``CommandFailure`` that names the file or the option at fault.
  init(_ settings: Settings, log: LogWriter, after previous: Startup? = nil) throws(CommandFailure) {
    self.settings = settings
    let options = settings.options
    // Options are checked before a file is created or a program run.
    configuration = try options.configuration(for: .value([:]))
    let missing: SourceLocator.Missing = options.compat == .v1 ? .fails : options.ephemeral ? .isSample : .isCreated
    isReadOnce = FileKind(of: options.source) == .other
    let locator = SourceLocator(options.source, seed: options.seed, missing: missing)
    configuration.source = try locator.locate { log.log(.warning($0)) }
    recorder = try options.recorder(previous?.recorder) { log.log(.warning($0)) }
    configuration.upstream = try options.upstream(recorder)
    if let recorder, let stubs = options.stubs, FileMark(of: stubs) == FileMark(of: recorder.path) {
      // A job that is polled would never be done, when what it was at the first look were the response from then on.
      configuration.ignoresStub = { recorder.hasRecorded($0) }
    }
    if let path = options.routes { configuration.routes = try JSONFile.object(at: path) }
    configuration.onEvent = { log.log($0) }
    for warning in settings.warnings { log.log(.warning(warning)) }
    if options.watch, isInMemory {
      let remedy = isReadOnce ? "" : "; press r to read it again"
      log.log(.warning("\(shownSource) cannot be watched for edits\(remedy)."))
    }
  }

  /// The source for people: an address without its password.
  var shownSource: String {
    switch configuration.source {
    case .postgreSQL(let url, let seed): SharedSource(url: url, seed: seed).description
    case .file, .directory, .value, .text: settings.options.source
    }
  }

  /// Whether changes are not saved because the source is no file.
  var isInMemory: Bool {
    switch configuration.source {
    case .file, .directory, .postgreSQL: false
    case .value, .text: true
    }
  }

  /// Starts a server.
  ///
  /// - Parameter notice: Is told how much of the source was read.
  func start(_ notice: ReadingNotice? = nil) async throws(CommandFailure) -> Server {
    var configuration = configuration
    configuration.onRead = notice?.onRead
    do throws(ServerError) {
      return try await Server.start(configuration)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Checks that a server would start, while another one has the file and the port.
  func check() async throws(CommandFailure) {
    var trial = configuration
    switch configuration.source {
    case .file(let path): trial.source = FileText.contents(of: path).map { Source.text($0, name: path) } ?? trial.source
    // The running server has it, and reports faults in its files itself.
    case .directory:
      trial.source = .value([:])
      trial.signIn = nil
    // The tables are not what is edited: what people change there arrives by itself.
    case .postgreSQL:
      trial.source = .value([:])
      trial.signIn = nil
    case .value, .text: break
    }
    trial.onEvent = { _ in }
    do throws(ServerError) {
      try await Server.load(trial).stop()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Keeps the port that a server before this one was given.
  mutating func keepPort(_ port: Int) {
    if configuration.port == 0 { configuration.port = port }
  }
}
