import HTTPTypes
import JSONServerValues

/// The settings that may be changed while a server runs.
struct Settings: Sendable {
  /// How long every response is delayed.
  var delay: Duration
  /// Whether every change is refused.
  var isReadOnly: Bool

  init(_ configuration: Server.Configuration) {
    delay = configuration.delay
    isReadOnly = configuration.isReadOnly
  }

  /// Creates the settings of a server after some were changed for all.
  init(_ configuration: Server.Configuration, changedBy members: JSONObject) {
    self.init(configuration)
    guard let change = try? SettingsChange(AdminBody(members)) else { return }
    change.apply(to: &self)
    // A server that was started read-only stays so.
    if configuration.isReadOnly { isReadOnly = true }
  }

  var value: JSONValue { ["delay": JSONValue(rounding: delay / .milliseconds(1)), "readOnly": .bool(isReadOnly)] }
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
  /// - Throws: 403, when that is not allowed.
  func check(mayWrite: Bool) throws(RequestError) {
    guard mayWrite || isReadOnly != false else {
      throw RequestError(
        .forbidden, "The server was started with Server.Configuration.isReadOnly and stays so; start it without.")
    }
  }

  func apply(to settings: inout Settings) {
    if let delay { settings.delay = .milliseconds(delay) }
    if let isReadOnly { settings.isReadOnly = isReadOnly }
  }

  /// The values as they are read.
  var members: JSONObject {
    var members = JSONObject()
    members["delay"] = delay.map { JSONValue($0) }
    members["readOnly"] = isReadOnly.map { JSONValue($0) }
    return members
  }
}
