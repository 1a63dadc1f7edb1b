import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage

/// The sessions of a server: an engine for each session, with its own copy of everything.
///
/// It belongs to the server's engine; all engines run on the same event loop.
final class Sessions {
  /// A session as `/__admin/sessions` lists it.
  struct Session {
    let name: SessionName
    let engine: Engine
    /// Seconds since 1970.
    let start: Double
    fileprivate(set) var lastUse: Double
    /// A number that grows with each use of any session.
    fileprivate var turn: Int
    fileprivate(set) var requestCount = 0
  }

  /// The largest number of sessions; a new one ends the session that was unused for longest.
  static let capacity = 1_000

  /// The number of long reads of the server and its sessions that run or wait.
  var largeReads = 0
  private var sessions: [SessionName: Session] = [:]
  /// The engines that keep indexes between requests, the last used one at the end.
  private var indexed: [Engine] = []
  /// The largest number of such engines.
  private static let indexedCapacity = 4
  /// The engines of ended sessions whose last tasks run, such as requests to another server.
  private var ended: [Engine] = []
  /// The first unexpected requests of ended sessions.
  private var unexpectedOfEnded = UnexpectedExchanges()
  private var lastTurn = 0
  private let areAllowed: Bool

  init(areAllowed: Bool) {
    self.areAllowed = areAllowed
  }

  /// - Throws: 404, when the server has no sessions.
  var allowed: Sessions {
    get throws(RequestError) {
      if areAllowed { return self }
      throw RequestError(.notFound, "This server has no sessions; start it with Server.Configuration.hasSessions.")
    }
  }

  /// The sessions, in the order of their start.
  var all: [Session] { sessions.values.sorted { ($0.start, $0.name.text) < ($1.start, $1.name.text) } }

  /// The requests of all sessions that a strict server refused as unexpected, those of ended sessions first.
  var unexpected: [Exchange] {
    unexpectedOfEnded.all + all.flatMap { $0.engine.assumeIsolated { $0.journal.unexpected.all } }
  }

  /// The number of bytes of the exchanges and events that the sessions keep, and of ``unexpected`` ones of ended sessions.
  var logBytes: Int {
    sessions.values.reduce(unexpectedOfEnded.byteCount) { $0 + $1.engine.assumeIsolated { $0.logBytes } }
  }

  /// The exchanges of all sessions.
  var exchanges: [Exchange] { all.flatMap { $0.engine.assumeIsolated { $0.journal.exchanges } } }

  func has(_ name: SessionName) -> Bool { sessions[name] != nil }

  /// Returns the engine of a session that has begun; `nil` for another name.
  func begun(_ name: SessionName) -> Engine? { sessions[name]?.engine }

  /// Counts a request of a session, and returns the session's engine; the first use begins the session, which may end another.
  ///
  /// - Parameter server: The engine of the server or of one of its sessions.
  func enter(_ name: SessionName, on server: isolated Engine) -> Engine {
    lastTurn += 1
    let now = System.now
    if sessions[name] != nil {
      sessions[name]?.turn = lastTurn
      sessions[name]?.lastUse = now
    } else {
      if sessions.count == Self.capacity, let idle = sessions.values.min(by: { $0.turn < $1.turn }) {
        remove(idle.name.text)
      }
      let engine = Engine(sessionOf: server)
      sessions[name] = Session(name: name, engine: engine, start: now, lastUse: now, turn: lastTurn)
      shareLog()
    }
    sessions[name]?.requestCount += 1
    return sessions[name]?.engine ?? server
  }

  /// Ends a session, and returns whether it existed. Its event streams end, its delayed work is done, and its requests
  /// get their responses.
  @discardableResult
  func remove(_ name: String) -> Bool {
    guard let name = try? SessionName(name), let session = sessions.removeValue(forKey: name) else { return false }
    indexed.removeAll { $0 === session.engine }
    let unexpected = session.engine.assumeIsolated { engine in
      engine.end()
      return engine.journal.unexpected.all
    }
    let capacity = session.engine.configuration.journalByteCapacity / 8
    for exchange in unexpected { unexpectedOfEnded.add(exchange, within: capacity) }
    ended = (ended + [session.engine]).filter { $0.assumeIsolated { !$0.tasks.isEmpty } }
    return true
  }

  /// Drops the indexes of a session, unless it is one of the last sessions that changed their data. A thousand sessions
  /// with indexes would need as much memory as a thousand copies of the data, and a session that deletes many records
  /// would make the indexes again for each.
  ///
  /// - Parameter hasChanged: Whether a request of the session has changed the data.
  func boundIndexes(of engine: isolated Engine, hasChanged: Bool) {
    guard hasChanged || !engine.writes.revisions.isEmpty, indexed.last !== engine else { return }
    indexed.removeAll { $0 === engine }
    indexed.append(engine)
    if indexed.count > Self.indexedCapacity { indexed.removeFirst().assumeIsolated { $0.database.forgetIndexes() } }
  }

  func removeAll() {
    for name in sessions.keys { remove(name.text) }
  }

  /// Cancels the last tasks of ended sessions.
  func cancelTasks() {
    for engine in ended { engine.assumeIsolated { $0.cancelTasks() } }
  }

  /// Sets other routes in all sessions.
  func setRoutes(_ routes: Routes) {
    for session in sessions.values { session.engine.assumeIsolated { $0.routes = routes } }
  }

  /// Replaces the stubs of the stubs file in all sessions.
  func replaceFile(with stubs: [Rule]) {
    for session in sessions.values { session.engine.assumeIsolated { $0.rules.replaceFile(with: stubs) } }
  }

  /// Gives each session an equal share of the bytes for exchanges, events and responses to repeated requests: of all that the
  /// server itself and the unexpected requests of ended sessions leave.
  private func shareLog() {
    let share = 3 / 8 / Double(sessions.count)
    for session in sessions.values { session.engine.assumeIsolated { $0.limitLog(to: share) } }
  }
}

extension Sessions.Session {
  /// The session as `/__admin/sessions` shows it.
  var value: JSONValue {
    [
      "name": .string(name.text), "time": .string(Timestamp(secondsSince1970: start).rfc3339),
      "lastUsed": .string(Timestamp(secondsSince1970: lastUse).rfc3339),
      "requests": .number(JSONNumber(requestCount)),
    ]
  }
}

/// The name of a session.
struct SessionName: Sendable, Hashable {
  let text: String

  /// The first segment of the paths of a session.
  static let root = "__session"
  private static let maximumBytes = 64
  private static let bytes = ByteSet.words.union(ByteSet("-.~".utf8))

  /// - Throws: 400 that says what a valid name is.
  init(_ text: String) throws(RequestError) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.bytes.contains), text != ".",
      text != ".."
    else {
      throw RequestError(
        .malformed,
        "'\(text.prefix(80))' is not a session's name; use 1 to \(Self.maximumBytes) letters, digits and -._~.")
    }
    self.text = text
  }

  /// Makes a name of any text: invalid characters become hyphens, and a hash at the end distinguishes invalid texts of
  /// any length.
  init(cleaning text: String) {
    if let name = try? SessionName(text) {
      self = name
      return
    }
    let bytes = Array(text.utf8)
    let hash = String(ContentHash(of: bytes).value, radix: 16)
    let start = bytes.prefix(Self.maximumBytes - hash.utf8.count - 1)
      .map { Self.bytes.contains($0) ? $0 : UInt8(ascii: "-") }
    self.text = String(decoding: start, as: UTF8.self) + "-" + hash
  }

  /// Takes the name out of a request: from the beginning of its path, or from its field.
  ///
  /// - Parameter target: The request's target below the path prefix.
  /// - Returns: `nil` for a request without a session.
  /// - Throws: 400 for an invalid name.
  static func take(
    from target: inout RequestTarget, of request: inout Request
  ) throws(RequestError) -> SessionName? {
    guard target.segments.first == root else {
      return try request.headerFields.joined(.session).map { text throws(RequestError) in try SessionName(text) }
    }
    let name = try SessionName(target.segments.count > 1 ? target.segments[1] : "")
    request.mount.path += "/\(root)/\(name.text)"
    target = target.dropping(2)
    return name
  }
}
