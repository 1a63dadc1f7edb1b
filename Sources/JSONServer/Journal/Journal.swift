import DequeModule
import HTTPTypes
import JSONDatabase
import JSONServerValues

/// The newest exchanges of a server, and the callers that wait for a future exchange.
///
/// A journal belongs to one engine.
final class Journal {
  /// A caller that waits for an exchange.
  struct Waiter {
    /// The exchange after which it waits.
    let last: Int
    let predicate: @Sendable (Exchange) -> Bool
    let continuation: CheckedContinuation<Exchange?, Never>
    let deadline: EventLoopExecutor.ScheduledTask
  }

  private let capacity: Int
  /// The largest number of bytes of all kept exchanges and events, so that large bodies do not fill the memory.
  var byteCapacity: Int {
    didSet {
      unexpected.limit(to: unexpectedCapacity)
      keptBytes = kept.reduce(0) { $0 + ownBytes(of: $1) }
      dropOldest()
    }
  }
  /// Half of the bytes stay for other exchanges.
  private var unexpectedCapacity: Int { byteCapacity / 2 }
  /// The bytes of the kept events, which leave less for exchanges.
  private var eventBytes = 0
  // Only the engine uses these, and no change of one of them calls back into this object; so the run-time checks of each
  // access would only cost every request time.
  /// The exchanges in the order of their responses, which is the order in which they are dropped.
  @exclusivity(unchecked) private var kept: Deque<Exchange> = []
  @exclusivity(unchecked) private(set) var waiters: [Int: Waiter] = [:]
  private var keptBytes = 0
  /// The first requests that a strict server refused as unexpected, also after ``exchanges`` has dropped them.
  private(set) var unexpected = UnexpectedExchanges()
  private var lastID = 0
  /// The largest number of an exchange that was kept.
  private var newestID = 0
  /// Whether the bytes of a large body are being made.
  private var isMakingBytes = false

  init(capacity: Int, byteCapacity: Int) {
    self.capacity = max(capacity, 0)
    self.byteCapacity = max(byteCapacity, 0)
  }

  /// The kept exchanges, oldest first.
  var exchanges: [Exchange] {
    // An array of an empty deque would write its count into the one empty array that all threads share.
    kept.isEmpty ? [] : kept.sorted { $0.id < $1.id }
  }

  /// The exchange with a number, if the journal still has it. O(number of exchanges).
  subscript(id: Int) -> Exchange? { kept.last { $0.id == id } ?? unexpected.all.first { $0.id == id } }

  /// The number of bytes of all kept exchanges.
  var byteCount: Int { keptBytes + unexpected.byteCount }

  /// The number of the next exchange, from 1.
  func nextID() -> Int {
    lastID += 1
    return lastID
  }

  // MARK: Recording

  /// Records a request and its response, and passes them to the subscribers of events and to the log.
  ///
  /// - Parameters:
  ///   - response: The response as it is sent.
  ///   - body: The response's body before compression.
  func record(
    _ context: RequestContext, _ response: consuming PreparedResponse, body: Response.Content,
    on engine: isolated Engine
  ) {
    // A stream in the journal would not end when its subscriber disconnects.
    response.body = if case .stream = body { .bytes([]) } else { body }
    let exchange = exchange(of: context, consume response, engine.configuration)
    if context.isAdministrative || context.isJournaled { engine.configuration.onEvent(.responded(exchange)) }
    guard context.isJournaled else { return }
    if exchange.isUnexpected { unexpected.add(exchange, within: unexpectedCapacity) }
    publish(exchange, on: engine)
    append(exchange)
    if case .slices = body { keepBytes(on: engine) }
  }

  private func publish(_ exchange: Exchange, on engine: isolated Engine) {
    guard engine.events.hadSubscribers else { return }
    engine.events.publish(exchange)
    eventBytes = engine.events.byteCount
  }

  /// Records the arrival of a request whose response may take long.
  func recordArrival(of context: RequestContext, on engine: isolated Engine) {
    let exchange = exchange(of: context, nil, engine.configuration)
    publish(exchange, on: engine)
    append(exchange)
  }

  private func exchange(
    of context: RequestContext, _ response: consuming PreparedResponse?, _ configuration: Server.Configuration
  ) -> Exchange {
    Exchange(
      id: context.number, request: context.original, hidesSecrets: !configuration.showsSecrets, route: context.route,
      response: response, respondedAt: System.now, duration: System.uptime - context.started, notes: context.met)
  }

  /// Replaces large bodies by their bytes, so that they do not keep old versions of the data in memory.
  ///
  /// Works on one body after the other, the newest first, and skips exchanges that the journal has dropped by then.
  private func keepBytes(on engine: isolated Engine) {
    guard !isMakingBytes, let exchange = newestInSlices, case .slices(let body) = exchange.sent.body else { return }
    isMakingBytes = true
    WorkerThreads.calculations.run {
      let whole = exchange.with(body.bytes)
      engine.execute { engine in
        engine.journal.isMakingBytes = false
        engine.journal.replace(with: whole)
        engine.journal.keepBytes(on: engine)
      }
    }
  }

  /// Adds an exchange, or replaces the one with its id; then drops old ones, and resumes the callers that wait for it.
  func append(_ exchange: Exchange) {
    if exchange.id <= newestID, let index = kept.lastIndex(where: { $0.id == exchange.id }) {
      // The old body was missing, or its size an estimate.
      keptBytes -= ownBytes(of: kept[index])
      kept[index] = exchange
    } else {
      kept.append(exchange)
      newestID = max(newestID, exchange.id)
    }
    keptBytes += ownBytes(of: exchange)
    dropOldest()
    resumeWaiters(with: exchange)
  }

  /// Replaces the exchange with the same id, if the journal still has it.
  func replace(with exchange: Exchange) {
    if self[exchange.id] != nil { append(exchange) }
  }

  /// The newest exchange with a large body whose bytes are not made yet.
  var newestInSlices: Exchange? {
    kept.last { if case .slices = $0.sent.body { true } else { false } }
  }

  private func resumeWaiters(with exchange: Exchange) {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waiters where exchange.id > waiter.last && waiter.predicate(exchange) {
      endWaiting(number, with: exchange)
    }
  }

  private func dropOldest() {
    while kept.count > capacity || byteCount + eventBytes > byteCapacity, let oldest = kept.popFirst() {
      keptBytes -= ownBytes(of: oldest)
    }
  }

  /// The bytes of an exchange; none for one that counts among the unexpected ones.
  private func ownBytes(of exchange: Exchange) -> Int { unexpected.has(exchange) ? 0 : exchange.byteCount }

  /// Removes all exchanges that have a response, including the unexpected ones; callers keep waiting.
  func removeAll() {
    kept.removeAll { $0.state == .responded }
    unexpected = UnexpectedExchanges()
    keptBytes = kept.reduce(0) { $0 + $1.byteCount }
  }

  // MARK: Waiting

  /// Returns the oldest exchange after an id that matches, as soon as it exists; `nil` after the time limit.
  func exchange(
    after id: Int, timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool,
    on engine: isolated Engine
  ) async -> Exchange? {
    if let found = exchanges.first(where: { $0.id > id && predicate($0) }) { return found }
    guard timeout > .zero, engine.phase != .closed else { return nil }
    let number = engine.nextNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let deadline = engine.execute(after: timeout) { $0.journal.endWaiting(number) }
        waiters[number] = Waiter(last: id, predicate: predicate, continuation: continuation, deadline: deadline)
      }
    } onCancel: {
      engine.execute { $0.journal.endWaiting(number) }
    }
  }

  /// Resumes a caller, unless it was resumed before.
  private func endWaiting(_ number: Int, with exchange: Exchange? = nil) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.deadline.cancel()
    waiter.continuation.resume(returning: exchange)
  }

  /// Resumes all callers.
  func endWaiting() {
    for number in waiters.keys { endWaiting(number) }
  }
}

/// The first exchanges whose requests a strict server refused as unexpected, in the order of their responses.
struct UnexpectedExchanges {
  /// The largest number of exchanges, so that a client in a loop does not fill the memory.
  static let capacity = 1_000

  private(set) var all: [Exchange] = []
  private(set) var byteCount = 0
  private var known: Set<ObjectIdentifier> = []

  /// Keeps an exchange, unless there are too many or they would be too large together.
  mutating func add(_ exchange: Exchange, within byteCapacity: Int) {
    guard all.count < Self.capacity, byteCount + exchange.byteCount <= byteCapacity else { return }
    all.append(exchange)
    byteCount += exchange.byteCount
    known.insert(ObjectIdentifier(exchange))
  }

  /// Drops the newest exchanges that are too large together.
  mutating func limit(to byteCapacity: Int) {
    while byteCount > byteCapacity, let last = all.popLast() {
      byteCount -= last.byteCount
      known.remove(ObjectIdentifier(last))
    }
  }

  func has(_ exchange: Exchange) -> Bool { exchange.isUnexpected && known.contains(ObjectIdentifier(exchange)) }
}

/// A request and its response in the journal.
///
/// The members of the request are also members of the exchange: `exchange.path` is `exchange.request.path`.
@dynamicMemberLookup
public final class Exchange: Sendable {
  /// The progress of a request.
  public enum State: String, Sendable, Hashable {
    /// The server has received the request, and a hold keeps it waiting.
    case received
    /// The server has responded.
    case responded
  }

  /// A number that grows with each request of a server, from 1.
  public let id: Int
  /// The request as it was sent: before rewrite rules and method overrides.
  public let request: Request
  /// The target as the journal, events and the log show it: without secrets, unless the server shows them.
  package var shownTarget: String { hidesSecrets ? SecretText.target(request.target) : request.target }
  private let hidesSecrets: Bool
  /// The parts that faults and expectations match.
  package let route: EffectiveRoute
  /// The progress of the request. An exchange does not change: the response creates another exchange with the same id.
  public let state: State
  /// The part of a response that the server has sent.
  public enum Delivery: String, Sendable, Hashable {
    /// The whole response.
    case whole
    /// The head and a part of the body, as ``Response/truncated`` demands.
    case cut
    /// No response: the connection was reset.
    case reset
    /// No response: the request still waits, or ``Response/hang`` keeps the connection open and silent.
    case nothing
    /// No response: the client had gone before.
    case left
  }

  /// The part of the response that the server has sent. A client that goes away while it reads is not noticed.
  public var delivery: Delivery {
    if state == .received { return .nothing }
    if notes?.hasLeft == true { return .left }
    return switch sent.delivery {
    case .normal: .whole
    case .truncated: .cut
    case .reset, .lost: .reset
    case .hang: .nothing
    }
  }
  /// The response; `nil` when the server has sent none of it. See ``delivery``.
  ///
  /// The body is the one before compression, and whole even if it was cut. For a HEAD it is the body of the GET; for a
  /// stream it is empty.
  public var response: Response? {
    switch delivery {
    case .whole, .cut: sent.response
    case .reset, .nothing, .left: nil
    }
  }
  /// The response as it was sent, or would have been without a fault; without its validator among the fields.
  package let sent: PreparedResponse
  /// When the request had been read, in seconds since 1970.
  public var time: Double { respondedAt - duration / .seconds(1) }
  /// When the response was passed to the transport, in seconds since 1970.
  private let respondedAt: Double
  /// The bytes of the request, and of the response's body; an estimate for a body in slices.
  let byteCount: Int
  /// The rules that matched the request; `nil` for none.
  let notes: MatchNotes?
  /// The time between reading the request's last byte and passing the response to the transport.
  public let duration: Duration

  /// The same exchange with the bytes of its body.
  func with(_ bytes: [UInt8]) -> Exchange {
    Exchange(
      id: id, request: request, hidesSecrets: hidesSecrets, route: route, response: sent.with(.bytes(bytes)),
      respondedAt: respondedAt, duration: duration, notes: notes)
  }

  package init(
    id: Int, request: Request, hidesSecrets: Bool = true, route: EffectiveRoute,
    response: consuming PreparedResponse?, respondedAt: Double, duration: Duration, notes: MatchNotes? = nil
  ) {
    self.id = id
    self.request = request
    self.hidesSecrets = hidesSecrets
    self.route = route
    if let response = consume response {
      state = .responded
      sent = response
    } else {
      state = .received
      sent = PreparedResponse(status: HTTPResponse.Status(code: 0))
    }
    byteCount = request.byteCount + sent.estimatedByteCount
    self.notes = notes
    self.respondedAt = respondedAt
    self.duration = duration
  }

  /// A member of the request.
  public subscript<Value>(dynamicMember member: KeyPath<Request, Value>) -> Value { request[keyPath: member] }

  /// The status, or what became of the response in its place: `201`, `connection reset`.
  package var outcome: String {
    switch delivery {
    case .whole, .cut, .reset: sent.delivery.summary(of: sent.status)
    case .nothing: state == .received ? "no response yet, the request is held" : sent.delivery.summary(of: sent.status)
    case .left: "no response, the client had gone"
    }
  }

  /// Returns the request's body as a Swift value; see ``Request/decode(_:decoder:)``.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value { try request.decode(type, decoder: decoder) }

  /// Whether a strict server refused the request: its path, its method or one of its parameters is unknown.
  public var isUnexpected: Bool { notes?.isUnexpected ?? false }

  /// Whether the server's OpenAPI document forbids the request: a parameter or the body is not as the document says.
  public var isInvalid: Bool { sent.isInvalid }

  /// The error message of the response; `nil` for none.
  package var refusal: String? { sent.errorMessage }

  /// The id of the request's hold; `nil` for none.
  package var hold: Int? { notes?.hold }

  /// The members without header fields and bodies, as the journal and the events show them.
  var summary: JSONObject {
    var members = JSONObject([
      ("id", .number(JSONNumber(id))),
      ("time", .string(Timestamp(secondsSince1970: time).rfc3339)),
      ("method", .string(request.method.rawValue)),
      ("path", .string(shownTarget)),
      ("status", state == .received ? .null : .number(JSONNumber(sent.status.code))),
      ("milliseconds", state == .received ? .null : JSONValue(rounding: duration / .milliseconds(1))),
      ("state", .string(state.rawValue)),
      ("delivery", .string(sent.delivery.name)),
      ("matched", notes?.value ?? .null),
    ])
    if isUnexpected { members["unexpected"] = true }
    members["bytesPerSecond"] = sent.bytesPerSecond.map { .number(JSONNumber($0)) }
    return members
  }

  /// The exchange as `/__admin/requests` lists it, with at most 64 KiB of each body. O(size of the bodies).
  var value: JSONValue { value(showing: 64 * 1024) }

  /// - Parameter maximumBytes: The largest number of bytes of a body.
  func value(showing maximumBytes: Int) -> JSONValue {
    var members = summary
    members["requestHeaders"] = .object(shown(request.headerFields).members)
    members["requestBody"] = text(request.bytes, request.headerFields, maximumBytes)
    let response = state == .responded ? sent.response : nil
    let fields = response?.headerFields ?? [:]
    members["responseHeaders"] = .object(shown(fields).members)
    members["responseBody"] = text(response?.bytes ?? [], fields, maximumBytes)
    return .object(members)
  }

  /// The exchange with its header fields and bodies, as text; without secrets, unless the server shows them.
  package var report: String {
    let received = response.map { "\n" + message($0.headerFields, $0.bytes) } ?? ""
    let sent = message(request.headerFields, request.bytes)
    return "#\(id) after \(duration)\n\(request.method.rawValue) \(shownTarget)\n\(sent)\n→ \(outcome)\(received)"
  }

  private func message(_ fields: HTTPFields, _ body: [UInt8]) -> String {
    let head = shown(fields).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    guard !body.isEmpty else { return head }
    let shown = hidesSecrets ? SecretText.body(body, type: fields[.contentType]) : body
    return "\(head)\n\n\(String(decoding: shown, as: UTF8.self))"
  }

  private func shown(_ fields: HTTPFields) -> HTTPFields { hidesSecrets ? SecretText.fields(fields) : fields }

  /// The beginning of a body, cut between characters; null for none, and for a body that is not text.
  private func text(_ body: [UInt8], _ fields: HTTPFields, _ maximumBytes: Int) -> JSONValue {
    guard !body.isEmpty else { return .null }
    let whole = hidesSecrets ? SecretText.body(body, type: fields[.contentType]) : body
    var shown = whole.prefix(maximumBytes)
    if shown.count < whole.count {
      // The character at the cut: its first byte and the following ones.
      while let last = shown.last, last & 0b1100_0000 == 0b1000_0000 { shown.removeLast() }
      if let last = shown.last, last >= 0x80 { shown.removeLast() }
    }
    guard !shown.contains(0), let text = String(validating: shown, as: UTF8.self) else { return .null }
    return .string(text)
  }
}

extension Exchange: CustomStringConvertible {
  /// One line: `POST /bookmarks?draft=1 → 201, stub 2 {"title":"Swift"}`, with at most 300 characters of the body.
  public var description: String {
    let met = (notes?.value?.object ?? JSONObject()).map { ", \($0.name) \($0.value.text(pretty: false))" }.joined()
    let head = "\(request.method.rawValue) \(request.target) → \(outcome)\(met)"
    guard !request.bytes.isEmpty else { return head }
    let body = request.json?.text(pretty: false) ?? "(binary)"
    return "\(head) \(body.prefix(300))\(body.count > 300 ? "…" : "")"
  }
}

extension MatchNotes {
  /// The matching rules as `/__admin/requests` shows them; `nil` for none.
  fileprivate var value: JSONValue? {
    var members = JSONObject()
    members["rule"] = rewriteRule.map { .string($0) }
    for (name, id) in [("fault", fault), ("hold", hold), ("stub", stub)] {
      members[name] = id.map { .number(JSONNumber($0)) }
    }
    members["proxy"] = upstream.map { .string($0) }
    return members.isEmpty ? nil : .object(members)
  }
}
