/// A request and its answer, as the journal keeps them.
///
/// A class, because it is told of and kept in several places at once.
public final class Exchange: Sendable {
  /// A number that grows with each request of a server, from 1.
  public let id: Int
  /// The request as it was sent: before rewrite rules and overrides of the method.
  public let request: Request
  /// What faults and expectations match it by.
  package let route: EffectiveRoute
  /// The answer as it was sent, or meant to be sent when a fault kept it back.
  ///
  /// Its body is the one before compression, that of the GET for a HEAD, and empty for a stream.
  public var response: Response { sent.complete }
  /// The answer, its validator not among its fields.
  package let sent: Response
  /// When the request had been read, in seconds since 1970.
  public var time: Double { answered - duration / .seconds(1) }
  /// When the answer was handed over, in seconds since 1970.
  private let answered: Double
  /// From the request's being read to the answer's being handed over.
  public let duration: Duration

  package init(
    id: Int, request: Request, route: EffectiveRoute, response: consuming Response, answered: Double, duration: Duration
  ) {
    self.id = id
    self.request = request
    self.route = route
    sent = response
    self.answered = answered
    self.duration = duration
  }
}
