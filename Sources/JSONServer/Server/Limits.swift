/// What a server takes from a client before it refuses.
///
/// One more limit is fixed, so that no client has the others wait: a body above 1 MiB is not compressed, and neither is
/// a file above 64 KiB, which is read piece by piece as its client takes it.
public struct Limits: Sendable, Hashable {
  /// The most bytes of a body; more is answered with 413.
  public var maximumBodyBytes = 10 * 1024 * 1024
  /// The most bytes of a request's line and fields together; more is answered with 431.
  public var maximumHeadBytes = 16 * 1024
  /// The most header fields; more is answered with 431.
  public var maximumFields = 100
  /// The most bytes of a request's target; more is answered with 414.
  public var maximumTargetBytes = 8 * 1024
  /// The time a client has for a request's head, from its first byte.
  public var headTimeout: Duration = .seconds(10)
  /// The time a client has for each step of a body.
  public var bodyTimeout: Duration = .seconds(30)
  /// The time a connection may stand idle between requests, and a client may leave an answer unread.
  public var idleTimeout: Duration = .seconds(30)
  /// The most connections held at once; above it accepting pauses.
  public var maximumConnections = 10_000

  /// Creates the default limits.
  public init() {}
}
