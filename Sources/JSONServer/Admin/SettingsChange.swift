/// New values for some settings.
struct SettingsChange {
  private let delay: Int?
  private let isReadOnly: Bool?

  /// Reads `{"delay": 500, "readOnly": true}`.
  ///
  /// - Throws: 400 that names the member at fault.
  init(_ body: AdminBody) throws(HTTPError) {
    try body.allow(only: ["delay", "readOnly"])
    delay = try body.integer("delay", in: 0...60_000)
    isReadOnly = try body.bool("readOnly")
  }

  func apply(to settings: inout Settings) {
    if let delay { settings.delay = .milliseconds(delay) }
    if let isReadOnly { settings.isReadOnly = isReadOnly }
  }
}
