/// The limits of requests and connections.
///
/// Two more limits are fixed, so that no client delays the others: a body above 1 MiB is not compressed, and neither is
/// a file above 64 KiB, which is read piece by piece as its client reads.
public struct Limits: Sendable, Hashable {
  /// The largest body in bytes, as sent and unpacked; a larger one gets a 413.
  public var maximumBodyBytes = 10 * 1024 * 1024
  /// The largest request line and fields together, in bytes; larger ones get a 431.
  public var maximumHeadBytes = 16 * 1024
  /// The largest number of header fields; more get a 431.
  public var maximumFields = 100
  /// The largest target of a request, in bytes; a larger one gets a 414.
  public var maximumTargetBytes = 8 * 1024
  /// The time for sending a request's head, from its first byte.
  public var headTimeout: Duration = .seconds(10)
  /// The time for sending each part of a body.
  public var bodyTimeout: Duration = .seconds(30)
  /// The time for which a connection may be idle, and for which a client may leave a response unread.
  public var idleTimeout: Duration = .seconds(30)
  /// The time after which a held request gets a 503.
  public var holdTimeout: Duration = .seconds(600)
  /// The largest number of connections. A few more may use `/__admin`, and get a 503 for anything else; further ones
  /// wait until a connection closes.
  public var maximumConnections = 10_000

  /// Creates the default limits.
  public init() {}

  /// The limits within useful ranges: nothing below 0, counts that can be added, and times of at most a year.
  package var bounded: Limits {
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
