/// A request and its answer, as the journal keeps them.
public struct Exchange: Sendable {
  /// A number that grows with each request of a server, from 1.
  public let id: Int
  public let request: Request
  /// The answer as it was sent, or meant to be sent when a fault kept it back.
  /// What faults and expectations match it by.
  package let route: EffectiveRoute
  ///
  /// Its body is the one before compression, and empty for a stream.
  public let response: Response
  /// When the request had been read, in seconds since 1970.
  public let time: Double
  /// From the request's being read to the answer's being handed over.
  public let duration: Duration
}
