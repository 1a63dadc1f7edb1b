import HTTPTypes
import JSONDatabase

extension Engine {
  private static let heartbeatInterval = Duration.seconds(15)

  /// Opens a stream of events for a reader.
  ///
  /// - Parameter lastSeen: The number of the last event that the reader has seen; `nil` for a new one.
  func subscribe(_ interest: EventFeed.EventFilter, lastSeen: Int?) -> PreparedResponse {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(EventFeed.maximumLag))
    var fields: HTTPFields = [:]
    fields[.contentType] = "text/event-stream; charset=utf-8"
    fields[.cacheControl] = "no-store"
    let response = PreparedResponse(headerFields: fields, body: .stream(stream))
    guard !isClosed else {
      continuation.finish()
      return response
    }
    let number = nextNumber()
    continuation.onTermination = { _ in
      self.loop.execute { self.assumeIsolated { $0.simulation.events.end(number) } }
    }
    if !simulation.events.hasReaders { scheduleHeartbeat() }
    let names = interest.resource.map { [$0] } ?? writes.database.resourceNames
    simulation.events.add(number, interest, lastSeen: lastSeen, resources: names, continuation)
    return response
  }

  private func scheduleHeartbeat() {
    simulation.heartbeat?.cancel()
    simulation.heartbeat = loop.schedule(after: Self.heartbeatInterval) { self.assumeIsolated { $0.beat() } }
  }

  /// Keeps the readers' connections alive while there are any.
  func beat() {
    simulation.events.sendHeartbeat()
    if simulation.events.hasReaders { scheduleHeartbeat() }
  }
}
