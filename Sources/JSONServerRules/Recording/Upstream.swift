import HTTPTypes
public import JSONServerHTTP

/// Another server, which gets the requests that this server has no response to.
public struct Upstream: Sendable {
  /// Sends a request to the other server.
  ///
  /// - Parameters:
  ///   - request: The request, without fields of the connection and without `Host`.
  ///   - address: The complete address of the request, such as `https://api.example.com/users?page=2`.
  /// - Returns: The other server's response, of any status, with an uncompressed body.
  /// - Throws: Any error; its description becomes the reason in a 502. The task is canceled when the client
  ///   disconnects, and after the time limit.
  public typealias Send = @Sendable (_ request: Request, _ address: String) async throws -> Response

  /// The address of the other server, as given.
  public let url: String
  /// The largest number of requests at the same time; others wait.
  public var maximumConcurrentRequests = 16
  /// The time limit of a response, including the time that its request waits for others.
  public var timeout = Duration.seconds(60)
  package let address: UpstreamAddress
  package let send: Send

  /// Creates another server.
  ///
  /// - Parameters:
  ///   - url: The address, such as `https://api.example.com` or `https://api.example.com/v2`; targets are appended to
  ///     it.
  ///   - send: Sends a request to the server. Runs outside of this server's event loop.
  /// - Throws: ``ServerError`` with code `invalidConfiguration`, when the address is invalid.
  public init(_ url: String, send: @escaping Send) throws(ServerError) {
    self.url = url
    address = try UpstreamAddress(url)
    self.send = send
  }

  /// The reason why another server was not called, or did not respond in time.
  package enum Failure: Error {
    /// The closure itself has reached its time limit.
    case timeout
  }
}

/// The address of another server: `https://api.example.com/v2`.
package struct UpstreamAddress: Sendable {
  /// The address without a slash at its end, to which targets are appended.
  package let text: String
  /// The part before the path.
  private let origin: Origin
  /// The path: empty, or with a slash before each segment and none at the end.
  private let path: Substring

  /// - Throws: ``ServerError`` with code `invalidConfiguration` that says what is wrong.
  package init(_ url: String) throws(ServerError) {
    func refusal(_ reason: String) -> ServerError {
      // The message shows no password, and no secret of a query.
      let shown = url.contains("@") ? "This" : "'\(SecretText.target(url))'"
      return ServerError(.invalidConfiguration, "\(shown) is not the address of a server: \(reason).")
    }
    guard let mark = url.firstRange(of: "://"), ["http", "https"].contains(url[..<mark.lowerBound].lowercased()) else {
      throw refusal("it must begin with http:// or https://, as in https://api.example.com")
    }
    let start = url[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard !url[mark.upperBound..<start].contains("@") else {
      throw refusal("leave out the name and the password; clients send their own Authorization")
    }
    guard let origin = Origin(String(url[..<start])) else {
      throw refusal("a host and perhaps a port must follow ://, as in https://api.example.com:8443")
    }
    guard !url[start...].contains(where: { "?#".contains($0) }) else {
      throw refusal("leave out what follows the path")
    }
    guard url[start...].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"\\<>^`{|}".utf8.contains($0) }) else {
      throw refusal("its path has a character that must be escaped with %")
    }
    self.origin = origin
    var path = url[start...]
    while path.last == "/" { path.removeLast() }
    self.path = path
    text = String(url[..<path.endIndex])
  }

  /// Returns a reference to this server as a reference below another base.
  ///
  /// - Parameters:
  ///   - reference: An address, or a path on this server.
  ///   - base: The address that replaces this server's.
  /// - Returns: `nil` when the reference leads elsewhere, or is relative to the requested path.
  package func moved(_ reference: some StringProtocol, to base: String) -> String? {
    var rest = String(reference)
    if let mark = rest.firstRange(of: "://") {
      let start = rest[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? rest.endIndex
      guard let other = Origin(String(rest[..<start])), origin.matches(other) else { return nil }
      rest = String(rest[start...])
    } else if !rest.hasPrefix("/") || rest.hasPrefix("//") {
      return nil
    }
    guard rest.hasPrefix(path) else { return nil }
    rest.removeFirst(path.count)
    guard let first = rest.first else { return base.isEmpty ? "/" : base }
    guard "/?#".contains(first) else { return nil }
    return first == "/" ? base + rest : "\(base)/\(rest)"
  }

  /// Rewrites the addresses in a response's fields, so that they lead to the server that the client has called.
  ///
  /// - Parameter base: The beginning of the new addresses: `http://localhost:3000`, or nothing for paths alone.
  package func moveAddresses(in fields: inout HTTPFields, to base: String) {
    for index in fields.indices {
      switch fields[index].name {
      case .location, .contentLocation:
        if let moved = moved(fields[index].value, to: base) { fields[index].value = moved }
      // Its addresses are in angle brackets (RFC 8288, section 3).
      case .link:
        fields[index].value = fields[index].value.replacing(/<([^>]*)>/) {
          "<\(moved($0.1, to: base) ?? String($0.1))>"
        }
      default: break
      }
    }
  }
}

extension HTTPFields {
  /// The fields of one connection (RFC 9110, section 7.6.1), and those that say where a message ends.
  private static let connectionNames: Set = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "expect",
  ]

  /// The fields of a request that another server does not get.
  ///
  /// This server has already checked `Origin`. Without `Accept-Encoding`, the response comes uncompressed, and is
  /// compressed here. The body was unpacked.
  private static let ownNames: Set = [
    "host", "origin", "accept-encoding", "content-encoding", HTTPField.Name.session.canonicalName,
    HTTPField.Name.page.canonicalName,
    HTTPField.Name.methodOverride.canonicalName,
  ]

  /// The fields without those of one connection, which `Connection` may also name.
  private var withoutConnectionFields: HTTPFields {
    let listed = self[values: .connection].joined(separator: ",").lowercased()
    let named = Set(listed.split { ", \t".contains($0) }.map(String.init))
    return filter { field in
      let name = field.name.canonicalName
      return !Self.connectionNames.contains(name) && !named.contains(name)
    }
  }

  /// The fields of a request that another server gets.
  package var forwarded: HTTPFields {
    withoutConnectionFields.filter { !Self.ownNames.contains($0.name.canonicalName) }
  }

  /// The fields of another server's response that a client gets; this server adds its own CORS fields.
  ///
  /// - Parameter keepsLength: Whether to keep the length, since a HEAD has no body to count.
  package func passedOn(keepsLength: Bool) -> HTTPFields {
    var fields = withoutConnectionFields.filter { field in
      let name = field.name.canonicalName
      return !name.hasPrefix("access-control-") || name == "access-control-expose-headers"
    }
    if keepsLength { fields += filter { $0.name == .contentLength }.prefix(1) }
    return fields
  }
}
