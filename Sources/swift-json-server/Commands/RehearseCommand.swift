import ArgumentParser
import JSONDatabase
import JSONServer
import JSONServerRehearsal
import JSONServerValues
import NIOConcurrencyHelpers

/// Runs a client's tests against changes that its backend may make.
struct RehearseCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract: "Run a client's tests against changes that its backend may make.",
    usage: "swift-json-server rehearse [options] <source> --exec <command>",
    discussion: """
      Runs the command first without a change, and then once for each change of data that the command asks for: a new \
      member, a new value, an empty list. The first run must succeed. Each run has JSON_SERVER_URL and a copy of the data \
      in memory: swift-json-server rehearse database.json --exec 'swift test --filter StoreTests'

      A change has the name of its kind (null), its place (posts, posts.tags), or both (posts.tags:null). --ignore leaves \
      out changes; it is repeatable, and "ignore" in json-server.json. The options of serving are valid here, too.
      """,
    success: "the command survives every change",
    exitCodes: [
      (.differs, "it does not survive a change"),
      (.usage, "an option is invalid, or the command fails without a change"),
      (.invalidSource, "the source is not JSON, or cannot be served"), (.missingSource, "the source does not exist"),
      (.unreadable, "the source cannot be read"),
    ])

  @OptionGroup(visibility: .hidden) var options: ServeCommand

  @Option(help: ArgumentHelp("Make only this change; repeatable.", valueName: "change"))
  var only: [String] = []

  @Option(help: ArgumentHelp("The maximum number of changes.", valueName: "count"))
  var limit: Int?

  @Option(help: ArgumentHelp("The number of runs at a time.", valueName: "count"))
  var jobs = 1

  @Flag(help: "Rehearse a bad network: lose, repeat, cut, delay and refuse each request in turn.")
  var network = false

  @Option(
    help: ArgumentHelp("With --network, rehearse only this condition; repeatable.", valueName: "condition"))
  var condition: [NetworkCondition] = []

  @Option(help: "The format of the report: text, json, or github for annotations in a workflow.")
  var format = ReportFormat.text

  func validate() throws {
    guard network || condition.isEmpty else { throw ValidationError("--condition is for --network.") }
    guard jobs > 0, limit ?? 1 > 0 else { throw ValidationError("--jobs and --limit are numbers of at least 1.") }
  }

  func perform() async throws -> Int32 {
    let signals = Signals()
    defer { withExtendedLifetime(signals) {} }
    var given = options
    given.source = try SourceLocator.confirmed(options.source)
    given.data.ephemeral = true
    let effective = try EffectiveOptions(given)
    guard let command = effective.options.running.exec else {
      throw CommandFailure(.usage, "--exec: name the command that tests the client, such as --exec 'swift test'.")
    }
    if network { return try await rehearseNetwork(command, effective) }
    let start = ContinuousClock.now
    let rehearsal = try await Self.withServer(effective) { await Rehearsal(of: $0) }
    let (plain, exchanges) = try await Self.run(command, rehearsal.unchanged)
    guard plain.status == 0 else {
      FileText.send(Array(plain.output.utf8), to: LogStream.error.rawValue)
      throw CommandFailure(
        .usage, "--exec: the command ends with \(plain.status) without any change; correct that first.")
    }
    let changes = try rehearsal.changes(
      for: exchanges, only: only, ignored: effective.options.running.ignore, limit: limit)
    let outcomes = try await outcomes(of: changes, since: start) { change in
      let (run, _) = try await Self.run(command, rehearsal.configuration(for: change))
      return change.outcome(run.status == 0 ? [] : run.failures(beside: plain), isCrash: run.status > 128)
    }
    try FileText.print(report(outcomes, effective.options.shownSource), terminator: "")
    return outcomes.contains { $0.verdict == .failed } ? ExitStatus.differs.rawValue : 0
  }

  /// Reads the source into memory, and has a server of it copied.
  static func withServer<Copy>(
    _ effective: EffectiveOptions, _ copy: (Server) async -> Copy
  ) async throws -> Copy {
    let source = effective.options.source
    if source != "-", !source.contains("://"), FileKind(of: source) == .missing {
      throw CommandFailure(.missingSource, "\(source): there is no such file; check the name.")
    }
    var configuration = try await Startup(effective, log: LogWriter(effective.options)).configuration
    // Another server may have the file.
    if case .file(let path) = configuration.source, let text = FileText.contents(of: path) {
      configuration.source = .text(text, name: path)
    }
    configuration.onEvent = { _ in }
    let server = try await Server.load(configuration)
    let copied = await copy(server)
    await server.stop()
    return copied
  }

  /// Runs the command while a copy of the server runs.
  private static func run(
    _ command: String, _ configuration: Server.Configuration
  ) async throws -> (CommandRun, [Exchange]) {
    let server = try await Server.start(configuration)
    let run = await CommandRun(command, at: server.url, server)
    let exchanges = await server.journal
    await server.stop(grace: .zero)
    return (run, exchanges)
  }

  /// Makes the changes, some at a time, and shows on a terminal how many are left.
  func outcomes<Change: Sendable, Outcome: Sendable>(
    of changes: [Change], since start: ContinuousClock.Instant,
    _ make: @escaping @Sendable (Change) async throws -> Outcome
  ) async throws -> [Outcome] {
    let done = NIOLockedValueBox(0)
    let line =
      Terminal.isError
      ? ProgressLine {
        let done = done.withLockedValue { $0 }
        let rest = (.now - start) / (done + 1) * (changes.count - done)
        return "  \(done) of \(changes.count) changes made, about \(LogText.seconds(rest)) left …"
      } : nil
    defer { line?.end() }
    return try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var outcomes: [Int: Outcome] = [:]
      for (index, change) in changes.enumerated() {
        if index >= jobs, let (index, outcome) = try await group.next() { outcomes[index] = outcome }
        done.withLockedValue { [count = outcomes.count] in $0 = count }
        group.addTask { (index, try await make(change)) }
      }
      for try await (index, outcome) in group { outcomes[index] = outcome }
      return changes.indices.compactMap { outcomes[$0] }
    }
  }

  private func report(_ outcomes: [RehearsedChange], _ source: String) -> String {
    let failed = outcomes.filter { $0.verdict == .failed }
    switch format {
    case .json: return ((try? JSONValue.encoding(outcomes)) ?? []).text() + "\n"
    case .github:
      let findings = failed.map { Finding(.error, "\($0) (\($0.sentence)): \($0.failures[0])", at: 0, in: []) }
      return format.report(findings, in: source, nil)
    case .text:
      let survived = outcomes.count { $0.verdict == .survived }
      var lines = [
        "\(outcomes.count) changes that your backend may make without telling you. The tests survive \(survived)."
      ]
      for outcome in failed {
        lines.append("  ✗ \(outcome): \(outcome.sentence)")
        lines.append("      fails\(outcome.request.map { " after \($0)" } ?? ""): \(outcome.failures[0])")
      }
      lines += outcomes.filter { $0.verdict == .assertsOldValue }.map { "  ~ \($0): a test asserts the old value" }
      return lines.map { LogText.escaped($0.replacing("\n", with: " ")) + "\n" }.joined()
    }
  }
}

/// The output and the exit status of a command.
struct CommandRun: Sendable {
  let output: String
  let status: Int32

  /// Runs a command to its end, and collects its output. The run fails on unexpected requests, as `--strict` does.
  ///
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - limit: The time after which the command and its children are killed; `nil` for no limit.
  init(
    _ command: String, at url: String, _ server: Server, variables: [String: String] = [:],
    within limit: Duration? = nil
  ) async {
    let shell = Program(
      arguments: ["/bin/sh", "-c", command], variables: variables.merging(["JSON_SERVER_URL": url]) { $1 },
      errors: .output, leadsGroup: limit != nil)
    let run = await withTaskGroup(of: Program.Output?.self) { group in
      let ended = NIOLockedValueBox(false)
      group.addTask {
        let output = await shell.run()
        ended.withLockedValue { $0 = true }
        return output
      }
      if let limit {
        group.addTask {
          try? await Task.sleep(for: limit)
          return nil
        }
      }
      var output = await group.next() ?? nil
      group.cancelAll()
      if !ended.withLockedValue({ $0 }) { output = await group.next() ?? nil }
      return output
    }
    let bytes = run?.bytes ?? Array("error: There is no shell at /bin/sh.".utf8)
    let status = run?.status ?? 127
    let refusals = await server.unexpectedRequests.map { "\nerror: \($0.refusal ?? "")" }
    output = String(decoding: bytes, as: UTF8.self) + refusals.joined()
    self.status = status == 0 && !refusals.isEmpty ? 1 : status
  }

  /// The failures in the output that the output of another run does not have.
  ///
  /// A failure begins with a line that test tools print for a failure, and ends before the next such line.
  func failures(beside other: CommandRun) -> [String] {
    // Times and addresses differ from run to run.
    let known = Set(Self.lines(of: other.output).map { $0.replacing(/[0-9]+/, with: "0") })
    let new = Self.lines(of: output).filter { !known.contains($0.replacing(/[0-9]+/, with: "0")) }
    var failures: [String] = []
    for line in new where !line.contains(/failed after|Test run with|Executed \d+ test/) {
      if line.contains(/recorded an issue|[Ee]rror\b|Exception|[Ff]atal|panic|FAIL|Assertion/) {
        failures.append(line)
      } else if let last = failures.popLast() {
        failures.append(last + "\n" + line)
      }
    }
    return failures.isEmpty ? [(new + ["The command ends with \(status)."]).joined(separator: "\n")] : failures
  }

  /// The lines without colors, and without the marks of test tools at their start.
  private static func lines(of text: String) -> [String] {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(whereSeparator: \.isNewline).map { line in
      String(line.drop { "✘✗×".contains($0) })
    }
  }
}
