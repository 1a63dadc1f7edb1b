import HTTPTypes
import JSONServerValues

/// The settings that can be changed while a server runs.
struct Settings: Sendable {
  /// The delay of every response.
  var delay: Duration
  /// Whether the server refuses every change.
  var isReadOnly: Bool

  init(_ configuration: Server.Configuration) {
    delay = configuration.delay
    isReadOnly = configuration.isReadOnly
  }

  /// Creates the settings of a server, with changes that all servers share.
  init(_ configuration: Server.Configuration, changedBy members: JSONObject) {
    self.init(configuration)
    guard let change = try? SettingsChange(AdminBody(members)) else { return }
    change.apply(to: &self)
    // A server that was started read-only stays read-only.
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
  /// - Throws: 400 that names the invalid member.
  init(_ body: AdminBody) throws(RequestError) {
    try body.allow(only: ["delay", "readOnly"])
    delay = try body.integer("delay", in: 0...60_000)
    isReadOnly = try body.bool("readOnly")
  }

  /// - Parameter mayWrite: Whether changes may be allowed; not on a server that was started read-only.
  /// - Throws: 403, when the change of the settings is refused.
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

  /// The values as JSON, in the form in which they are read.
  var members: JSONObject {
    var members = JSONObject()
    members["delay"] = delay.map { JSONValue($0) }
    members["readOnly"] = isReadOnly.map { JSONValue($0) }
    return members
  }
}
