/// Another server, which is asked for what nothing here responds to.
public struct Upstream: Sendable {
  /// Asks the other server.
  ///
  /// - Parameters:
  ///   - request: The request as it goes there: without fields that concern one connection alone, and without `Host`.
  ///   - address: The whole address that it goes to, such as `https://api.example.com/users?page=2`.
  /// - Returns: The other server's response, whatever its status, with a body that is not compressed.
  /// - Throws: Any error, whose description becomes the reason in a 502. The task is cancelled when the client goes away,
  ///   and when the time is up.
  public typealias Send = @Sendable (_ request: Request, _ address: String) async throws -> Response

  /// The address of the other server, as it was given.
  public let url: String
  /// The most requests that are under way at once; the others wait.
  public var maximumConcurrentRequests = 16
  /// How long a response may take, the time that its request waits for others included.
  public var timeout = Duration.seconds(60)
  let address: UpstreamAddress
  let send: Send

  /// Creates another server.
  ///
  /// - Parameters:
  ///   - url: Its address, such as `https://api.example.com` or `https://api.example.com/v2`; targets follow it.
  ///   - send: Asks it. It runs beside the server's event loop.
  /// - Throws: ``ServerError`` with code `invalidConfiguration`, when there is no server at such an address.
  public init(_ url: String, send: @escaping Send) throws(ServerError) {
    self.url = url
    address = try UpstreamAddress(url)
    self.send = send
  }
}

extension Upstream {
  /// Why another server was not asked, or did not respond in time.
  package enum Failure: Error {
    /// The time was up, as whoever asked it found out itself.
    case timeout
  }
}
