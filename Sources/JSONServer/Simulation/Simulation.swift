import HTTPTypes

/// What a mock does besides serving data: what goes wrong, what waits, what is fixed, what is kept and what is reported.
struct Simulation {
  var faults = RuleTable<Fault>()
  var holds = Holds()
  var stubs: Stubs
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

  init(_ configuration: Server.Configuration, _ stubs: Stubs) {
    self.stubs = stubs
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
    // By chance and not by the time, since several servers of one database may begin in the same millisecond.
    events = EventFeed(run: String(UInt64.random(in: .min ... .max), radix: 36))
  }

  /// Whether requests may meet anything at all.
  var hasRules: Bool { !(faults.isEmpty && holds.isEmpty && stubs.isEmpty) }

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

  // MARK: Faults and stubs

  /// Returns the first fault that a request meets, and counts it.
  mutating func nextFault(for request: MatchableRequest) -> (id: Int, fault: Fault)? {
    faults.next(for: request).map { ($0.id, $0.value) }
  }

  /// Adds a rule of the server's own, and returns its id; a fault counts after the others, a stub before them.
  ///
  /// - Throws: 400 for a rule that cannot be used.
  mutating func add(_ rule: SharedRule.New) throws(RequestError) -> Int {
    switch rule {
    case .fault(let fault): faults.add(fault, for: try Self.matcher(of: fault), times: fault.times)
    case .stub(let stub): try stubs.add(stub)
    }
  }

  /// Removes a rule of the server's own, or all of a kind.
  ///
  /// - Returns: Whether there was one; always, for all of a kind.
  mutating func removeOwn(_ kind: SharedRule.Kind, _ id: Int?) -> Bool {
    switch (kind, id) {
    case (.fault, let id?): return faults[id]?.isShared == false && faults.remove(id)
    case (.fault, nil): faults.removeOwn()
    case (.stub, let id?): return stubs.table[id]?.isShared == false && stubs.table.remove(id)
    case (.stub, nil): stubs.table.removeOwn()
    }
    return true
  }

  // MARK: Checks

  /// Checks a fault and prepares its pattern.
  static func matcher(of fault: Fault) throws(RequestError) -> RequestMatcher {
    try check(times: fault.times, delay: fault.delay)
    try check(status: fault.response.status)
    return try RequestMatcher(fault.request)
  }

  /// - Throws: 400 for numbers that make no sense.
  static func check(times: Int?, delay: ClosedRange<Duration>? = nil) throws(RequestError) {
    if let times, times < 1 {
      throw RequestError(.malformed, "'times' must be at least 1, not \(times).", at: ["times"])
    }
    if let delay, delay.lowerBound < .zero {
      throw RequestError(.malformed, "'delay' must not be negative.", at: ["delay"])
    }
  }

  /// - Throws: 400 for a status that ends no exchange.
  static func check(status: HTTPResponse.Status?) throws(RequestError) {
    guard let status, !(200...599).contains(status.code) else { return }
    throw RequestError(.malformed, "'status' must be a number from 200 to 599, not \(status.code).", at: ["status"])
  }
}
