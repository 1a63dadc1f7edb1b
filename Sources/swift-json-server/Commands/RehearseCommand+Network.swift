public import ArgumentParser
import JSONDatabase
import JSONServer
public import JSONServerRehearsal
import JSONServerValues

extension NetworkCondition: ExpressibleByArgument {}

extension RehearseCommand {
  /// Runs the command twice undisturbed, and then once for each request and condition.
  func rehearseNetwork(_ command: String, _ effective: EffectiveOptions) async throws -> Int32 {
    let rehearsal = try await Self.withServer(effective) { await NetworkRehearsal(of: $0) }
    let start = ContinuousClock.now
    let (first, exchanges) = try await undisturbedRun(command, rehearsal)
    let (taken, middle) = (ContinuousClock.now - start, ContinuousClock.now)
    let (second, _) = try await undisturbedRun(command, rehearsal)
    let plan = try rehearsal.plan(for: exchanges, only: only, conditions: condition)
    let disturbances = Array(plan.disturbances.prefix(limit ?? .max))
    // Runs at the same time share the processors.
    let limit = taken * jobs + NetworkRehearsal.patience
    let runs = try await outcomes(of: disturbances, since: middle) { disturbance in
      let (run, _) = try await Self.run(command, rehearsal.configuration(with: disturbance), disturbance, within: limit)
      return (disturbance, run)
    }
    let report = rehearsal.report(plan, undisturbed: [first, second], runs)
    try FileText.print(text(of: report, effective.options.shownSource), terminator: "")
    return report.findings.isEmpty ? 0 : ExitStatus.differs.rawValue
  }

  private func undisturbedRun(
    _ command: String, _ rehearsal: NetworkRehearsal
  ) async throws -> (NetworkRehearsal.Run, [Exchange]) {
    let (run, exchanges) = try await Self.run(command, rehearsal.undisturbed, nil, within: nil)
    if let failure = run.failures.first {
      throw CommandFailure(.usage, "--exec: undisturbed, \(failure); correct that first.")
    }
    return (run, exchanges)
  }

  /// Runs the command while a copy of the server runs, and once more when it fails because of a disturbance.
  private static func run(
    _ command: String, _ configuration: Server.Configuration, _ disturbance: Disturbance?, within limit: Duration?
  ) async throws -> (NetworkRehearsal.Run, [Exchange]) {
    guard let folder = TemporaryFolder() else {
      throw CommandFailure(.usage, "No directory for temporary files can be made; set TMPDIR to one that is writable.")
    }
    defer { folder.remove() }
    let server = try await Server.start(configuration)
    var failures: [String] = []
    for _ in 0..<(disturbance == nil ? 1 : 2) {
      let run = await CommandRun(
        command, at: server.url, server, variables: ["JSON_SERVER_REHEARSAL_DIRECTORY": folder.path], within: limit)
      guard run.status != 0 else { break }
      if disturbance == nil { FileText.send(Array(run.output.utf8), to: LogStream.error.rawValue) }
      let isKilled = run.status == ChildProcess.killed && limit != nil
      failures.append(isKilled ? "the command did not end in time" : "the command ended with \(run.status)")
      disturbance?.end()
    }
    let run = await NetworkRehearsal.Run(failures: failures, on: server)
    let exchanges = await server.journal
    await server.stop(grace: .zero)
    return (run, exchanges)
  }

  private func text(of report: NetworkReport, _ source: String) -> String {
    switch format {
    case .json: ((try? JSONValue.encoding(report)) ?? [:]).text() + "\n"
    case .github:
      format.report(report.findings.map { Finding(.error, "\($0)", at: 0, in: []) }, in: source, nil)
    case .text:
      report.description.split(separator: "\n").map { LogText.escaped(String($0)) + "\n" }.joined()
    }
  }
}
