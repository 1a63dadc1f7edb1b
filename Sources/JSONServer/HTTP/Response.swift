public import HTTPTypes

/// One HTTP response.
public struct Response: Sendable {
  /// What follows the head.
  public enum Body: Sendable {
    /// Bytes that are complete.
    case bytes([UInt8])
    /// Bytes that arrive one after the other, and their total number when it is known.
    ///
    /// A stream of unknown length is taken to be endless, such as server-sent events: it ends when the client stops
    /// sending or the server shuts down. One of known length goes on to its end, and is cut off there; a client notices
    /// that it is broken when fewer bytes come.
    // Indirect, since a stream's size is known only at run time: every response's size would then be, too.
    indirect case stream(AsyncStream<[UInt8]>, length: Int? = nil)
  }

  /// How a response is sent, for tests of a client's error handling.
  public enum Delivery: Sendable, Hashable {
    /// Whole.
    case normal
    /// Never: the connection stays open and silent.
    case hang
    /// The connection is reset before the first byte.
    case reset
    /// The connection is closed after this many bytes of the body, with the full length announced.
    case truncated(after: Int)
  }

  /// The status.
  public var status: HTTPResponse.Status

  /// The header fields; those of the transport, such as `Content-Length` and `Date`, are added when it is sent.
  public var headerFields: HTTPFields

  /// What follows the head.
  public var body: Body

  /// How it is sent over a socket; callers of ``Server/respond(to:)`` get the response whatever this says.
  public var delivery: Delivery

  /// What an error's body says, for clients that accept only plain text.
  var errorMessage: String?

  /// Creates a response.
  public init(
    status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: Body = .bytes([]),
    delivery: Delivery = .normal
  ) {
    self.status = status
    self.headerFields = headerFields
    self.body = body
    self.delivery = delivery
  }

  /// The bytes of a body that is complete; empty for a stream.
  public var bytes: [UInt8] {
    guard case .bytes(let bytes) = body else { return [] }
    return bytes
  }
}

extension Response {
  /// The response to HEAD: the fields of that to GET, the length among them, without its body (RFC 9110, section
  /// 9.3.2).
  var head: Response {
    var response = self
    let length: Int? =
      switch body {
      case .bytes(let bytes): bytes.isEmpty ? nil : bytes.count
      case .stream(_, let length): length
      }
    if let length { response.headerFields[.contentLength] = String(length) }
    response.body = .bytes([])
    return response
  }
}
