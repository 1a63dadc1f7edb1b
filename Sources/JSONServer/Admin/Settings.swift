import JSONServerValues

/// The settings that can be changed while a server runs.
struct Settings: Sendable {
  /// The delay of every response.
  private(set) var delay: Duration
  /// Whether the server refuses every change.
  private(set) var isReadOnly: Bool

  static let names = ["delay", "readOnly"]

  /// Creates the settings of a server, with changes that all servers share.
  init(_ configuration: Server.Configuration, changedBy members: JSONObject = JSONObject()) {
    delay = configuration.delay
    isReadOnly = configuration.isReadOnly
    try? change(by: StrictObject(members))
    // A server that was started read-only stays read-only.
    if configuration.isReadOnly { isReadOnly = true }
  }

  /// Sets new values: `{"delay": 500, "readOnly": true}`.
  ///
  /// - Throws: 400 that names the invalid member; the settings stay then.
  mutating func change(by body: StrictObject) throws(RequestError) {
    try body.allow(only: Set(Self.names))
    let milliseconds = try body.integer("delay", in: 0...60_000)
    let isReadOnly = try body.bool("readOnly")
    if let milliseconds { delay = .milliseconds(milliseconds) }
    if let isReadOnly { self.isReadOnly = isReadOnly }
  }

  var value: JSONValue { ["delay": JSONValue(rounding: delay / .milliseconds(1)), "readOnly": .bool(isReadOnly)] }
}
