import ArgumentParser
import Dispatch
import JSONDatabase
import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers

/// Runs a client's tests against what its backend may become.
struct RehearseCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract: "Run a client's tests against changes that its backend may make without telling it.",
    usage: "swift-json-server rehearse [options] <source> --exec <command>",
    discussion: """
      Runs the command first without a change, which it has to survive, and then once for each change of what it has asked \
      for: a member is added, a text has a value not seen before, a list is empty. Each run has JSON_SERVER_URL and a copy \
      of the data in memory: swift-json-server rehearse database.json --exec 'swift test --filter StoreTests'

      A change is named by its kind (null), its place (posts, posts.tags), or both (posts.tags:null). \
      --ignore leaves changes out; repeatable, and "ignore" in json-server.json. The options of serving hold here, too.

      Exit codes:
      \(exitCodes)
      """)

  private static let exitCodes = ExitStatus.table(
    "the command survives every change",
    [
      (.differs, "it does not survive a change"),
      (.usage, "an option makes no sense, or the command fails without a change"),
      (.invalidSource, "the source is no JSON, or cannot be served"), (.missingSource, "the source does not exist"),
      (.unreadable, "the source cannot be read"),
    ])

  @OptionGroup(visibility: .hidden) var options: ServeOptions

  @Option(help: ArgumentHelp("Make this change alone; repeatable.", valueName: "change"))
  var only: [String] = []

  @Option(help: ArgumentHelp("The most changes that are made.", valueName: "count"))
  var limit: Int?

  @Option(help: ArgumentHelp("How many runs go on at a time.", valueName: "count"))
  var jobs = 1

  @Option(help: "How the outcome is printed: text, json, or github for annotations in a workflow.")
  var format = ReportFormat.text

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit: it is a number of changes, at least 1.") }
    guard jobs > 0 else { throw ValidationError("--jobs: it is a number of runs, at least 1.") }
  }

  func perform() async throws(CommandFailure) -> Int32 {
    var given = options
    given.source = try SourceLocator.confirmed(options.source)
    given.data.ephemeral = true
    let settings = try Settings(given)
    guard let command = settings.options.running.exec else {
      throw CommandFailure(.usage, "--exec: name the command that tests the client, such as --exec 'swift test'.")
    }
    let rehearsal = try await rehearsal(settings)
    let start = ContinuousClock.now
    let (plain, exchanges) = try await run(command, rehearsal.unchanged)
    let duration = .now - start
    guard plain.status == 0 else {
      FileText.send(Array(plain.output.utf8), to: LogStream.error.rawValue)
      throw CommandFailure(
        .usage, "--exec: the command ends with \(plain.status) without any change; it has to succeed first.")
    }
    let selection = Rehearsal.Selection(only: only, ignored: settings.options.running.ignore, limit: limit)
    let changes = try CommandFailure.translating { () throws(ServerError) in
      try rehearsal.changes(for: exchanges, selection)
    }
    let progress = RehearsalProgress(count: changes.count, duration / Double(min(jobs, max(changes.count, 1))))
    defer { progress.end() }
    let outcomes = try await outcomes(of: changes, rehearsal, command, plain, progress)
    progress.end()
    FileText.send(Array(report(outcomes, settings.options.source).utf8), to: LogStream.output.rawValue)
    return outcomes.contains { $0.verdict == .failed } ? ExitStatus.differs.rawValue : 0
  }

  /// Reads the source into memory.
  private func rehearsal(_ settings: Settings) async throws(CommandFailure) -> Rehearsal {
    let source = settings.options.source
    if source != "-", !source.contains("://"), FileKind(of: source) == .missing {
      throw CommandFailure(.missingSource, "\(source): there is no such file; check the name.")
    }
    var configuration = try Startup(settings, log: LogWriter(settings.options)).configuration
    // Another server may have the file.
    if case .file(let path) = configuration.source, let text = FileText.contents(of: path) {
      configuration.source = .text(text, name: path)
    }
    configuration.onEvent = { _ in }
    do throws(ServerError) {
      let server = try await Server.load(configuration)
      let rehearsal = await Rehearsal(of: server)
      await server.stop()
      return rehearsal
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Runs the command while a copy of the server runs.
  private func run(
    _ command: String, _ configuration: Server.Configuration
  ) async throws(CommandFailure) -> (CommandRun, [Exchange]) {
    let server: Server
    do throws(ServerError) {
      server = try await Server.start(configuration)
    } catch {
      throw CommandFailure(error)
    }
    let run = await CommandRun.of(command, at: server.url)
    let exchanges = await server.journal
    let unexpected = await server.unexpectedRequests.map { $0.refusal ?? "" }
    await server.stop(grace: .zero)
    guard let run else { throw CommandFailure(.usage, "--exec: there is no shell at /bin/sh to run the command.") }
    guard !unexpected.isEmpty else { return (run, exchanges) }
    // As serving with --strict ends.
    return (
      CommandRun(output: run.output + unexpected.map { "error: \($0)\n" }.joined(), status: max(run.status, 1)),
      exchanges
    )
  }

  /// Makes the changes, some at a time, and judges the command's runs.
  private func outcomes(
    of changes: [Rehearsal.Change], _ rehearsal: Rehearsal, _ command: String, _ plain: CommandRun,
    _ progress: RehearsalProgress
  ) async throws(CommandFailure) -> [RehearsedChange] {
    let result = await withTaskGroup(of: (Int, Result<RehearsedChange, CommandFailure>).self) { group in
      var (next, outcomes): (Int, [Int: RehearsedChange]) = (0, [:])
      func startNext() {
        guard next < changes.count else { return }
        let (index, change) = (next, changes[next])
        next += 1
        group.addTask {
          do throws(CommandFailure) {
            let (run, _) = try await run(command, rehearsal.configuration(for: change))
            let failures = run.status == 0 ? [] : run.failures(beside: plain)
            return (index, .success(change.outcome(failures, isCrash: run.status > 128)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      for _ in 0..<jobs { startNext() }
      while let (index, result) = await group.next() {
        switch result {
        case .success(let outcome): outcomes[index] = outcome
        case .failure(let failure): return Result<[RehearsedChange], CommandFailure>.failure(failure)
        }
        progress.advance()
        startNext()
      }
      return .success(changes.indices.compactMap { outcomes[$0] })
    }
    return try result.get()
  }

  // MARK: The report

  private func report(_ outcomes: [RehearsedChange], _ source: String) -> String {
    let failed = outcomes.filter { $0.verdict == .failed }
    switch format {
    case .text:
      let asserting = outcomes.filter { $0.verdict == .assertsOldValue }
      let count = outcomes.count == 1 ? "1 change" : "\(outcomes.count) changes"
      let lines = failed.map { outcome in
        "  ✗ \(outcome.description): \(outcome.sentence)\n      fails\(outcome.request.map { " after \($0)" } ?? ""): "
          + (outcome.failures.first ?? "").split(separator: "\n").prefix(3).joined(separator: "\n        ")
      }
      let others = asserting.map {
        "  ~ \($0.description): \($0.verdict.rawValue), which says nothing about the client"
      }
      let all =
        [
          "\(count) that your backend may make without telling you. The tests survive \(outcomes.count - failed.count - asserting.count)."
        ]
        + lines + others
      return all.flatMap { $0.split(separator: "\n") }.map { LogText.escaped(String($0)) + "\n" }.joined()
    case .json:
      let objects = outcomes.map { outcome in
        JSONValue.object([
          "change": .string(outcome.name), "place": .string(outcome.place), "description": .string(outcome.description),
          "sentence": .string(outcome.sentence), "source": .string(outcome.source),
          "verdict": .string(outcome.verdict.rawValue), "request": outcome.request.map { .string($0) } ?? .null,
          "failures": .array(outcome.failures.map { .string($0) }),
        ])
      }
      return JSONValue.array(objects).text() + "\n"
    case .github:
      let findings = failed.map { outcome in
        Finding(
          .error, "\(outcome.description) (\(outcome.sentence)) is not survived: \(outcome.failures.first ?? "")",
          at: 0,
          in: [])
      }
      return format.report(findings, in: source, nil)
    }
  }
}

/// What a command has printed, and how it ended.
struct CommandRun: Sendable {
  let output: String
  let status: Int32

  /// Runs a command to its end, with its output kept back; `nil` where there is no shell.
  static func of(_ command: String, at url: String) async -> CommandRun? {
    await withCheckedContinuation { continuation in
      // It waits on a queue of its own, as Swift's tasks share their threads.
      DispatchQueue(label: "rehearsal").async {
        let result = ChildProcess.output(
          of: ["/bin/sh", "-c", command], variables: ["JSON_SERVER_URL": url], withErrors: true)
        continuation.resume(
          returning: result.map { CommandRun(output: String(decoding: $0.bytes, as: UTF8.self), status: $0.status) })
      }
    }
  }

  /// The most characters of a failure that are kept.
  private static let maximumLength = 2_000

  /// What the output says of failures that the output of another run does not.
  ///
  /// A failure begins with a line that says so, as test tools print one, and goes on to the next.
  func failures(beside other: CommandRun) -> [String] {
    // Times and addresses differ from run to run.
    let known = Set(Self.lines(of: other.output).map { $0.replacing(/[0-9]+/, with: "0") })
    let new = Self.lines(of: output).filter { !known.contains($0.replacing(/[0-9]+/, with: "0")) }
    var failures: [String] = []
    for line in new where !line.contains(/failed after|Test run with|Executed \d+ test/) {
      let begins = line.contains(/recorded an issue|[Ee]rror\b|Exception|[Ff]atal|panic|FAIL|[Aa]ssert|✘|✗/)
      if begins {
        failures.append(line)
      } else if let last = failures.last {
        failures[failures.count - 1] = String((last + "\n" + line).prefix(Self.maximumLength))
      }
    }
    if !failures.isEmpty { return failures }
    return [
      new.isEmpty ? "The command ends with \(status)." : String(new.joined(separator: "\n").suffix(Self.maximumLength))
    ]
  }

  /// The lines without colors, and without the mark that a tool begins them with.
  private static func lines(of text: String) -> [String] {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(whereSeparator: \.isNewline).map { line in
      String(line.drop { "✘✗× ".contains($0) })
    }
  }
}

/// Says how many changes were made and how long the others will take: on a terminal, in one line that replaces itself.
private final class RehearsalProgress: Sendable {
  private let count: Int
  private let line = TerminalLine(isReplaced: true)
  private let start = ContinuousClock.now
  private let done = NIOLockedValueBox(0)

  /// - Parameter each: How long a change takes, as far as is known before the first.
  init(count: Int, _ each: Duration) {
    self.count = count
    show(0, each * count)
  }

  func advance() {
    let done = done.withLockedValue { done in
      done += 1
      return done
    }
    show(done, (.now - start) / done * (count - done))
  }

  private func show(_ done: Int, _ rest: Duration) {
    guard Terminal.isError else { return }
    line.show("  \(done) of \(count) changes made, about \(LogText.seconds(rest)) left …")
  }

  func end() { line.end() }
}
