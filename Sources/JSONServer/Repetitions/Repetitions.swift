import DequeModule
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage

/// Responds to repeated requests, those with the same `Idempotency-Key`, with the response to the first one.
///
/// The responses are rows of the server's state: servers that share the data share the responses, and store each with the
/// change that it reports.
final class Repetitions {
  /// The first request with a key, on its way.
  struct Turn: Sendable {
    let name: String
    /// The method, the target and the body, in short.
    let request: String
    /// Tells requests apart that had the key one after the other.
    let number: Int
  }

  /// Carries a request out.
  typealias Step = @Sendable (isolated Engine, RequestContext) -> Void

  private struct UnderWay {
    let turn: Turn
    /// The repetitions that wait for the response, by numbers.
    var waiting: [(number: Int, context: RequestContext, goOn: Step)] = []
  }

  static let lifetime: Int64 = 24 * 60 * 60
  /// How many responses are kept; a test keeps fewer.
  var capacity = 10_000
  /// The largest number of bytes of all kept responses of a server and its sessions.
  static let byteCapacity = 32 * 1024 * 1024
  /// The part of them that this server or session may keep.
  var byteCapacity = Repetitions.byteCapacity
  /// How long a repetition waits for the first request.
  static let patience = Duration.seconds(10)

  private var underWay: [String: UnderWay] = [:]
  /// The sizes of the kept responses, by name, and the names in the order in which they were kept.
  private var sizes: [String: Int] = [:]
  private var order: Deque<(name: String, second: Int64)> = []
  private(set) var byteCount = 0

  /// Carries out a request with a key, unless it repeats an earlier one.
  func pass(_ context: RequestContext, key: String, on engine: isolated Engine, _ goOn: @escaping Step) {
    let (request, name) = (context.request, Self.name(of: key, context, on: engine))
    let hash = ContentHash(of: request.bytes).value
    let turn = Turn(
      name: name, request: "\(request.method) \(request.target) \(request.bytes.count) \(hash)",
      number: engine.nextNumber())
    let earlier = kept(name, on: engine)
    // A request that an OpenAPI document allows is refused only by the document.
    if let other = earlier?.request ?? underWay[name]?.turn.request, other != turn.request,
      engine.configuration.contract != nil
    {
      return goOn(engine, context)
    }
    do throws(RequestError) {
      if let kept = earlier {
        try Self.check(kept.request, is: turn)
        return engine.finalize(context, kept.response)
      }
      guard let first = underWay[name] else {
        underWay[name] = UnderWay(turn: turn)
        return goOn(engine, context.noting { $0.repetition = turn })
      }
      try Self.check(first.turn.request, is: turn)
      underWay[name]?.waiting.append((turn.number, context, goOn))
      engine.schedule(after: Self.patience) { $0.repetitions.refuse(turn, on: $0) }
    } catch {
      engine.finalize(context, error.response())
    }
  }

  /// The kept response to a request that is carried out again, since another server was first; `nil` where nothing is
  /// shared, or the other request was another one.
  func response(toAgain context: RequestContext, on engine: isolated Engine) -> PreparedResponse? {
    guard engine.writes.state.isSaved, let turn = context.met?.repetition else { return nil }
    return kept(turn.name, on: engine)?.response
  }

  /// What is kept for a name: a repetition does not get a response that is too old, or whose record is deleted.
  private func kept(_ name: String, on engine: isolated Engine) -> Kept? {
    guard let kept = Kept(engine.writes.state[.response, name]), kept.second + Self.lifetime > Self.now,
      !engine.lacksRecord(of: kept.response)
    else { return nil }
    return kept
  }

  /// Keeps the response to a change in the commit of the change, where servers share the data.
  func keep(_ response: PreparedResponse, to context: RequestContext, withItsChangeOn engine: isolated Engine) {
    guard engine.writes.state.isSaved, let turn = context.met?.repetition, let kept = Kept(response, to: turn) else {
      return
    }
    keep(kept, of: turn) { change in engine.changeStateNow(change) }
  }

  /// Keeps the response to the first request with a key, and lets its repetitions go on.
  func end(_ turn: Turn, with response: borrowing PreparedResponse, on engine: isolated Engine) {
    guard underWay[turn.name]?.turn.number == turn.number, let first = underWay.removeValue(forKey: turn.name) else {
      return
    }
    if sizes[turn.name] == nil, let kept = Kept(copy response, to: turn) {
      keep(kept, of: turn) { change in engine.changeState(change) { _, _ in } }
    }
    for (_, context, goOn) in first.waiting {
      engine.execute { engine in engine.passOnce(context, goOn) }
    }
  }

  private func keep(
    _ kept: Kept, of turn: Turn, by change: (@escaping @Sendable (inout ServerState) -> Void) -> Void
  ) {
    var gone: [String] = []
    var rest = byteCount + kept.size
    while let oldest = order.first,
      order.count >= capacity || rest > byteCapacity || oldest.second + Self.lifetime < Self.now
    {
      order.removeFirst()
      guard let size = sizes[oldest.name] else { continue }
      rest -= size
      gone.append(oldest.name)
    }
    change { [gone] state in
      for name in gone { state[.response, name] = nil }
      state[.response, turn.name] = kept.value
    }
  }

  /// Refuses a repetition that has waited for long.
  private func refuse(_ turn: Turn, on engine: isolated Engine) {
    guard let index = underWay[turn.name]?.waiting.firstIndex(where: { $0.number == turn.number }),
      let waiting = underWay[turn.name]?.waiting.remove(at: index)
    else { return }
    let error = RequestError(
      .underWay, "The first request with this Idempotency-Key is still under way; repeat this one.")
    engine.finalize(waiting.context, error.response())
  }

  /// Follows the kept responses, those of other servers among them.
  func follow(_ keys: [ServerState.Key], in state: ServerState) {
    for key in keys where key.kind == .response {
      byteCount -= sizes.removeValue(forKey: key.name) ?? 0
      guard let kept = Kept(state[.response, key.name]) else { continue }
      sizes[key.name] = kept.size
      byteCount += kept.size
      order.append((key.name, kept.second))
    }
  }

  /// Forgets all responses, since the data is another.
  func forget(on engine: isolated Engine) {
    guard !sizes.isEmpty else { return }
    engine.changeStateNow(Self.removeAll)
    order = []
  }

  /// Forgets all responses, since servers that share the data have other data, and continues when that is saved.
  func forget(on engine: isolated Engine, then completion: @escaping @Sendable (isolated Engine) -> Void) {
    guard !sizes.isEmpty else { return completion(engine) }
    order = []
    engine.changeState(Self.removeAll) { engine, _ in completion(engine) }
  }

  @Sendable private static func removeAll(of state: inout ServerState) {
    for name in state[.response].keys { state[.response, name] = nil }
  }

  /// A user's keys are the user's own.
  private static func name(of key: String, _ context: RequestContext, on engine: isolated Engine) -> String {
    let user = (try? engine.authorization?.user(of: context.request)) ?? ""
    return "\(user.utf8.count)/\(user)/\(key)"
  }

  private static func check(_ first: String, is turn: Turn) throws(RequestError) {
    guard first != turn.request else { return }
    throw RequestError(
      .otherRequest,
      "Another request had this Idempotency-Key: its method, target or body differs. Give each request a key of its own."
    )
  }

  private static var now: Int64 { Int64(System.now) }

  /// A kept response.
  private struct Kept {
    let request: String
    let second: Int64
    let response: PreparedResponse
    let value: JSONValue
    let size: Int

    /// - Returns: `nil` for a response that a repetition does not get: that of a fault or an overload, or a stream.
    init?(_ response: PreparedResponse, to turn: Turn) {
      switch response.status.code {
      case 401, 403, 429, 500...: return nil
      case _: break
      }
      guard response.delivery == .normal else { return nil }
      if case .stream = response.body { return nil }
      let whole = response.response
      let fields = whole.headerFields.map { JSONValue.array([.string($0.name.rawName), .string($0.value)]) }
      let members: [(String, JSONValue)] = [
        ("request", .string(turn.request)), ("second", JSONValue(Int(Repetitions.now))),
        ("status", JSONValue(whole.status.code)), ("fields", .array(fields)), ("body", .string(bytes: whole.bytes)),
      ]
      self.init(.object(JSONObject(members)))
    }

    /// - Returns: `nil` for `nil`, and for what another version of the program has written.
    init?(_ value: JSONValue?) {
      guard let value, let request = value["request"]?.string, let second = value["second"]?.int,
        let status = value["status"]?.int, let fields = value["fields"]?.array, let body = value["body"]
      else { return nil }
      (self.request, self.second, self.value) = (request, Int64(second), value)
      var headerFields = HTTPFields()
      for field in fields {
        guard let name = field.array?.first?.string.flatMap({ HTTPField.Name($0) }),
          let text = field.array?.last?.string
        else { continue }
        headerFields.append(HTTPField(name: name, value: text))
      }
      let bytes = body.bytes
      response = PreparedResponse(
        status: HTTPResponse.Status(code: status).withPhrase, headerFields: headerFields, body: .bytes(bytes))
      size = bytes.count + request.utf8.count + 256
    }
  }
}

extension Engine {
  /// Carries a request out, unless it repeats an earlier one with the same `Idempotency-Key`.
  func passOnce(_ context: RequestContext, _ goOn: @escaping Repetitions.Step) {
    guard !context.request.isSafe, let key = context.request.headerFields.first(.idempotencyKey), !key.isEmpty else {
      return goOn(self, context)
    }
    repetitions.pass(context, key: key, on: self, goOn)
  }

  /// Whether a response leads to a record that an OpenAPI document describes, and that is deleted by now.
  fileprivate func lacksRecord(of response: PreparedResponse) -> Bool {
    guard let contract = configuration.contract, let location = response.headerFields[.location] else { return false }
    return contract.lacksRecord(at: location, in: writes.database)
  }
}
