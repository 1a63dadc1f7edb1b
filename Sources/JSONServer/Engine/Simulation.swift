/// What a mock does besides serving data: what is kept and what is reported.
struct Simulation {
  var snapshots = Snapshots()
  var journal: Journal
  var events: EventFeed
  /// The first requests that a strict server refused as unexpected.
  private(set) var unexpected: [Exchange] = []
  /// The most of them that are kept: a client that goes on and on would fill the memory.
  private static let maximumUnexpected = 1_000
  /// Keeps the subscribers' connections alive while there are any.
  var heartbeat: EventLoopExecutor.ScheduledTask?
  private var exchangeCount = 0

  init(_ configuration: Server.Configuration) {
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
    // By chance and not by the time, since several servers of one database may begin in the same millisecond.
    events = EventFeed(run: String(UInt64.random(in: .min ... .max), radix: 36))
  }

  /// The number of the next exchange, from 1.
  mutating func nextExchangeID() -> Int {
    exchangeCount += 1
    return exchangeCount
  }

  /// Keeps an exchange, and passes it to the subscribers of events.
  ///
  /// - Parameter isKnown: Whether its request was recorded on its arrival.
  mutating func record(_ exchange: Exchange, isKnown: Bool) {
    // Those that a strict server refused as unexpected are kept apart, too.
    if exchange.isUnexpected, unexpected.count < Self.maximumUnexpected { unexpected.append(exchange) }
    events.publish(exchange)
    if isKnown { journal.replace(with: exchange) } else { journal.append(exchange) }
  }

  /// Removes the exchanges from the journal, the unexpected ones too.
  mutating func forgetExchanges() {
    journal.removeAll()
    unexpected = []
  }

  /// Ends all streams of events, and resumes the waiters for an exchange.
  mutating func endWaiting() {
    heartbeat?.cancel()
    events.end()
    journal.endWaiting()
  }
}
