/// What may be changed while a server runs.
struct Settings: Sendable {
  /// How long every answer waits.
  var delay: Duration
  /// Whether every change is refused.
  var isReadOnly: Bool

  init(_ configuration: Server.Configuration) {
    delay = configuration.delay
    isReadOnly = configuration.isReadOnly
  }
}
