import HTTPTypes

/// What may be changed while a server runs.
struct Settings: Sendable {
  /// How long every response is delayed.
  var delay: Duration
  /// Whether every change is refused.
  var isReadOnly: Bool

  init(_ configuration: Server.Configuration) {
    delay = configuration.delay
    isReadOnly = configuration.isReadOnly
  }
}

/// New values for some settings.
struct SettingsChange {
  private let delay: Int?
  private let isReadOnly: Bool?

  /// Reads `{"delay": 500, "readOnly": true}`.
  ///
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody) throws(RequestError) {
    try body.allow(only: ["delay", "readOnly"])
    delay = try body.integer("delay", in: 0...60_000)
    isReadOnly = try body.bool("readOnly")
  }

  /// - Parameter mayWrite: Whether the server may be made to accept changes; one that was started read-only may not.
  /// - Throws: 403, when that is not allowed; nothing is changed then.
  func apply(to settings: inout Settings, mayWrite: Bool) throws(RequestError) {
    guard mayWrite || isReadOnly != false else {
      throw RequestError(.forbidden, "The server was started with --read-only and stays so; start it without.")
    }
    if let delay { settings.delay = .milliseconds(delay) }
    if let isReadOnly { settings.isReadOnly = isReadOnly }
  }
}
