import JSONDatabase
import OrderedJSON

/// The sessions of a server: for each client that asks for one, an engine with its own copy of everything.
///
/// It belongs to the server's engine, and all engines run on that one's loop.
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

  /// The most sessions that there are; the one that has not been used for longest goes first.
  static let capacity = 1_000

  /// How many large reads of the server and its sessions are under way or wait.
  var largeReads = 0
  private var sessions: [SessionName: Session] = [:]
  /// The engines that keep indexes between requests, the one used last at the end.
  private var indexed: [Engine] = []
  /// The most of them.
  private static let indexedCapacity = 4
  private var lastTurn = 0

  /// The sessions, in the order in which they began.
  var all: [Session] { sessions.values.sorted { ($0.start, $0.name.text) < ($1.start, $1.name.text) } }

  func has(_ name: SessionName) -> Bool { sessions[name] != nil }

  /// Returns the engine of a session, which begins when it is used for the first time.
  ///
  /// - Parameter server: The server's engine, or one of a session of it.
  func engine(of name: SessionName, on server: isolated Engine) -> Engine {
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
      shareJournal(server.configuration.journalByteCapacity)
    }
    sessions[name]?.requestCount += 1
    return sessions[name]?.engine ?? server
  }

  /// Ends a session, and returns whether there was one of that name. Streams of its events end, and what was delayed in it
  /// is done.
  @discardableResult
  func remove(_ name: String) -> Bool {
    guard let name = try? SessionName(name), let session = sessions.removeValue(forKey: name) else { return false }
    indexed.removeAll { $0 === session.engine }
    session.engine.assumeIsolated { $0.end() }
    return true
  }

  /// Lets a session keep what it found out about its data until a few others have asked for the same.
  func keepIndexes(of engine: Engine) {
    if indexed.last === engine { return }
    indexed.removeAll { $0 === engine }
    indexed.append(engine)
    if indexed.count > Self.indexedCapacity { indexed.removeFirst().assumeIsolated { $0.database.forgetIndexes() } }
  }

  func removeAll() {
    for name in sessions.keys { remove(name.text) }
  }

  /// Has the journals of all sessions together keep no more bytes than that of the server.
  private func shareJournal(_ byteCapacity: Int) {
    let share = byteCapacity / sessions.count
    for session in sessions.values {
      session.engine.assumeIsolated { $0.simulation.journal.setByteCapacity(share) }
    }
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
