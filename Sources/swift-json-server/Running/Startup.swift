import Dispatch
import JSONDatabase
import JSONOpenAPI
import JSONServer
import JSONServerResources
import JSONServerValues

/// The options and the configuration with which a server starts.
struct Startup {
  let effective: EffectiveOptions
  private(set) var configuration: Server.Configuration
  /// Whether the source is a pipe, which can be read only once.
  let isReadOnce: Bool
  /// The recorder of the other server's responses; `nil` for none.
  let recorder: StubRecorder?
  /// The files that are watched in addition to the source, as they were before they were read.
  let watched: WatchedFiles

  /// Reads a source that is not a file, and the rewrite rules.
  ///
  /// - Parameter previous: The startup before a restart, whose recorder continues.
  /// - Throws: ``CommandFailure`` that names the invalid file or option.
  init(_ effective: EffectiveOptions, log: LogWriter, after previous: Startup? = nil) async throws(CommandFailure) {
    self.effective = effective
    let options = effective.options
    // Options are checked before a file is created or a program is run.
    configuration = try effective.configuration()
    configuration.routes = try effective.routes(for: configuration) { log.log(.warning($0)) }
    let missing: SourceLocator.Missing =
      options.responses.compat == .v1 ? .fails : options.data.ephemeral ? .isSample : .isCreated
    isReadOnce = options.source == "-" || FileKind(of: options.source) == .other
    let locator = SourceLocator(argument: options.source, seed: options.data.seed, missing: missing)
    let servesDocument = configuration.openAPI == options.source
    if !servesDocument {
      configuration.source = try await locator.locate { message in
        log.log(.warning(message))
        // What a program prints comes after its name.
        log.flush()
      }
    }
    recorder = try effective.recorder(previous?.recorder) { log.log(.warning($0)) }
    configuration.upstream = try effective.upstream(recorder)
    if let recorder, let stubs = options.stubbing.stubs, FileMark(of: stubs) == FileMark(of: recorder.path) {
      // A polled job would never be done if a stub of this run replayed its first response.
      configuration.ignoresStub = { recorder.hasRecorded($0) }
    }
    var watched = effective.watched
    watched.add(configuration.schemaFile, .settings)
    let unread = configuration
    configuration = try effective.translating { () throws(ServerError) in try unread.readingContract() }
    for path in configuration.contract?.document.fileNames ?? [] { watched.add(path, .settings) }
    for path in configuration.bodyFilePaths { watched.add(path, .stubs) }
    self.watched = watched
    configuration.onEvent = { log.log($0) }
    for warning in effective.warnings { log.log(.warning(warning)) }
    if options.data.watch, isInMemory, !servesDocument {
      let remedy = isReadOnce ? "" : "; press r to read it again"
      log.log(.warning("\(options.shownSource) cannot be watched for edits\(remedy)."))
    }
  }

  /// Whether changes stay in memory, since the source is not a file.
  var isInMemory: Bool {
    switch configuration.source {
    case .file, .directory, .postgreSQL: false
    case .value, .text: true
    }
  }

  /// Starts a server.
  ///
  /// - Parameter notice: Shows how much of the source has been read.
  func start(_ notice: ReadingNotice? = nil) async throws(CommandFailure) -> Server {
    var configuration = configuration
    configuration.onRead = notice?.onRead
    do throws(ServerError) {
      return try await Server.start(configuration)
    } catch {
      throw effective.failure(error)
    }
  }

  /// Checks that a server would start, while the server before has the file and perhaps the port.
  func check(onOtherPortThan previous: Startup) async throws(CommandFailure) {
    var trial = configuration
    switch configuration.source {
    case .file(let path): trial.source = FileText.contents(of: path).map { Source.text($0, name: path) } ?? trial.source
    // The running server has locked the directory, and reports errors in its files itself. Users edit rows, not tables;
    // the running server takes over such changes itself.
    case .directory, .postgreSQL:
      trial.source = .value([:])
      trial.signIn = nil
    case .value, .text: break
    }
    trial.onEvent = { _ in }
    let isPortKnown = configuration.port == previous.configuration.port
    do throws(ServerError) {
      try await (isPortKnown ? Server.load(trial) : Server.start(trial)).stop()
    } catch {
      throw effective.failure(error)
    }
  }

  /// Keeps the records of the server before, when the source is an OpenAPI document that was edited.
  mutating func keepData(of server: Server) async {
    guard case .value = configuration.source, let contract = configuration.contract else { return }
    let data = await server.database
    for (_, message) in contract.problems(of: data) {
      configuration.onEvent(.warning("\(message) The OpenAPI document forbids this record, which stays."))
    }
    configuration.source = .value(data.value)
    configuration.toleratesData = true
  }

  /// Keeps the port that the system chose for the server before.
  mutating func keepPort(_ port: Int) {
    if configuration.port == 0 { configuration.port = port }
  }
}

/// Small files that are checked for edits from time to time.
struct WatchedFiles {
  /// What is read again after an edit.
  enum Part {
    /// All: the server starts again.
    case settings
    case routes
    case stubs
    case certificate
  }

  private var files: [(path: String, part: Part, mark: FileMark)] = []

  /// Adds a file in its current form, unless it is there already.
  mutating func add(_ path: String?, _ part: Part) {
    guard let path, !files.contains(where: { $0.path == path && $0.part == part }) else { return }
    files.append((path, part, FileMark(of: path)))
  }

  /// Returns the parts whose files were edited since the last check.
  mutating func edited() -> Set<Part> {
    var edited: Set<Part> = []
    for index in files.indices {
      let mark = FileMark(of: files[index].path)
      guard mark != files[index].mark else { continue }
      files[index].mark = mark
      edited.insert(files[index].part)
    }
    return edited
  }
}

/// Calls a closure repeatedly, on a queue of its own, until the ticker is released.
final class Ticker {
  private let source: any DispatchSourceTimer

  init(every interval: DispatchTimeInterval = .seconds(1), _ onTick: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ticker"))
    source.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
    source.setEventHandler(handler: onTick)
    source.resume()
  }

  deinit {
    source.cancel()
  }
}
