import HTTPTypes
import JSONDatabase

extension Engine {
  private static let heartbeatInterval = Duration.seconds(15)

  /// Opens a stream of events for a subscriber.
  ///
  /// - Parameters:
  ///   - lastEventID: The identifier of the last event that it has seen; `nil` for a new subscriber.
  ///   - token: The access token that the subscription ends with; `nil` for none.
  func subscribe(_ filter: EventFilter, lastEventID: String?, token: String? = nil) -> PreparedResponse {
    var fields: HTTPFields = [:]
    fields[.contentType] = "text/event-stream; charset=utf-8"
    fields[.cacheControl] = "no-store"
    let number = nextNumber()
    let subscription = EventSubscription(self, number: number)
    if !isClosed {
      if !simulation.events.hasSubscribers { scheduleHeartbeat() }
      simulation.events.add(number, filter, lastEventID: lastEventID)
      if let token { signIn?.watchers[number] = token }
    }
    let stream = AsyncStream {
      await subscription.next()
    } onCancel: {
      subscription.cancel()
    }
    return PreparedResponse(headerFields: fields, body: .stream(stream))
  }

  /// Returns the next piece of a subscriber's events, once there is one; `nil` when the subscription has ended.
  fileprivate func nextEvents(for number: Int) async -> [UInt8]? {
    if let piece = simulation.events.nextPiece(for: number, resources: database.resourceNames) { return piece }
    return await withCheckedContinuation { simulation.events.wait(number, $0) }
  }

  private func scheduleHeartbeat() {
    simulation.heartbeat?.cancel()
    simulation.heartbeat = loop.schedule(after: Self.heartbeatInterval) { self.assumeIsolated { $0.beat() } }
  }

  /// Opens a stream of the changes of a resource, which ends when the token of whoever asked does.
  func watch(_ resource: String, lastEventID: String?, _ context: RequestContext) -> PreparedResponse {
    let token = signIn == nil || context.isHidden ? nil : try? SignInState.bearerToken(context.request)
    return subscribe(EventFilter(types: [.change], resource: resource), lastEventID: lastEventID, token: token)
  }

  /// Ends the streams whose tokens are no longer valid.
  func endVoidWatches() {
    guard let signIn, !signIn.watchers.isEmpty else { return }
    for (number, token) in signIn.watchers where (try? user(of: token, signIn)) == nil {
      endSubscription(number)
    }
  }

  fileprivate func endSubscription(_ number: Int) {
    simulation.events.end(number)
    signIn?.watchers[number] = nil
  }

  /// Keeps the subscribers' connections alive while there are any.
  func beat() {
    endVoidWatches()
    simulation.events.sendHeartbeat()
    if simulation.events.hasSubscribers { scheduleHeartbeat() }
  }
}

/// A subscriber's subscription, which ends when its stream is released.
private final class EventSubscription: Sendable {
  private let engine: Engine
  private let number: Int

  init(_ engine: Engine, number: Int) {
    self.engine = engine
    self.number = number
  }

  deinit { cancel() }

  func next() async -> [UInt8]? {
    await engine.nextEvents(for: number)
  }

  func cancel() {
    let (engine, number) = (engine, number)
    engine.loop.execute { engine.assumeIsolated { $0.endSubscription(number) } }
  }
}
