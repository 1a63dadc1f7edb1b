extension Engine {
  /// Records a request and its response for the journal, the subscribers of events and the log.
  ///
  /// - Parameters:
  ///   - response: The response as it is sent.
  ///   - body: The response's body before it was compressed.
  func record(_ context: RequestContext, _ response: PreparedResponse, body: PreparedResponse.Body) {
    var response = response
    // A stream that was kept here would not end when its subscriber leaves.
    response.body = if case .stream = body { .bytes([]) } else { body }
    let notes = context.met
    let exchange = Exchange(
      id: notes?.exchangeID ?? simulation.nextExchangeID(), request: context.original,
      hidesSecrets: !configuration.showsSecrets,
      route: context.route, response: response, respondedAt: System.now,
      duration: System.uptime - context.started, notes: notes)
    if context.isAdministrative || !context.isHidden { configuration.onEvent(.responded(exchange)) }
    guard !context.isHidden else { return }
    simulation.record(exchange, isKnown: notes?.exchangeID != nil)
    if case .slices = body { keepBytes() }
  }

  /// Keeps the bytes of large bodies in the journal instead of the versions of the data that they are made of.
  ///
  /// One body after the other, the newest first: what the journal has dropped by then takes no time, and no memory.
  private func keepBytes() {
    guard !simulation.journal.isMakingBytes, let exchange = simulation.journal.newestInSlices,
      case .slices(let body) = exchange.sent.body
    else { return }
    simulation.journal.isMakingBytes = true
    WorkerThreads.calculations.run { [loop] in
      let whole = exchange.with(body.bytes)
      loop.execute {
        self.assumeIsolated { engine in
          engine.simulation.journal.isMakingBytes = false
          engine.simulation.journal.replace(with: whole)
          engine.keepBytes()
        }
      }
    }
  }

  /// Records the arrival of a request whose response may take long, by the number in its notes.
  func recordArrival(_ context: RequestContext) {
    let notes = context.met
    guard let id = notes?.exchangeID else { return }
    let exchange = Exchange(
      id: id, request: context.original, hidesSecrets: !configuration.showsSecrets, route: context.route, response: nil,
      respondedAt: System.now, duration: System.uptime - context.started, notes: notes)
    simulation.events.publish(exchange)
    simulation.journal.append(exchange)
  }

  /// Returns the oldest exchange after an id that fits, once there is one; `nil` when the time is up.
  func exchange(
    after id: Int, timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool
  ) async -> Exchange? {
    if let found = simulation.journal.first(after: id, where: predicate) { return found }
    guard timeout > .zero, !isClosed else { return nil }
    let number = nextNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let deadline = loop.schedule(after: timeout) {
          self.assumeIsolated { $0.simulation.journal.endWaiting(number) }
        }
        simulation.journal.wait(number, after: id, until: deadline, for: predicate, continuation)
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.simulation.journal.endWaiting(number) } }
    }
  }

  func clearJournal() {
    simulation.forgetExchanges()
  }
}
