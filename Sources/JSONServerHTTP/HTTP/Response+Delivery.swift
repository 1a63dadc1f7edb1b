extension Response {
  /// How a response is sent, for tests of a client's error handling.
  package enum Delivery: Sendable, Hashable {
    /// Completely.
    case normal
    /// Not at all: the connection stays open and silent.
    case hang
    /// Not at all: the connection is reset before the first byte.
    case reset
    /// Not at all: the request is carried out and its change stored, and then the connection is reset.
    case lost
    /// In part: the head has the full length, and the connection is closed after this many bytes of the body.
    case truncated(after: Int)
  }
}

extension Response.Delivery {
  /// The deliveries that a fault's `action` names.
  package static let actions: [Response.Delivery] = [.hang, .reset, .lost, .truncated(after: 0)]

  /// The name of the fault action that causes this delivery; `normal` for none.
  package var name: String {
    switch self {
    case .normal: "normal"
    case .hang: "hang"
    case .reset: "reset"
    case .lost: "lose"
    case .truncated: "truncate"
    }
  }

  /// A few words on what a client receives of a response with a status.
  package func summary(of status: HTTPResponse.Status) -> String {
    switch self {
    case .normal: "\(status.code)"
    case .hang: "no response (hung)"
    case .reset: "connection reset"
    case .lost: "\(status.code), lost"
    case .truncated: "\(status.code), truncated"
    }
  }
}
