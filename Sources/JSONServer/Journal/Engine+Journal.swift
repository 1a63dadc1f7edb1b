extension Engine {
  /// Notes that a call was answered, for the journal, those who watch and the log.
  ///
  /// - Parameters:
  ///   - response: The answer as it leaves.
  ///   - body: The answer's body before it was compressed.
  func note(_ call: RequestContext, answeredWith response: Response, body: Response.Body) {
    exchangeCount += 1
    var response = response
    // A stream that is kept here would not end when its reader goes.
    response.body = if case .stream = body { .bytes([]) } else { body }
    let exchange = Exchange(
      id: exchangeCount, request: call.original, route: call.route, response: response,
      answered: System.now, duration: System.uptime - call.started)
    configuration.onEvent(.answered(exchange))
    guard !AdminRoute.isAddressed(by: call.request) else { return }
    events.publish(exchange)
    journal.append(exchange)
  }

  /// Returns the oldest exchange after an id that fits, once there is one; `nil` when the time is over.
  func exchange(
    after id: Int, timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool
  ) async -> Exchange? {
    if let found = journal.first(after: id, where: predicate) { return found }
    guard timeout > .zero, !isClosed else { return nil }
    lastNumber += 1
    let number = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let deadline = loop.schedule(after: timeout) { self.assumeIsolated { $0.journal.endWaiting(number) } }
        journal.wait(number, after: id, until: deadline, for: predicate, continuation)
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.journal.endWaiting(number) } }
    }
  }

  func clearJournal() {
    journal.removeAll()
  }
}
