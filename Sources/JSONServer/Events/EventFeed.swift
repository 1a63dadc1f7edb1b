import DequeModule
import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// Publishes events to subscribers, as server-sent events.
///
/// A subscriber reads the events from the history, piece by piece, and needs no memory of its own. A subscriber misses
/// events when it comes back too late, comes from another run of the server, or is too slow. Then it is told to read
/// the resources again, and gets the events that the history still has.
///
/// A feed belongs to one engine.
final class EventFeed {
  struct Subscriber {
    let filter: EventFilter
    /// The access token with which the subscription ends; `nil` for none.
    let token: String?
    /// The number of the last event that the subscriber has read or skipped.
    var position: Int
    /// Whether it has missed events that the history no longer has.
    var hasMissed = false
    var owesHeartbeat = false
    /// The rest of an event that the subscriber has read in part.
    var rest: ArraySlice<UInt8> = []
    /// Waits for the next piece.
    var pull: CheckedContinuation<[UInt8]?, Never>?
  }

  /// The largest piece of bytes for a subscriber; with a chunk's framing a piece fits into 16 KiB.
  static let maximumPieceBytes = 16 * 1024 - 16
  /// The longest record in an event. For a longer record, subscribers are told to read the resource again.
  static let maximumRecordBytes = 32 * 1024

  /// The largest number of events of one write; for a larger write, subscribers are told to read the resource again.
  static let maximumChanges = 100

  private var history: EventHistory
  private(set) var subscribers: [Int: Subscriber] = [:]
  /// Whether there ever was a subscriber: only the journal has earlier requests.
  private(set) var hadSubscribers = false
  private static let heartbeatInterval = Duration.seconds(15)
  /// Keeps the subscribers' connections alive while there are any.
  private var heartbeat: EventLoopExecutor.ScheduledTask?

  /// - Parameters:
  ///   - run: A name of this run of the server, unlike any other. It is random rather than the time, since several
  ///     servers of one database may start in the same millisecond.
  ///   - byteCapacity: The largest number of bytes of the kept events, apart from the newest one.
  init(run: String = String(UInt64.random(in: .min ... .max), radix: 36), byteCapacity: Int = .max) {
    history = EventHistory(run: run)
    history.byteCapacity = byteCapacity
  }

  var hasSubscribers: Bool { !subscribers.isEmpty }

  /// The number of bytes of the kept events.
  var byteCount: Int { history.byteCount }

  /// Limits the bytes of the events, apart from the newest one.
  func limit(to byteCapacity: Int) { history.byteCapacity = byteCapacity }

  // MARK: Publishing

  /// Publishes the changes of a write.
  ///
  /// - Parameters:
  ///   - resources: The names of all changed resources.
  ///   - owners: The owners of deleted records, by id.
  ///   - users: Who the owners of other records are; `nil` without sign-in.
  func publish(_ change: DataChange, resources: [String], owners: [String: String] = [:], users: Users? = nil) {
    var published: String?
    switch change {
    case .created(let name, let record):
      publish(record, of: name, as: .created, users)
      published = name
    case .updated(let name, let records) where records.count <= Self.maximumChanges:
      for record in records { publish(record, of: name, as: .updated, users) }
      published = name
    case .deleted(let name, let ids, _) where ids.count <= Self.maximumChanges:
      for id in ids { publish(Event(.deleted, of: name, recordID: id, text: .null, owner: owners[id])) }
      published = name
    case .reloaded(let name), .updated(let name, _), .deleted(let name, _, _):
      publish(Event(.reloaded, of: name))
      published = name
    case .replaced(let names):
      return publishReload(of: names)
    }
    publishReload(of: resources.filter { $0 != published })
  }

  /// Publishes the changes of other servers. After many changes of a resource, tells clients to read the resource again.
  func publish(_ version: Database, since base: Database, on engine: isolated Engine) {
    let users = engine.signIn?.users
    let changes = Dictionary(grouping: version.changes(since: base), by: \.resource)
    for name in version.resourceNames(at: version.changedPositions(since: base)) {
      let changes = changes[name]?.map { DataChange($0, isUser: name == users) } ?? []
      if changes.isEmpty || changes.count > Self.maximumChanges {
        publishReload(of: [name])
      } else {
        for change in changes {
          let owners = engine.signIn?.ownersOfDeleted(change, in: base) ?? [:]
          publish(change, resources: [], owners: owners, users: engine.authorization?.users)
        }
      }
    }
  }

  private func publish(_ record: WrittenRecord, of name: String, as change: Event.Change, _ users: Users?) {
    let isLong = record.text.count > Self.maximumRecordBytes
    let owner = users?.owner(of: record.text, in: name)
    publish(
      isLong
        ? Event(.reloaded, of: name) : Event(change, of: name, recordID: record.id, text: record.text, owner: owner))
  }

  /// Publishes that resources must be read again.
  func publishReload(of resources: [String]) {
    for name in resources { publish(Event(.reloaded, of: name)) }
  }

  /// Publishes a request and its response.
  func publish(_ exchange: Exchange) { publish(Event(request: ValidJSON(writing: .object(exchange.summary)))) }

  private func publish(_ event: Event) {
    history.append(event)
    serveWaiting()
  }

  private func serveWaiting() {
    for number in subscribers.keys where subscribers[number]?.pull != nil {
      // A waiting subscriber has read all earlier events, so the names of the resources are not needed.
      guard let piece = nextPiece(for: number, resources: []) else { continue }
      let pull = subscribers[number]?.pull
      subscribers[number]?.pull = nil
      pull?.resume(returning: piece)
    }
  }

  private func scheduleHeartbeat(on engine: isolated Engine) {
    heartbeat?.cancel()
    heartbeat = engine.execute(after: Self.heartbeatInterval) { $0.events.beat(on: $0) }
  }

  /// Keeps the subscribers' connections alive while there are any.
  func beat(on engine: isolated Engine) {
    endVoidWatches(on: engine)
    for number in subscribers.keys { subscribers[number]?.owesHeartbeat = true }
    serveWaiting()
    if hasSubscribers { scheduleHeartbeat(on: engine) }
  }

  // MARK: Subscribers

  /// Opens a stream of events for a subscriber.
  ///
  /// - Parameter token: The access token with which the subscription ends; `nil` for none.
  func subscribe(
    to filter: EventFilter, _ context: RequestContext, token: String? = nil, on engine: isolated Engine
  ) -> PreparedResponse {
    let number = engine.nextNumber()
    let subscription = EventSubscription(engine, number: number)
    if engine.phase != .closed {
      if !hasSubscribers { scheduleHeartbeat(on: engine) }
      let seen = context.request.headerFields[.lastEventID] ?? context.target.parameters.first("lastEventId")
      add(number, filter, lastEventID: seen?.isEmpty == true ? nil : seen, token: token)
    }
    let stream = AsyncStream {
      await subscription.next()
    } onCancel: {
      subscription.cancel()
    }
    return PreparedResponse(
      headerFields: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"], body: .stream(stream)
    )
  }

  /// Opens a stream of the changes of a resource, which ends when the client's token does.
  ///
  /// - Parameter owner: The user whose records are the only ones to send; `nil` for all records.
  func watch(
    _ resource: String, of owner: String?, _ context: RequestContext, on engine: isolated Engine
  ) -> PreparedResponse {
    let users = context.isGuarded ? engine.signIn?.currentUsers(on: engine) : nil
    let token = try? users?.token(of: context.request)
    return subscribe(
      to: EventFilter(types: [.change], resource: resource, owner: owner), context, token: token, on: engine)
  }

  /// Ends the streams whose tokens are no longer valid.
  func endVoidWatches(on engine: isolated Engine) {
    guard let signIn = engine.signIn, !subscribers.isEmpty else { return }
    let authorization = signIn.authorization(on: engine)
    for (number, subscriber) in subscribers {
      if let token = subscriber.token, (try? authorization.user(of: token)) == nil { end(number) }
    }
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - number: A number chosen by the caller.
  ///   - lastEventID: The id of the last event that the subscriber has seen, from any server; `nil` for a new
  ///     subscriber.
  func add(_ number: Int, _ filter: EventFilter, lastEventID: String?, token: String? = nil) {
    hadSubscribers = true
    guard let lastEventID else {
      subscribers[number] = Subscriber(filter: filter, token: token, position: history.lastNumber)
      return
    }
    let seen = history.number(of: lastEventID)
    subscribers[number] = Subscriber(
      filter: filter, token: token, position: seen ?? history.lastForgotten, hasMissed: seen == nil)
  }

  /// Takes the next piece for a subscriber.
  ///
  /// - Parameter resources: The names of the resources to read again after missed events.
  /// - Returns: `nil` when there is nothing new, or no such subscriber.
  func nextPiece(for number: Int, resources: @autoclosure () -> [String]) -> [UInt8]? {
    guard var subscriber = subscribers[number] else { return nil }
    defer { subscribers[number] = subscriber }
    if subscriber.position < history.lastForgotten {
      subscriber.position = history.lastForgotten
      subscriber.hasMissed = true
    }
    if subscriber.rest.isEmpty, subscriber.hasMissed {
      subscriber.hasMissed = false
      subscriber.rest = reload(resources(), for: subscriber.filter)[...]
    }
    if subscriber.rest.isEmpty {
      let piece = takeEvents(for: &subscriber)
      guard piece.count > Self.maximumPieceBytes else {
        if !piece.isEmpty { return piece }
        defer { subscriber.owesHeartbeat = false }
        return subscriber.owesHeartbeat ? Array(":\n\n".utf8) : nil
      }
      subscriber.rest = piece[...]
    }
    defer { subscriber.rest = subscriber.rest.dropFirst(Self.maximumPieceBytes) }
    return Array(subscriber.rest.prefix(Self.maximumPieceBytes))
  }

  /// Takes as many events as fit into a piece; a long event alone, and a single event without a copy.
  private func takeEvents(for subscriber: inout Subscriber) -> [UInt8] {
    var piece: [UInt8] = []
    while subscriber.position < history.lastNumber {
      if let bytes = history.bytes(of: subscriber.position + 1, if: subscriber.filter) {
        guard piece.isEmpty || piece.count + bytes.count <= Self.maximumPieceBytes else { break }
        if piece.isEmpty { piece = bytes } else { piece += bytes }
      }
      subscriber.position += 1
    }
    return piece
  }

  /// The events that say to read resources again. Only the last one has an id: a subscriber whose connection breaks
  /// before it starts again from its old id.
  private func reload(_ resources: [String], for filter: EventFilter) -> [UInt8] {
    let names = resources.filter { filter.includes(.change, of: $0) }
    return names.indices.flatMap { index in
      var event = Event(.reloaded, of: names[index])
      if index == names.count - 1 { event.id = history.id(of: history.lastForgotten) }
      return event.bytes
    }
  }

  /// Makes a subscriber wait for the next piece; resumes with `nil` when the subscriber is gone.
  func wait(_ number: Int, _ pull: CheckedContinuation<[UInt8]?, Never>) {
    guard let subscriber = subscribers[number] else { return pull.resume(returning: nil) }
    // A stream has one reader. If a second one comes, the first one ends.
    subscriber.pull?.resume(returning: nil)
    subscribers[number]?.pull = pull
  }

  /// Ends a subscription, unless it has ended.
  func end(_ number: Int) {
    subscribers.removeValue(forKey: number)?.pull?.resume(returning: nil)
  }

  /// Ends all subscriptions.
  func end() {
    heartbeat?.cancel()
    for number in subscribers.keys { end(number) }
  }
}

/// The events for a subscriber.
struct EventFilter: Sendable {
  var types: Set<Event.Kind> = Set(Event.Kind.allCases)
  /// The only resource whose changes are sent; `nil` for all.
  var resource: String?
  /// The user whose records are the only ones to send; `nil` for all records.
  var owner: String?

  /// Whether an event is sent. That records must be read again says nothing about them.
  func includes(_ event: Event) -> Bool {
    includes(event.kind, of: event.resource) && (owner == nil || event.namesNoRecord || event.owner == owner)
  }

  func includes(_ kind: Event.Kind, of resource: String?) -> Bool {
    types.contains(kind) && (self.resource == nil || resource == self.resource)
  }
}

extension EventFilter {
  /// Reads the parameter `types`.
  ///
  /// - Throws: 400 that names an unknown type.
  init(_ parameters: QueryParameters) throws(RequestError) {
    guard let names = parameters.first("types"), !names.isEmpty else { return }
    types = []
    for name in names.split(separator: ",") {
      guard let kind = Event.Kind(rawValue: String(name)) else {
        throw RequestError(.malformed, "'types' names '\(name)'; the types are change and request.")
      }
      types.insert(kind)
    }
  }
}

/// The newest events of a server, which every subscriber reads at its own speed.
///
/// Each event is encoded once, when the first subscriber reads it; all subscribers share the bytes.
struct EventHistory {
  private struct Entry {
    var event: Event
    /// The bytes of the event; empty until a subscriber reads it.
    var bytes: [UInt8] = []
    let byteCount: Int
  }

  /// The number of events that the history keeps.
  static let capacity = 1_000

  private let run: String
  private var entries: Deque<Entry> = []
  /// The number of the newest event; the first event has number 1.
  private(set) var lastNumber = 0
  private(set) var byteCount = 0
  /// The largest ``byteCount``; the newest event is kept in any case.
  var byteCapacity = Int.max

  /// - Parameter run: A name of this run of the server, unlike any other.
  init(run: String) {
    self.run = run
  }

  /// The number of the newest event that the history no longer has.
  var lastForgotten: Int { lastNumber - entries.count }

  /// The id of an event, which no other run of a server uses; a subscriber resumes from it.
  func id(of number: Int) -> String { "\(run)-\(number)" }

  /// Returns the number of an event by its id; `nil` for an event of another run.
  func number(of id: String) -> Int? {
    guard let number = id.split(separator: "-").last.flatMap({ Int($0) }), 0...lastNumber ~= number,
      self.id(of: number) == id
    else { return nil }
    return number
  }

  mutating func append(_ event: Event) {
    lastNumber += 1
    var event = event
    event.id = id(of: lastNumber)
    let entry = Entry(event: event, byteCount: event.byteCount)
    entries.append(entry)
    byteCount += entry.byteCount
    while entries.count > Self.capacity || byteCount > byteCapacity && entries.count > 1 {
      byteCount -= entries.removeFirst().byteCount
    }
  }

  /// Returns the bytes of an event in the history; `nil` when the filter excludes it.
  mutating func bytes(of number: Int, if filter: EventFilter) -> [UInt8]? {
    let index = number - lastForgotten - 1
    let event = entries[index].event
    guard filter.includes(event) else { return nil }
    if entries[index].bytes.isEmpty {
      entries[index].bytes = event.bytes
      entries[index].event.text = nil
    }
    return entries[index].bytes
  }
}

/// An event for subscribers.
struct Event: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case change
    case request
  }

  /// The change of a resource.
  enum Change: String, Sendable {
    case created
    case updated
    case deleted
    /// The resource must be read again.
    case reloaded
  }

  /// The id for `Last-Event-ID`; `nil` for an event from which a subscriber does not resume.
  var id: String?
  /// The change and its resource; `nil` for a request.
  private let change: (kind: Change, resource: String, recordID: String?)?
  /// The changed record, or the request with its response, without header fields and bodies.
  fileprivate(set) var text: ValidJSON?

  /// The user to whom the changed record belongs; `nil` for nobody.
  let owner: String?

  var namesNoRecord: Bool { change?.recordID == nil }
  var kind: Kind { change == nil ? .request : .change }
  var resource: String? { change?.resource }

  init(request: ValidJSON) {
    (change, text, owner) = (nil, request, nil)
  }

  init(_ change: Change, of resource: String, recordID: String? = nil, text: ValidJSON? = nil, owner: String? = nil) {
    (self.change, self.text, self.owner) = ((change, resource, recordID), text, owner)
  }

  /// The number of bytes that the history counts for the event: its text, and about as much for the rest as a small event
  /// takes.
  fileprivate var byteCount: Int { (text?.count ?? 0) + 200 }

  /// The event as it is sent (HTML standard, section "Server-sent events").
  var bytes: [UInt8] {
    var output = Array((id.map { "id: \($0)\n" } ?? "").utf8)
    output += "event: \(kind.rawValue)\ndata: ".utf8
    if let change {
      var members = JSONObject([("resource", .string(change.resource)), ("kind", .string(change.kind.rawValue))])
      members["id"] = change.recordID.map { .string($0) }
      JSONValue.object(members).appendCompact(to: &output)
      if let text {
        // The last member is appended as text, since building a tree of it would be wasted work.
        output[output.count - 1] = UInt8(ascii: ",")
        output += "\"record\":".utf8
        JSONFormatter(.compact).append(text, to: &output)
        output.append(UInt8(ascii: "}"))
      }
    } else {
      text?.withToken { output += $0.bytes }
    }
    output += "\n\n".utf8
    return output
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
    await engine.run { [number] engine in
      if let piece = engine.events.nextPiece(for: number, resources: engine.database.resourceNames) { return piece }
      return await withCheckedContinuation { engine.events.wait(number, $0) }
    }
  }

  func cancel() {
    engine.execute { [number] in $0.events.end(number) }
  }
}

extension DataChange {
  /// A change of another server.
  fileprivate init(_ change: RecordChange, isUser: Bool) {
    if let record = isUser ? change.record?.removing(DataOperation.hiddenName) : change.record {
      self = change.wasThere ? .updated(change.resource, [record]) : .created(change.resource, record)
    } else if let id = change.id {
      self = .deleted(change.resource, ids: [id], dependents: [:])
    } else {
      self = .reloaded(change.resource)
    }
  }
}
