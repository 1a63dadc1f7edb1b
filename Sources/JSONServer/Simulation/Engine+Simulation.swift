import HTTPTypes
import OrderedJSON

/// simulate: delay · fault · hold · stub
extension Engine {
  /// Has a request meet what was prepared for it, and carries it out when that leaves it to the data.
  func simulate(_ context: RequestContext) {
    guard !context.isHidden else { return perform(context) }
    do throws(RequestError) {
      guard simulation.hasRules else { return delay(context, by: try delay(of: context)) { $0.perform($1) } }
    } catch {
      return finalize(context, error.response())
    }
    if let shared = writes.shared { return findFault(for: context, in: shared) { $0.meet($1, context) } }
    meet(simulation.nextFault(for: context.matchable), context)
  }

  /// Delays a request, and responds as the fault has it that it meets.
  private func meet(_ met: (id: Int, fault: Fault)?, _ context: RequestContext) {
    do throws(RequestError) {
      let noted = met.map { met in context.noting { $0.fault = met.id } } ?? context
      let fault = met?.fault
      let wait = if let range = fault?.delay { range.length(configuration.random) } else { try delay(of: noted) }
      delay(noted, by: wait) { engine, context in
        if let response = fault?.prepared { engine.finalize(context, response) } else { engine.hold(context) }
      }
    } catch {
      finalize(context, error.response())
    }
  }

  private func delay(
    _ context: RequestContext, by wait: Duration,
    _ goOn: @escaping @Sendable (isolated Engine, RequestContext) -> Void
  ) {
    guard wait > .zero, !isStopping else { return goOn(self, context) }
    schedule(after: wait) { goOn($0, context) }
  }

  /// Lets a request wait for its release, when there is a hold for it.
  private func hold(_ context: RequestContext) {
    guard !simulation.holds.isEmpty, !isStopping, let id = simulation.holds.next(for: context.matchable) else {
      return stub(context, after: .min)
    }
    let number = simulation.nextExchangeID()
    let held = context.noting {
      $0.hold = id
      $0.exchangeID = number
    }
    simulation.holds.hold(held, number: number, in: id)
    recordArrival(held)
    schedule(after: configuration.limits.holdTimeout) { $0.endHold(of: number, in: id) }
    held.progress(
      .held { [loop] in
        loop.execute { self.assumeIsolated { $0.abandon(number, in: id) } }
      })
  }

  /// Ends the wait of a request whose client has gone.
  private func abandon(_ number: Int, in id: Int) {
    guard let context = simulation.holds.take(number, from: id) else { return }
    finalize(context, RequestError(.unavailable, "The client went away while its request was held.").response())
  }

  /// Ends the wait of a request that nobody has released.
  private func endHold(of number: Int, in id: Int) {
    guard let context = simulation.holds.take(number, from: id) else { return }
    let seconds = configuration.limits.holdTimeout / .seconds(1)
    finalize(
      context,
      RequestError(
        .unavailable,
        "The request was held for \(JSONValue(rounding: seconds).text()) seconds, and nobody released it; DELETE /__admin/holds/\(id) does, in time."
      ).response())
  }

  /// Removes a hold, and lets the requests that wait in it go on, or fail.
  ///
  /// - Returns: Whether there was such a hold.
  func releaseHold(_ id: Int, _ release: Holds.Release) -> Bool {
    guard let contexts = simulation.holds.remove(id) else { return false }
    self.release(contexts, release)
    return true
  }

  /// Removes all holds, and lets the requests that wait in them go on, or fail.
  func releaseHolds(_ release: Holds.Release = .goOn) {
    self.release(simulation.holds.removeAll(), release)
  }

  private func release(_ contexts: [RequestContext], _ release: Holds.Release) {
    for context in contexts {
      switch release {
      case .goOn: stub(context, after: .min)
      case .fail(let response): finalize(context, response)
      }
    }
  }

  /// Responds as the next stub has it that a request matches, and carries the request out when there is none.
  private func stub(_ context: RequestContext, after rank: Int) {
    guard !simulation.stubs.isEmpty else { return perform(context) }
    if let shared = writes.shared { return findStub(for: context, after: rank, in: shared) { $0.meet($1, context) } }
    meet(simulation.stubs.next(for: context.matchable, after: rank), context)
  }

  /// Responds as the stub has it that a request meets.
  private func meet(_ stub: Stubs.Meeting?, _ context: RequestContext) {
    guard let stub else { return perform(context) }
    let wait = stub.delay?.length(configuration.random) ?? .zero
    delay(context, by: wait) { engine, context in
      switch stub.action {
      case .response(let response): engine.finalize(context.noting { $0.stub = stub.id }, response)
      case .handler(let handler): engine.run(handler, of: stub, context)
      }
    }
  }

  private func run(_ handler: @escaping Stub.Handler, of stub: Stubs.Meeting, _ context: RequestContext) {
    keep { engine in
      do {
        guard var response = try await handler(context.original) else { return engine.stub(context, after: stub.rank) }
        if !response.headerFields.contains(.cacheControl) { response.headerFields[.cacheControl] = "no-cache" }
        try Simulation.check(status: response.status)
        engine.finalize(context.noting { $0.stub = stub.id }, PreparedResponse(response))
      } catch {
        let failure = RequestError(.failed, "The stub failed: \(error)").response()
        engine.finalize(context.noting { $0.stub = stub.id }, failure)
      }
    }
  }
}
