/// What a mock does besides serving data: what goes wrong, what is fixed, what is kept and what is reported.
struct Simulation {
  var faults = Faults()
  var stubs: Stubs
  var snapshots = Snapshots()
  var journal: Journal
  var events: EventFeed
  /// Keeps the subscribers' connections alive while there are any.
  var heartbeat: EventLoopExecutor.ScheduledTask?
  private var exchangeCount = 0

  /// - Parameter session: The name of the session that it is of.
  init(_ configuration: Server.Configuration, session: SessionName? = nil) {
    stubs = Stubs(configuration.stubs)
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
    // The time at which it began names its run: no other of the same data began then.
    events = EventFeed(run: String(Int(System.now * 1000), radix: 36) + (session.map { ".\($0.text)" } ?? ""))
  }

  /// The number of the next exchange, from 1.
  mutating func nextExchangeID() -> Int {
    exchangeCount += 1
    return exchangeCount
  }

  /// Ends all streams of events, and resumes the waiters for an exchange.
  mutating func endWaiting() {
    heartbeat?.cancel()
    events.end()
    journal.endWaiting()
  }
}
