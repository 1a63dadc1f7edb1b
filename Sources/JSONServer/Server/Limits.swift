/// The limits for what a client sends.
///
/// One more limit is fixed, so that no client delays the others: a body above 1 MiB is not compressed, and neither is
/// a file above 64 KiB, which is read piece by piece as its client takes it.
public struct Limits: Sendable, Hashable {
  /// The most bytes of a body, as it is sent and unpacked; more is refused with 413.
  public var maximumBodyBytes = 10 * 1024 * 1024
  /// The most bytes of a request's line and fields together; more is refused with 431.
  public var maximumHeadBytes = 16 * 1024
  /// The most header fields; more is refused with 431.
  public var maximumFields = 100
  /// The most bytes of a request's target; more is refused with 414.
  public var maximumTargetBytes = 8 * 1024
  /// The time a client has for a request's head, from its first byte.
  public var headTimeout: Duration = .seconds(10)
  /// The time a client has for each step of a body.
  public var bodyTimeout: Duration = .seconds(30)
  /// The time a connection may be idle between requests, and a client may leave a response unread.
  public var idleTimeout: Duration = .seconds(30)
  /// The time a request is held before it gets 503.
  public var holdTimeout: Duration = .seconds(600)
  /// The most connections that are served at once. Some more may ask for `/__admin`, and get 503 for anything else; further
  /// ones wait until one has gone.
  public var maximumConnections = 10_000

  /// Creates the default limits.
  public init() {}

  /// The limits as they can be calculated with: none is below 0, counts leave room for sums, and times are a year at most.
  var bounded: Limits {
    var limits = self
    for count in [
      \Limits.maximumBodyBytes, \.maximumHeadBytes, \.maximumFields, \.maximumTargetBytes, \.maximumConnections,
    ] {
      limits[keyPath: count] = min(max(limits[keyPath: count], 0), .max / 4)
    }
    for time in [\Limits.headTimeout, \.bodyTimeout, \.idleTimeout, \.holdTimeout] {
      limits[keyPath: time] = min(max(limits[keyPath: time], .zero), .seconds(31_536_000))
    }
    return limits
  }
}
