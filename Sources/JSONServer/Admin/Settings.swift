import JSONServerValues

/// The settings that can be changed while a server runs.
struct Settings: Sendable {
  /// The values at one moment.
  private struct Values: Sendable {
    var delay: Duration
    var isReadOnly: Bool
    var bytesPerSecond: Int?
    var clockOffset: Duration

    /// Sets the values of members as servers share them.
    mutating func apply(_ members: JSONObject) {
      if let milliseconds = members["delay"]?.int { delay = .milliseconds(milliseconds) }
      if let isReadOnly = members["readOnly"]?.bool { self.isReadOnly = isReadOnly }
      if let speed = members["bytesPerSecond"]?.int { bytesPerSecond = speed > 0 ? speed : nil }
      if let offset = members["now"]?.int { clockOffset = .milliseconds(offset) }
    }
  }

  /// The values of the configuration.
  private let start: Values
  private var values: Values

  /// Creates the settings of a server.
  init(_ configuration: Server.Configuration) {
    let now = configuration.now?.timeIntervalSince1970
    start = Values(
      delay: configuration.delay, isReadOnly: configuration.isReadOnly, bytesPerSecond: configuration.bytesPerSecond,
      clockOffset: .seconds(now.map { $0 - System.now } ?? 0))
    values = start
  }

  /// The delay of every response.
  var delay: Duration { values.delay }
  /// Whether the server refuses every change.
  var isReadOnly: Bool { values.isReadOnly }
  /// The speed at which bodies flow; `nil` for no limit.
  var bytesPerSecond: Int? { values.bytesPerSecond }
  /// How much later than the clock it is, when a test sets the time.
  var clockOffset: Duration { values.clockOffset }

  /// The time in seconds since 1970.
  var now: Double { System.now + clockOffset / .seconds(1) }

  /// The `Date` of responses while a test sets the time; `nil` for that of the clock.
  var date: String? {
    clockOffset == .zero ? nil : HTTPDate(secondsSince1970: Int64(now.rounded(.down))).text
  }

  /// The settings with changes that all servers share.
  func changed(by members: JSONObject) -> Settings {
    var settings = self
    settings.values = start
    settings.values.apply(members)
    // A server that was started read-only stays read-only.
    if start.isReadOnly { settings.values.isReadOnly = true }
    return settings
  }

  /// Sets new values: `{"delay": 500, "readOnly": true, "bytesPerSecond": 20000, "now": "2030-01-01T12:00:00Z"}`.
  ///
  /// - Returns: The changes as servers share them: no speed is 0, and a time is how many milliseconds it is later than the
  ///   clock.
  /// - Throws: 400 that names the invalid member; the settings stay then.
  mutating func change(by body: StrictObject) throws(RequestError) -> [(name: String, value: JSONValue)] {
    try body.allow(only: ["delay", "readOnly", "bytesPerSecond", "now"])
    var changes: [(name: String, value: JSONValue)] = []
    if let milliseconds = try body.integer("delay", in: 0...60_000) {
      changes.append(("delay", JSONValue(milliseconds)))
    }
    if let isReadOnly = try body.bool("readOnly") { changes.append(("readOnly", .bool(isReadOnly))) }
    if body.member("bytesPerSecond") != nil {
      changes.append(("bytesPerSecond", JSONValue(try body.integer("bytesPerSecond", in: Rule.speeds) ?? 0)))
    }
    if body.member("now") != nil {
      let text = try body.string("now")
      let time = text.flatMap(Date.init(rfc3339:))
      guard text == nil || time != nil else { throw body.wrong("now", "a time such as 2030-01-31T09:30:00Z, or null") }
      let offset = time.map { Int((($0.timeIntervalSince1970 - System.now) * 1000).rounded()) } ?? 0
      changes.append(("now", JSONValue(offset)))
    }
    values.apply(JSONObject(changes))
    return changes
  }

  /// The settings as JSON; without a speed and a time that are not set.
  var value: JSONValue {
    var members = JSONObject([
      ("delay", JSONValue(rounding: delay / .milliseconds(1))), ("readOnly", .bool(isReadOnly)),
    ])
    members["bytesPerSecond"] = bytesPerSecond.map { JSONValue($0) }
    if clockOffset != .zero { members["now"] = .string(Timestamp(secondsSince1970: now).rfc3339) }
    return .object(members)
  }
}
