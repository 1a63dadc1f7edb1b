/// Where a page comes from, as a browser's `Origin` field says (RFC 6454, section 6.1).
struct Origin: Sendable, Hashable {
  let scheme: String
  let host: HostName

  /// Reads `scheme://host` or `scheme://host:port`; `nil` for `null` and for anything else.
  init?(_ text: String) {
    guard let mark = text.firstRange(of: "://"), let host = HostName(text[mark.upperBound...]) else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard let first = scheme.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first,
      scheme.utf8.allSatisfy({ ByteSet.words.contains($0) || "+-.".utf8.contains($0) })
    else { return nil }
    self.scheme = scheme
    self.host = host
  }

  /// Whether the page comes from this machine, from any port.
  var isLoopback: Bool {
    isWeb && host.isLoopback
  }

  /// Whether the page comes from the server that a `Host` field names.
  ///
  /// The scheme is not compared: a proxy in front of the server may speak HTTPS.
  func isSame(asHost field: String?) -> Bool {
    guard isWeb, let field, let server = HostName(field) else { return false }
    return server.name == host.name && (server.port ?? defaultPort) == (host.port ?? defaultPort)
  }

  /// Whether two origins are the same, one of them perhaps with its port left out.
  func matches(_ other: Origin) -> Bool { host.name == other.host.name && hasSchemeAndPort(of: other) }

  fileprivate func hasSchemeAndPort(of other: Origin) -> Bool {
    scheme == other.scheme && (host.port ?? defaultPort) == (other.host.port ?? defaultPort)
  }

  private var isWeb: Bool { scheme == "http" || scheme == "https" }

  private var defaultPort: Int? {
    switch scheme {
    case "http": 80
    case "https": 443
    default: nil
    }
  }
}

/// An origin that may use the server, or all whose hosts are below a name: `https://*.example.com`.
struct OriginPattern: Sendable {
  private static let wildcard = "://*."

  private let origin: Origin
  private let isWildcard: Bool

  /// - Returns: `nil` for what no origin can match.
  init?(_ text: String) {
    isWildcard = text.contains(Self.wildcard)
    let name = isWildcard ? text.replacing(Self.wildcard, with: "://", maxReplacements: 1) : text
    guard let origin = Origin(name), !(isWildcard && origin.host.isAddress) else { return nil }
    self.origin = origin
  }

  func matches(_ other: Origin) -> Bool {
    isWildcard
      ? origin.hasSchemeAndPort(of: other) && other.host.name.hasSuffix("." + origin.host.name)
      : origin.matches(other)
  }
}

extension CrossOrigin {
  /// - Throws: ``ServerError`` that names the first of the origins that is none.
  package func check() throws(ServerError) {
    guard case .origins(let texts) = self, let text = texts.first(where: { OriginPattern($0) == nil }) else { return }
    throw ServerError(
      .invalidConfiguration,
      "'\(text)' is no origin; write it as https://app.example, https://*.example.com for all below a name, or '*' for all."
    )
  }
}
