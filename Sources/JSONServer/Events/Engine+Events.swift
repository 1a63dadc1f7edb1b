import HTTPTypes
import JSONDatabase

extension Engine {
  private static let heartbeatInterval = Duration.seconds(15)

  /// Opens a stream of events for a reader.
  ///
  /// - Parameter lastSeen: The number of the last event that the reader has seen; `nil` for a new one.
  func watch(_ interest: EventFeed.EventFilter, lastSeen: Int?) -> Response {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(EventFeed.maximumLag))
    var fields: HTTPFields = [:]
    fields[.contentType] = "text/event-stream; charset=utf-8"
    fields[.cacheControl] = "no-store"
    let response = Response(headerFields: fields, body: .stream(stream))
    guard !isClosed else {
      continuation.finish()
      return response
    }
    lastNumber += 1
    let number = lastNumber
    continuation.onTermination = { _ in
      self.loop.execute { self.assumeIsolated { $0.events.end(number) } }
    }
    if !events.hasReaders { scheduleHeartbeat() }
    let names = interest.resource.map { [$0] } ?? database.resourceNames
    events.add(number, interest, lastSeen: lastSeen, resources: names, continuation)
    return response
  }

  private func scheduleHeartbeat() {
    heartbeat?.cancel()
    heartbeat = loop.schedule(after: Self.heartbeatInterval) { self.assumeIsolated { $0.beat() } }
  }

  /// Keeps the readers' connections alive while there are any.
  func beat() {
    events.sendHeartbeat()
    if events.hasReaders { scheduleHeartbeat() }
  }
}
