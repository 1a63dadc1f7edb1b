import HTTPTypes

/// Another server, which gets the requests that nothing here responds to.
public struct Upstream: Sendable {
  /// Sends a request to the other server.
  ///
  /// - Parameters:
  ///   - request: The request to send, without fields that concern one connection alone, and without `Host`.
  ///   - address: The whole address of the request, such as `https://api.example.com/users?page=2`.
  /// - Returns: The other server's response, of any status, with a body that is not compressed.
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
  ///   - send: Sends a request to the server. It runs beside the server's event loop.
  /// - Throws: ``ServerError`` with code `invalidConfiguration`, when there is no server at such an address.
  public init(_ url: String, send: @escaping Send) throws(ServerError) {
    self.url = url
    address = try UpstreamAddress(url)
    self.send = send
  }

  /// Why another server was not asked, or did not respond in time.
  package enum Failure: Error {
    /// The time was up, as the closure found out itself.
    case timeout
  }
}

/// The address of another server: `https://api.example.com/v2`.
package struct UpstreamAddress: Sendable {
  /// The address without a slash at its end, which targets follow.
  package let text: String
  /// The part before the path.
  private let origin: Origin
  /// Empty, or with a slash before each segment and none at the end.
  private let path: Substring

  /// - Throws: ``ServerError`` with code `invalidConfiguration` that says what is wrong.
  package init(_ url: String) throws(ServerError) {
    func refusal(_ reason: String) -> ServerError {
      // A message shows no password, and no secret of a query.
      let shown = url.contains("@") ? "This" : "'\(SecretText.target(url))'"
      return ServerError(.invalidConfiguration, "\(shown) is no address of a server: \(reason).")
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
    var end = url.endIndex
    while end > start, url[url.index(before: end)] == "/" { end = url.index(before: end) }
    text = String(url[..<end])
    path = url[start..<end]
  }

  /// Returns a target as it is below another address, when it leads to this server.
  ///
  /// - Parameters:
  ///   - reference: An address, or a path on this server.
  ///   - base: What precedes targets there.
  /// - Returns: `nil` when it leads elsewhere, or depends on the path that was asked for.
  func moved(_ reference: some StringProtocol, to base: String) -> String? {
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

  /// Rewrites the addresses in a response's fields to lead to where the request came from.
  ///
  /// - Parameter base: What precedes targets there: `http://localhost:3000`, or nothing for paths alone.
  func moveAddresses(in fields: inout HTTPFields, to base: String) {
    for index in fields.indices {
      switch fields[index].name {
      case .location, .contentLocation:
        if let moved = moved(fields[index].value, to: base) { fields[index].value = moved }
      case .link: fields[index].value = movedLinks(fields[index].value, to: base)
      default: break
      }
    }
  }

  /// The same of the addresses in angle brackets of a `Link` field (RFC 8288, section 3).
  private func movedLinks(_ value: String, to base: String) -> String {
    var result = ""
    var rest = value[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let reference = rest[open..<close].dropFirst()
      result += rest[...open] + (moved(reference, to: base) ?? String(reference)) + ">"
      rest = rest[close...].dropFirst()
    }
    return result + rest
  }
}

extension HTTPFields {
  /// The fields that concern one connection alone (RFC 9110, section 7.6.1), and those that say how a message is framed.
  private static let connectionNames: Set = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "expect",
  ]

  /// The fields of a request that another server is not to see: what is about this one.
  ///
  /// Pages of other origins were admitted or refused here, as the other server would by `Origin`. Without a coding that the
  /// client accepts, the response comes as it is, and is compressed here. A body was unpacked.
  private static let ownNames: Set = [
    "host", "origin", "accept-encoding", "content-encoding", HTTPField.Name.session.canonicalName,
    HTTPField.Name.page.canonicalName,
    HTTPField.Name.methodOverride.canonicalName,
  ]

  /// The fields without those of one connection, which `Connection` may name, too.
  private var withoutConnectionFields: HTTPFields {
    let listed = self[values: .connection].joined(separator: ",").lowercased()
    let named = Set(listed.split { ", \t".contains($0) }.map(String.init))
    return filter { field in
      let name = field.name.canonicalName
      return !Self.connectionNames.contains(name) && !named.contains(name)
    }
  }

  /// The fields of a request as another server gets them.
  var forwarded: HTTPFields {
    withoutConnectionFields.filter { !Self.ownNames.contains($0.name.canonicalName) }
  }

  /// The fields of another server's response as a client gets them: who may read it, this server says.
  ///
  /// - Parameter keepsLength: Whether the length is that of a body which HEAD leaves out.
  func passedOn(keepsLength: Bool) -> HTTPFields {
    var fields = withoutConnectionFields.filter { field in
      let name = field.name.canonicalName
      return !name.hasPrefix("access-control-") || name == "access-control-expose-headers"
    }
    if keepsLength { fields += filter { $0.name == .contentLength }.prefix(1) }
    return fields
  }

  /// Fields that clients, servers and those between them prove with who they are.
  static let secretNames: Set = ["authorization", "cookie", "set-cookie", "set-cookie2"]
}
