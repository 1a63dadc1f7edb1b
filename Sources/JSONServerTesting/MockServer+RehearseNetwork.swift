public import JSONServerMock
import Synchronization
public import Testing

extension MockServer {
  /// Runs a closure once for each request that it sends and each thing that may happen to the request in a bad network, and
  /// compares the data at the end with that of an undisturbed run.
  ///
  /// ```swift
  /// @Test(.jsonServer("database.json")) func `An order is placed once`() async throws {
  ///   try await MockServer.current.rehearseNetwork { server in
  ///     try await Checkout(api: server.url).buy(cart)
  ///   }
  /// }
  /// ```
  ///
  /// The closure is one task of the app. It runs twice undisturbed, and must succeed; what differs between the two ends is left
  /// out of comparisons. Each run has a copy of this server with its current data. The closure may fail: then it runs once more,
  /// undisturbed, on the same data, as a person taps again. It has the time of the undisturbed run and 10 seconds; then its task
  /// is canceled, which is a failure.
  ///
  /// What must hold is the data at the end: as undisturbed, apart from ids of new records, filled members and the order of
  /// records. A run that ends with other data, and one that fails again, is an issue. Outside of Swift Testing, one error is
  /// thrown after all runs.
  ///
  /// - Parameters:
  ///   - only: The requests to disturb, such as `POST /orders`, with `*` for any characters; none for all.
  ///   - conditions: What happens to them; none for everything.
  ///   - recordsIssues: Whether findings are issues of the test.
  ///   - sourceLocation: The place of the call, for issues.
  ///   - body: The task of the app. ``MockServer/current`` is the disturbed server in the closure.
  /// - Returns: What was found.
  /// - Throws: The closure's error in an undisturbed run; ``MockServerError`` when the closure sends no request.
  @discardableResult
  public func rehearseNetwork(
    only: [String] = [], conditions: [NetworkCondition] = [], recordsIssues: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (MockServer) async throws -> Void
  ) async throws -> NetworkReport {
    let rehearsal = await NetworkRehearsal(of: server)
    let clock = ContinuousClock()
    let start = clock.now
    let (first, exchanges) = try await undisturbedRun(rehearsal, body)
    let limit = clock.now - start + NetworkRehearsal.patience
    let (second, _) = try await undisturbedRun(rehearsal, body)
    let plan: NetworkRehearsal.Plan
    do throws(ServerError) {
      plan = try rehearsal.plan(for: exchanges, only: only, conditions: conditions)
    } catch {
      throw MockServerError(error.message).at(sourceLocation)
    }
    var runs: [(Disturbance, NetworkRehearsal.Run)] = []
    for disturbance in plan.disturbances {
      let kept = Mutex<NetworkRehearsal.Run?>(nil)
      // Rules that a disturbed client does not meet are no issues.
      _ = await Self.failures {
        try await withJSONServer(rehearsal.configuration(with: disturbance), listens: !self.server.url.isEmpty) {
          copy in
          var failures: [String] = []
          for _ in 0..<2 {
            guard let failure = await Self.failures(within: limit, { try await body(copy) }).first else { break }
            failures.append("the closure failed (\(failure))")
            disturbance.end()
          }
          let run = await NetworkRehearsal.Run(failures: failures, on: copy.server)
          kept.withLock { $0 = run }
        }
      }
      try Task.checkCancellation()
      if let run = kept.withLock({ $0 }) { runs.append((disturbance, run)) }
    }
    let report = rehearsal.report(plan, undisturbed: [first, second], runs)
    if recordsIssues {
      try MockServerError.report(report.findings.map { "In a bad network: \($0)" }, at: sourceLocation)
    }
    return report
  }

  private func undisturbedRun(
    _ rehearsal: NetworkRehearsal, _ body: (MockServer) async throws -> Void
  ) async throws -> (NetworkRehearsal.Run, [Exchange]) {
    try await withJSONServer(rehearsal.undisturbed, listens: !server.url.isEmpty) { copy in
      try await body(copy)
      return (await NetworkRehearsal.Run(failures: [], on: copy.server), await copy.server.allExchanges)
    }
  }

  /// Runs a closure, whose task is canceled after some time, and returns its issues and its error.
  private static func failures(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async -> [String] {
    await withTaskGroup(of: [String].self) { group in
      group.addTask { await failures(body) }
      group.addTask {
        do {
          try await Task.sleep(for: limit)
          return ["it did not end in time"]
        } catch {
          return []
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? []
    }
  }
}
