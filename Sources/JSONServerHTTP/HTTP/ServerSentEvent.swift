public import JSONServerValues
import NIOConcurrencyHelpers

/// An event of a response as `text/event-stream`: `"Hel"`, or `ServerSentEvent("lo", after: .milliseconds(200))`.
public struct ServerSentEvent: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text, which may have several lines; a client that gets an event without text still reports the event.
  public var data: String
  /// The event's type; `nil` for `message`.
  public var event: String?
  /// The id, with which a client that has lost the connection continues.
  public var id: String?
  /// The time since the event before, or since the beginning of the response.
  public var delay: Duration

  /// Creates an event.
  public init(_ data: String = "", event: String? = nil, id: String? = nil, after delay: Duration = .zero) {
    (self.data, self.event, self.id, self.delay) = (data, event, id, delay)
  }

  /// Creates an event whose text is JSON, in one line.
  public init(json: JSONValue, event: String? = nil, id: String? = nil, after delay: Duration = .zero) {
    self.init(json.text(pretty: false), event: event, id: id, after: delay)
  }

  public init(stringLiteral text: String) { self.init(text) }

  /// The event as it is sent (HTML Standard, section 9.2.5).
  package var bytes: [UInt8] {
    var text = ""
    if let event { text += "event: \(event)\n" }
    if let id { text += "id: \(id)\n" }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
      text += line.isEmpty ? "data:\n" : "data: \(line)\n"
    }
    return Array("\(text)\n".utf8)
  }

  /// What is wrong with the event; `nil` for nothing.
  package var problem: String? {
    if event?.contains(where: \.isLineEnd) == true { return "'event' must be one line." }
    if id?.contains(where: { $0.isLineEnd || $0 == "\0" }) == true { return "'id' must be one line without U+0000." }
    return delay < .zero || delay > .seconds(600) ? "'after' must be milliseconds from 0 to 600000." : nil
  }
}

extension Character {
  /// Whether the character ends a line of an event stream.
  fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}

/// The events of a response.
package struct EventList: Sendable {
  package let events: [ServerSentEvent]

  package init(_ events: [ServerSentEvent]) { self.events = events }

  /// All events as they are sent.
  package var bytes: [UInt8] { events.flatMap(\.bytes) }

  /// The events, each when its time has come.
  package var pieces: AsyncStream<[UInt8]> {
    let next = NIOLockedValueBox(0)
    return AsyncStream { [events] in
      let index = next.withLockedValue { index in
        defer { index += 1 }
        return index
      }
      guard events.indices.contains(index) else { return nil }
      if events[index].delay > .zero {
        // The stream ends with the task that reads it.
        do { try await Task.sleep(for: events[index].delay) } catch { return nil }
      }
      return events[index].bytes
    }
  }

  /// The events after the one with an id; all for an unknown id, and `nil` when none is left.
  package func after(_ id: String?) -> EventList? {
    guard let id, let index = events.lastIndex(where: { $0.id == id }) else { return self }
    let rest = events[(index + 1)...]
    return rest.contains { $0.id != nil } ? EventList(Array(rest)) : nil
  }
}

extension AsyncStream<[UInt8]> {
  /// The same bytes at a limited speed, in about twenty pieces each second.
  package func paced(at bytesPerSecond: Int) -> AsyncStream<[UInt8]> {
    let pace = NIOLockedValueBox(Pace(bytesPerSecond: bytesPerSecond))
    return AsyncStream {
      if pace.withLockedValue({ $0.rest.isEmpty }) {
        guard let piece = await self.first(where: { !$0.isEmpty }) else { return nil }
        pace.withLockedValue { $0.take(piece) }
      }
      let (part, due) = pace.withLockedValue { $0.next() }
      do { try await Task.sleep(until: due, clock: .continuous) } catch { return nil }
      return part
    }
  }
}

/// The bytes that are sent next at a limited speed, and when.
private struct Pace {
  let bytesPerSecond: Int
  private(set) var rest = ArraySlice<UInt8>()
  private var due = ContinuousClock.now

  init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }

  mutating func take(_ piece: [UInt8]) { (rest, due) = (piece[...], max(due, .now)) }

  mutating func next() -> ([UInt8], due: ContinuousClock.Instant) {
    let part = rest.prefix(max(bytesPerSecond / 20, 1))
    rest = rest.dropFirst(part.count)
    due += .seconds(Double(part.count) / Double(bytesPerSecond))
    return (Array(part), due)
  }
}
