import HTTPTypes
package import JSONServerHTTP
import JSONServerValues

/// A valid fault, hold or stub.
package struct Rule: Sendable {
  /// The kinds, in the order in which they are applied to a request.
  package enum Kind: String, Sendable, CaseIterable {
    case fault
    case hold
    case stub
  }

  /// The effect on a request.
  package enum Effect: Sendable {
    /// The request fails, or is delayed.
    case fault(FixedResponse, retryAfter: Int?)
    /// The request waits for its release.
    case hold
    /// The request gets the next of these responses; the last one repeats. `nil` leaves it to later stubs and to the data.
    case responses([FixedResponse?])
    /// The request gets the response of a closure.
    case handler(Stub.Handler)
  }

  /// The speeds at which bodies may flow, in bytes per second.
  package static let speeds = 1...1_000_000_000

  /// The requests that the rule matches, as given.
  package let request: RequestPattern
  /// The prepared pattern.
  package let matcher: RequestMatcher
  /// The number of requests that the rule affects; `nil` for no limit.
  package let times: Int?
  /// The delay of a request: a random time within the range.
  package let delay: ClosedRange<Duration>?
  /// The speed of a fault's bodies; `nil` for no limit.
  package let bytesPerSecond: Int?
  /// The part of the matching requests that the rule affects; `nil` for all.
  private var probability: Double?
  /// The sequence of requests that ``probability`` chooses.
  private var seed = 0
  /// Header fields that the rule adds to the response of whatever responds.
  package private(set) var addedFields: HTTPFields = [:]
  /// The record that a stub needs; without one, the request is left to later stubs and to the data.
  package private(set) var search: RecordSearch?
  package var effect: Effect
  /// The responses of the effect as they are sent, made once; `nil` for what the rule leaves to others.
  private let prepared: [PreparedResponse?]
  /// Whether the rule leaves alone requests for which the server has data, a page or a file.
  package var yieldsToData = false

  /// - Throws: 400 for numbers out of range, and for a pattern that no request can match.
  package init(
    _ request: RequestPattern, times: Int? = nil, delay: ClosedRange<Duration>? = nil, bytesPerSecond: Int? = nil,
    _ effect: Effect
  ) throws(RequestError) {
    if let times, times < 1 {
      throw RequestError(.malformed, "'times' must be at least 1, not \(times).", at: ["times"])
    }
    if let delay, delay.lowerBound < .zero {
      throw RequestError(.malformed, "'delay' must not be negative.", at: ["delay"])
    }
    if let bytesPerSecond, !Self.speeds.contains(bytesPerSecond) {
      throw RequestError(.malformed, "'bytesPerSecond' must be from 1 to 1000000000.", at: ["bytesPerSecond"])
    }
    if case .responses([]) = effect {
      throw RequestError(.malformed, "The stub has no responses.", at: ["responses"])
    }
    for response in effect.responses { try Self.check(status: response.status) }
    matcher = try RequestError.reading(["request"], RequestMatcher(request))
    self.request = request
    self.times = times
    self.delay = delay
    self.bytesPerSecond = bytesPerSecond
    self.effect = effect
    prepared = effect.prepared
  }

  /// - Throws: 400 for an invalid fault.
  package init(_ fault: Fault) throws(RequestError) {
    let response =
      switch fault.response {
      case nil: FixedResponse()
      case let response? where response.delivery == .lost: FixedResponse(delivery: .lost)
      case let response?: try FixedResponse(response)
      }
    try self.init(
      fault.request, times: fault.times, delay: fault.delay, bytesPerSecond: fault.bytesPerSecond,
      .fault(response, retryAfter: nil))
    try setProbability(fault.probability, seed: fault.seed)
  }

  /// - Throws: 400 for a number that is no probability.
  private mutating func setProbability(_ probability: Double?, seed: Int) throws(RequestError) {
    if let probability, !(probability > 0 && probability <= 1) {
      throw RequestError(
        .malformed, "'probability' must be above 0 and at most 1, not \(probability).", at: ["probability"])
    }
    (self.probability, self.seed) = (probability, seed)
  }

  /// Whether the rule affects a request that matches it. For the same seed, the sequence is always the same (SplitMix64).
  ///
  /// - Parameter count: The number of requests that have matched before.
  package func affects(after count: Int) -> Bool {
    guard let probability else { return true }
    var bits = UInt64(bitPattern: Int64(seed)) &* 0xD134_2543_DE82_EF95 &+ UInt64(count + 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ bits >> 31) >> 11) * 0x1p-53 < probability
  }

  /// Whether the rule leaves all requests to later stubs and to the data.
  package var leavesRequests: Bool { if case .responses([nil]) = effect { true } else { false } }

  /// Whether the effect on a request depends on its body.
  package var readsBody: Bool {
    matcher.comparesBody || search?.members.uses("body") == true
      || effect.responses.contains { $0.uses("body") }
  }

  /// - Throws: 400 for an invalid stub.
  package init(_ stub: Stub) throws(RequestError) {
    let effect: Effect
    switch stub.source {
    case .handler(let handler): effect = .handler(handler)
    case .shape(let value): effect = .responses([FixedResponse(body: .shape(try Shape(value)))])
    case .responses(let responses):
      effect = .responses(
        try responses.map { response throws(RequestError) in
          var fixed = try response.map(FixedResponse.init)
          // Unlike a fault's, the response has its own status until it ends.
          if case .truncated = response?.delivery { fixed?.status = response?.status }
          return fixed
        })
    }
    try self.init(stub.request, times: stub.times, delay: stub.delay, effect)
    addedFields = stub.addedFields
  }

  /// The response that replaces carrying out the request; `nil` for none, or when a closure makes it.
  ///
  /// - Parameter count: The number of requests that the rule has affected before.
  package func response(after count: Int) -> PreparedResponse? {
    prepared.isEmpty ? nil : prepared[min(count, prepared.count - 1)]
  }

  /// The response as ``response(after:)``, but with a shape filled.
  package func response(after count: Int, filledFrom values: (String) -> JSONValue?) -> PreparedResponse? {
    guard case .responses(let responses) = effect, let response = responses[min(count, responses.count - 1)],
      case .shape? = response.body
    else { return self.response(after: count) }
    return response.filled(from: values).prepared
  }

  package var kind: Kind {
    switch effect {
    case .fault: .fault
    case .hold: .hold
    case .responses, .handler: .stub
    }
  }

  /// - Throws: 400 for a status that is not final.
  package static func check(status: HTTPResponse.Status?) throws(RequestError) {
    guard let status, !(200...599).contains(status.code) else { return }
    throw RequestError(.malformed, "'status' must be a number from 200 to 599, not \(status.code).", at: ["status"])
  }
}

extension Rule.Effect {
  /// The fixed responses.
  package var responses: [FixedResponse] {
    get {
      switch self {
      case .fault(let response, _): [response]
      case .responses(let responses): responses.compactMap(\.self)
      case .hold, .handler: []
      }
    }
    set {
      switch self {
      case .fault(_, let seconds): self = .fault(newValue[0], retryAfter: seconds)
      case .responses: self = .responses(newValue)
      case .hold, .handler: break
      }
    }
  }

  /// How the fault has the response sent of whatever responds to the request; `nil` for a fault with a response of its own.
  package var disturbance: Response.Delivery? {
    if case .fault(let response, nil) = self { response.disturbance } else { nil }
  }

  /// The responses as they are sent. O(size of the bodies).
  fileprivate var prepared: [PreparedResponse?] {
    switch self {
    case .fault(let response, let seconds): [response.prepared(retryAfter: seconds)]
    case .responses(let responses): responses.map { $0?.prepared }
    case .hold, .handler: []
    }
  }
}

// MARK: JSON

extension Rule.Kind {
  /// The members of the pattern that may be members of the rule itself; all may be in an object named `request`.
  fileprivate var patternNames: Set<String> {
    switch self {
    case .fault: ["method", "path", "query", "unless"]
    case .hold: RequestPattern.memberNames
    case .stub: []
    }
  }

  private var memberNames: Set<String> {
    switch self {
    case .fault:
      patternNames.union(responseNames).union(Self.effectNames)
        .union(["request", "response", "bytesPerSecond", "retryAfter", "action"])
    case .hold: patternNames.union(["times"])
    case .stub: Self.effectNames.union(["request", "response", "responses", "find"])
    }
  }

  /// The members of faults and stubs beside their requests and responses.
  private static let effectNames: Set = ["times", "delay", "probability", "seed", "addHeaders"]

  /// The members of a response. Only a stub has a shape: a fault is what goes wrong.
  private var responseNames: Set<String> {
    self == .stub ? FixedResponse.memberNames : FixedResponse.memberNames.subtracting(["shape"])
  }

  /// Checks the names of a rule's members, and reads its pattern.
  fileprivate func pattern(_ body: StrictObject) throws(RequestError) -> RequestPattern {
    try body.allow(only: memberNames)
    let names = body.value("request") == nil ? patternNames : RequestPattern.memberNames
    return try RequestPattern(
      try part("request", of: body, RequestPattern.memberNames, beside: patternNames), reading: names)
  }

  fileprivate func responses(_ body: StrictObject, _ files: BodyFiles) throws(RequestError) -> [FixedResponse?] {
    let names = responseNames
    switch self {
    case .hold: return []
    case .fault: return [try FixedResponse(try part("response", of: body, names, beside: names), files: files)]
    case .stub:
      var objects = try body.objects("responses")
      if let response = try body.object("response") {
        guard objects == nil else {
          throw body.refusal(of: "response", "contradicts 'responses'; give one of the two.")
        }
        objects = [response]
      }
      guard let objects else {
        if body.value("delay") != nil || body.value("addHeaders") != nil { return [nil] }
        throw RequestError(
          .malformed,
          "The stub has no response; it needs 'response', 'responses' for several in order, or 'addHeaders' or 'delay' for those of the data."
        )
      }
      return try objects.map { object throws(RequestError) in
        try object.allow(only: names)
        return try FixedResponse(object, files: files)
      }
    }
  }

  /// The object with some members: the member with this name, or the whole body.
  private func part(
    _ name: String, of body: StrictObject, _ names: Set<String>, beside flat: Set<String>
  ) throws(RequestError) -> StrictObject {
    guard let part = try body.object(name) else { return body }
    try part.allow(only: names)
    if let other = flat.sorted().first(where: { body.member($0) != nil }) {
      throw body.refusal(of: other, "does not belong beside '\(name)'; move it into '\(name)'.")
    }
    return part
  }
}

extension Rule {
  /// Reads a rule from the body of a request to `/__admin`, or a stub from a stubs file.
  ///
  /// A fault has the members of its request and its response as its own members, or in objects named `request` and
  /// `response`. A hold has the members of its pattern.
  ///
  /// - Parameter isWhole: Whether the pattern's body must be the whole body of a request.
  /// - Throws: 400 that names the invalid member.
  package init(_ kind: Kind, _ body: StrictObject, files: BodyFiles, isWhole: Bool = false) throws(RequestError) {
    var request = try kind.pattern(body)
    if isWhole, let value = request.body.value { request.body = .equal(value) }
    let responses = try kind.responses(body, files)
    let times = try body.integer("times", in: 1...1_000_000)
    let delay = try body.delay()
    let bytesPerSecond = try body.integer("bytesPerSecond", in: Self.speeds)
    var effect: Effect
    switch kind {
    case .fault:
      let seconds = try body.integer("retryAfter", in: 0...1_000_000)
      let name = try body.string("action")
      let action = Response.Delivery.actions.first { $0.name == name }
      guard name == action?.name else {
        throw body.wrong("action", "one of \(Response.Delivery.actions.map(\.name).joined(separator: ", "))")
      }
      var response = responses[0] ?? FixedResponse()
      guard action != .lost || response == FixedResponse() && seconds == nil else {
        throw body.refusal(of: "action", "is lose: the data or a stub responds, so leave out status, headers and body.")
      }
      response.delivery = action ?? .normal
      effect = .fault(response, retryAfter: seconds)
    case .hold: effect = .hold
    case .stub: effect = .responses(responses)
    }
    try self.init(request, times: times, delay: delay, bytesPerSecond: bytesPerSecond, effect)
    if let value = body.value("probability"), value.double == nil { throw body.wrong("probability", "a number") }
    try setProbability(
      body.value("probability")?.double, seed: try body.integer("seed", in: 0...Int(Int32.max)) ?? 0)
    addedFields = try FixedResponse.headerFields(body, "addHeaders")
    search = kind == .stub ? try RecordSearch(body) : nil
    guard addedFields.isEmpty || response(after: 0) == nil else {
      throw body.refusal(of: "addHeaders", "is for the responses of the data; give a response of the rule 'headers'.")
    }
    guard
      kind != .fault || delay != nil || bytesPerSecond != nil || effect.disturbance != nil || !addedFields.isEmpty
        || response(after: 0) != nil
    else {
      throw RequestError(
        .malformed,
        "The fault does nothing; it needs one of delay, bytesPerSecond, status, body, bodyFile, events, headers, addHeaders, retryAfter and action."
      )
    }
  }

  /// The rule as JSON, in the form in which it is read; only Swift code creates a stub with a closure, which has no response,
  /// or with a response that is null or has an `action`.
  ///
  /// - Parameter timesLeft: How many more requests the rule affects.
  package func members(id: Int? = nil, timesLeft: Int? = nil) -> JSONObject {
    var members = JSONObject()
    members["id"] = id.map { .number(JSONNumber($0)) }
    let pattern = matcher.pattern
    if kind != .stub, kind.patternNames.isSuperset(of: pattern.members.map(\.name)) {
      for (name, value) in pattern.members { members[name] = value }
    } else {
      members["request"] = .object(pattern.members)
    }
    if case .responses(let responses) = effect {
      let values = responses.map { $0.map { JSONValue.object($0.members) } ?? .null }
      if values.count > 1 { members["responses"] = .array(values) }
      if values.count == 1, responses[0] != nil { members["response"] = values[0] }
    }
    members["find"] = search?.value
    members["addHeaders"] = FixedResponse.members(of: addedFields)
    members["probability"] = probability.map { JSONValue($0) }
    if seed != 0 { members["seed"] = JSONValue(seed) }
    members["times"] = timesLeft.map { .number(JSONNumber($0)) }
    members["delay"] = delay?.milliseconds
    members["bytesPerSecond"] = bytesPerSecond.map { .number(JSONNumber($0)) }
    if case .fault(let response, let seconds) = effect {
      for (name, value) in response.members { members[name] = value }
      members["retryAfter"] = seconds.map { .number(JSONNumber($0)) }
    }
    return members
  }
}

extension ClosedRange<Duration> {
  /// A random duration within the range: the lower bound plus whole milliseconds, up to 300 million years.
  package func length(_ random: () -> UInt64) -> Duration {
    let span = UInt64(Swift.min((upperBound - lowerBound) / .milliseconds(1), 0x1p63.nextDown))
    return lowerBound + .milliseconds(Int64(random() % (span + 1)))
  }

  /// The range as JSON, in milliseconds.
  fileprivate var milliseconds: JSONValue {
    let bounds = [lowerBound, upperBound].map { JSONValue(rounding: $0 / .milliseconds(1)) }
    return bounds[0] == bounds[1] ? bounds[0] : .array(bounds)
  }
}

extension StrictObject {
  /// The delay: milliseconds, or a range.
  func delay() throws(RequestError) -> ClosedRange<Duration>? {
    guard let value = value("delay") else { return nil }
    let bounds = value.array ?? [value, value]
    let limit = 0...600_000
    guard bounds.count == 2, let lower = bounds[0].int, let upper = bounds[1].int, lower <= upper,
      limit.contains(lower), limit.contains(upper)
    else { throw wrong("delay", "milliseconds up to 600000, or a range of them such as [100, 500]") }
    return .milliseconds(lower) ... .milliseconds(upper)
  }
}
