import JSONDatabase

/// The requests that wait for what is being found out about the data, so that not each of them finds it out by itself.
struct AwaitedFindings {
  typealias Request = @Sendable (isolated Engine) -> Void

  enum Finding: Hashable {
    /// The ids and members of large collections.
    case ids
    /// All of a collection in an order.
    case order(of: String, by: [SortKey])
  }

  private var requests: [Finding: [Request]] = [:]
  /// Whether other data came while ids and members were read.
  var isOutdated = false

  /// Whether nothing is being found out.
  var isIdle: Bool { requests.isEmpty }

  /// Whether something is being found out.
  func isUnderWay(_ finding: Finding) -> Bool { requests[finding] != nil }

  /// Records that something is being found out.
  mutating func begin(_ finding: Finding) {
    if requests[finding] == nil { requests[finding] = [] }
  }

  /// Has a request wait for what is being found out, if it is.
  ///
  /// - Returns: Whether it waits.
  mutating func wait(for finding: Finding, _ request: @escaping Request) -> Bool {
    guard isUnderWay(finding) else { return false }
    requests[finding]?.append(request)
    return true
  }

  /// Records that something is found out, or given up.
  ///
  /// - Returns: What has waited for it, in order.
  mutating func end(_ finding: Finding) -> [Request] {
    requests.removeValue(forKey: finding) ?? []
  }
}

extension AwaitedFindings.Finding {
  /// What is said to be under way when it takes long.
  var work: String {
    switch self {
    case .ids: "reading ids"
    case .order(let name, let keys): "indexing \(name) by \(keys.map(\.path.name).joined(separator: ", "))"
    }
  }
}

extension Engine {
  /// Has a read wait for what it needs and what is being found out already, and does it again then.
  ///
  /// Nothing that changes data begins behind it on its connection meanwhile.
  ///
  /// - Parameter mayWait: Whether it may: once, since what was found out is of no use where too much was changed meanwhile,
  ///   or where nothing can be found out.
  /// - Returns: Whether it waits.
  func awaitFindings(for endpoint: Endpoint, _ context: RequestContext, mayWait: Bool) -> Bool {
    guard mayWait, let finding = finding(for: endpoint) else { return false }
    return awaited.wait(for: finding) { engine in
      do throws(RequestError) {
        try engine.perform(endpoint, context, mayWait: false)
      } catch {
        engine.finalize(context, error.response())
      }
    }
  }

  /// What a read would find out by itself; begun, where that is of use to all.
  private func finding(for endpoint: Endpoint) -> AwaitedFindings.Finding? {
    guard case .record = endpoint else { return endpoint.missingOrder(in: writes.database) }
    if !awaited.isUnderWay(.ids) { readAhead() }
    return .ids
  }

  /// Does what has waited for something that was being found out.
  func endAwaiting(_ finding: AwaitedFindings.Finding) {
    for request in awaited.end(finding) { request(self) }
  }
}
