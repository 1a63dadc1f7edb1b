import DequeModule
import JSONDatabase
import OrderedJSON

/// Hands events to those who watch, as server-sent events.
///
/// Each event has a number, one more than the one before. The newest are kept, so that a reader whose connection broke
/// goes on where it was. The numbers start at the milliseconds since 1970, so that a reader of a server that ran before
/// is not taken for one that has seen what this one did.
struct EventFeed {
  /// What a reader wants to see.
  struct EventFilter: Sendable {
    var types: Set<Event.Kind> = Set(Event.Kind.allCases)
    /// The one resource whose changes are wanted; `nil` for all.
    var resource: String?

    func includes(_ content: Event.Content) -> Bool {
      guard types.contains(content.kind) else { return false }
      return resource == nil || content.resource == resource
    }
  }

  private struct Reader {
    let interest: EventFilter
    let continuation: AsyncStream<[UInt8]>.Continuation
  }

  /// How far a reader may lag before it is sent away, to come back with the number it has seen.
  static let maximumLag = 256
  /// How many events are kept for readers that come back.
  static let historyCount = 1_000
  /// The longest record that an event carries: what waits and what is kept stays below 32 MiB. Who watches longer ones
  /// is told to read the resource again.
  static let maximumRecordBytes = 32 * 1024

  private var lastID: Int
  private var history: Deque<Event> = []
  private var readers: [Int: Reader] = [:]
  /// Whether there ever was a reader of this server.
  private var isFollowed = false

  init(startingAt secondsSince1970: Double) {
    lastID = Int(secondsSince1970 * 1000)
  }

  var hasReaders: Bool { !readers.isEmpty }

  // MARK: Publishing

  /// Publishes what a write changed.
  ///
  /// - Parameter resources: The names of all resources that it changed.
  mutating func publish(_ change: DataChange, resources: [String]) {
    var told: String?
    switch change {
    case .created(let name, let record):
      publish(.change(resource: name, Self.isLong(record) ? .reloaded : .created(id: record.id, record.text)))
      told = name
    case .updated(let name, let record):
      publish(.change(resource: name, Self.isLong(record) ? .reloaded : .updated(id: record.id, record.text)))
      told = name
    case .deleted(let name, let id, _):
      publish(.change(resource: name, .deleted(id: id)))
      told = name
    case .reloaded(let name):
      publish(.change(resource: name, .reloaded))
      told = name
    case .replaced(let names):
      return publishReload(of: names)
    }
    publishReload(of: resources.filter { $0 != told })
  }

  private static func isLong(_ record: WrittenRecord) -> Bool {
    record.text.count > maximumRecordBytes
  }

  /// Tells that resources have to be read again.
  mutating func publishReload(of resources: [String]) {
    for name in resources { publish(.change(resource: name, .reloaded)) }
  }

  /// Publishes that a request was answered, from the first reader on; those that came before are in the journal.
  mutating func publish(_ exchange: Exchange) {
    if isFollowed { publish(.request(RequestSummary(exchange))) }
  }

  private mutating func publish(_ content: Event.Content) {
    lastID += 1
    let event = Event(id: lastID, content: content)
    if history.count == Self.historyCount { history.removeFirst() }
    history.append(event)
    guard hasReaders else { return }
    let bytes = event.bytes
    for (number, reader) in readers where reader.interest.includes(content) {
      send(bytes, to: reader, number)
    }
  }

  private mutating func send(_ bytes: [UInt8], to reader: Reader, _ number: Int) {
    if case .enqueued = reader.continuation.yield(bytes) { return }
    end(number)
  }

  // MARK: Readers

  /// Adds a reader, and sends it what it has missed.
  ///
  /// - Parameters:
  ///   - number: A number of the caller's choice.
  ///   - lastSeen: The number of the last event that the reader has seen; `nil` for a new one.
  ///   - resources: The names to tell of when it has missed more than is kept.
  mutating func add(
    _ number: Int, _ interest: EventFilter, lastSeen: Int?, resources: [String],
    _ continuation: AsyncStream<[UInt8]>.Continuation
  ) {
    let reader = Reader(interest: interest, continuation: continuation)
    readers[number] = reader
    isFollowed = true
    guard let lastSeen else { return }
    let missed = missedEvents(since: lastSeen, resources).filter { interest.includes($0.content) }
    // In one piece, since it may be longer than a reader may lag.
    if !missed.isEmpty { send(missed.flatMap(\.bytes), to: reader, number) }
  }

  private func missedEvents(since lastSeen: Int, _ resources: [String]) -> [Event] {
    let oldest = lastID - history.count
    guard lastSeen < oldest || lastSeen > lastID else { return history.filter { $0.id > lastSeen } }
    return resources.map { Event(id: oldest, content: .change(resource: $0, .reloaded)) } + history
  }

  /// Keeps the connections of all readers alive.
  mutating func sendHeartbeat() {
    for (number, reader) in readers { send(Array(":\n\n".utf8), to: reader, number) }
  }

  /// Ends a reader's stream; does nothing when that was done.
  mutating func end(_ number: Int) {
    readers.removeValue(forKey: number)?.continuation.finish()
  }

  /// Ends all streams.
  mutating func end() {
    for number in readers.keys { end(number) }
  }
}
