import HTTPTypes

/// Which web pages of other origins may read and write.
public enum CrossOrigin: Sendable, Hashable {
  /// Pages served from this machine, on any port, with credentials.
  case loopback
  /// Pages of these origins, such as `https://app.example` or `https://*.example.com`, with credentials.
  case origins([String])
  /// All pages, without credentials.
  case any
  /// None.
  case none
}

/// Decides which pages of other origins may read and write, and tells their browsers (WHATWG Fetch, CORS protocol).
package struct CrossOriginPolicy: Sendable {
  private let allowed: CrossOrigin
  private let listed: [OriginPattern]

  /// The methods that a preflight allows, on every route.
  static let methods = "GET,HEAD,PUT,PATCH,POST,DELETE"

  /// Creates a policy.
  ///
  /// - Parameter allowed: The origins that may use the server, in addition to its own; an invalid origin never matches.
  package init(_ allowed: CrossOrigin) {
    self.allowed = allowed
    listed = if case .origins(let texts) = allowed { texts.compactMap(OriginPattern.init) } else { [] }
  }

  /// Refuses a request that could change data, from a page without the right to do so.
  ///
  /// A browser sends `Origin` with every request of an unsafe method; a client without `Origin` is not a page.
  ///
  /// - Throws: 403, when the method is unsafe and the origin is not allowed, `null` or invalid.
  package func check(_ request: Request) throws(RequestError) {
    guard !request.isSafe, let origin = request.headerFields[.origin], !isAllowed(origin, by: request) else { return }
    throw Self.refusal(
      "The page's origin '\(origin)' in the Origin field may not send \(request.method.rawValue) to this server", origin
    )
  }

  /// Refuses a script that a page of another origin loads to read data: CORS fields do not affect JSONP.
  ///
  /// - Throws: 403 for a page that may not read.
  package func checkScript(_ request: Request) throws(RequestError) {
    guard let origin = foreignOrigin(of: request) else { return }
    throw Self.refusal("A page of the origin '\(origin)' may not read with the parameter 'callback'", origin)
  }

  /// Refuses a request of any method with which a page of another origin would begin a session: the number of sessions
  /// is limited, and the oldest one would end.
  ///
  /// - Throws: 403 for a page that may not read.
  package func checkBeginning(of session: String, by request: Request) throws(RequestError) {
    guard let origin = foreignOrigin(of: request) else { return }
    throw Self.refusal("A page of the origin '\(origin)' may not begin the session '\(session)'", origin)
  }

  private static func refusal(_ reason: String, _ origin: String) -> RequestError {
    RequestError(.forbidden, "\(reason); start the server with \(option(for: origin)) to let it.")
  }

  /// The origin of a page that may not read, from `Origin` or `Referer`. A browser is trusted when it says that the
  /// page is of this site, or that the user opened the address.
  private func foreignOrigin(of request: Request) -> String? {
    let fields = request.headerFields
    let site = fields[.secFetchSite]?.lowercased()
    guard site == nil || site == "cross-site", fields.contains(.origin) || fields.contains(.referer) || site != nil
    else { return nil }
    let address = (fields[.referer] ?? "null").split(separator: "/", omittingEmptySubsequences: false)
    let origin = fields[.origin] ?? address.prefix(3).joined(separator: "/")
    return isAllowed(origin, by: request) ? nil : origin
  }

  /// Whether a request comes from a page of the server itself, or from a client that is not a page.
  ///
  /// The browser's statement about the site counts first, since a proxy may change `Host`.
  package static func isOwn(_ request: Request) -> Bool {
    if let site = request.headerFields[.secFetchSite]?.lowercased() { return site == "same-origin" || site == "none" }
    guard let origin = request.headerFields[.origin] else { return true }
    return Origin(origin)?.isSame(asHost: request.headerFields[.host]) == true
  }

  /// Responds to a preflight: a browser asks whether a page may send a request.
  ///
  /// - Returns: `nil` for any other request, also for OPTIONS from a client that is not a page.
  package func preflight(_ request: Request) -> PreparedResponse? {
    guard request.method == .options, request.headerFields.contains(.accessControlRequestMethod) else { return nil }
    var response = PreparedResponse(status: .noContent)
    addFields(to: &response, for: request)
    response.headerFields.add("Access-Control-Request-Headers", toList: .vary)
    guard response.headerFields[.accessControlAllowOrigin] != nil else { return response }
    response.headerFields[.accessControlAllowMethods] = Self.methods
    response.headerFields[.accessControlAllowHeaders] =
      request.headerFields[.accessControlRequestHeaders] ?? "content-type"
    return response
  }

  /// Adds the fields that let an allowed page read the response and its fields; adds nothing for any other page.
  package func addFields(to response: inout PreparedResponse, for request: Request) {
    // The common fields are enough for a client without an origin.
    guard response.commonFields == nil || request.has(.origin) else { return }
    switch allowed {
    case .none: return
    case .any: response.headerFields[.accessControlAllowOrigin] = "*"
    case .loopback, .origins:
      response.headerFields.add("Origin", toList: .vary)
      if let origin = request.headerFields[.origin], isAllowed(origin, by: request) {
        response.headerFields[.accessControlAllowOrigin] = origin
        response.headerFields[.accessControlAllowCredentials] = "true"
      }
    }
    exposeFields(of: &response)
    // Pages need the tag for If-Match.
    if request.has(.origin), response.validator != nil || response.headerFields.contains(.eTag) {
      response.headerFields.add("ETag", toList: .accessControlExposeHeaders)
    }
  }

  /// The origin of a page from which its browser will withhold the response; `nil` for every other client.
  package func refusedOrigin(of request: Request) -> String? {
    guard request.has(.origin), let origin = request.headerFields[.origin],
      !isAllowed(origin, by: request)
    else { return nil }
    return origin
  }

  /// The setting that allows an origin.
  package static func option(for origin: String) -> String {
    "Server.Configuration.crossOrigin for \(Origin(origin) == nil ? "'*'" : origin)"
  }

  /// Names the fields that a page may read. A list names `Link` even without pages, as json-server does.
  private func exposeFields(of response: inout PreparedResponse) {
    let exposed: KeyValuePairs<HTTPField.Name, [String]> = [
      .xTotalCount: ["X-Total-Count", "Link"], .location: ["Location"], .xIgnoredParameters: ["X-Ignored-Parameters"],
      .xNextSince: ["X-Next-Since"],
    ]
    for (name, entries) in exposed where response.headerFields.contains(name) {
      for entry in entries { response.headerFields.add(entry, toList: .accessControlExposeHeaders) }
    }
  }

  private func isAllowed(_ text: String, by request: Request) -> Bool {
    let origin = Origin(text)
    if let origin, origin.isSame(asHost: request.headerFields[.host]) { return true }
    return switch allowed {
    case .loopback: origin?.isLoopback == true
    case .origins: origin.map { origin in listed.contains { $0.matches(origin) } } == true
    case .any: true
    case .none: false
    }
  }
}

/// The origin of a page, as in a browser's `Origin` field (RFC 6454, section 6.1).
package struct Origin: Sendable, Hashable {
  let scheme: String
  let host: HostName

  /// Reads `scheme://host` or `scheme://host:port`; `nil` for `null` and for anything else.
  package init?(_ text: String) {
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
  package func matches(_ other: Origin) -> Bool { host.name == other.host.name && hasSchemeAndPort(of: other) }

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

/// An origin that may use the server, or all origins whose hosts are below a name: `https://*.example.com`.
private struct OriginPattern: Sendable {
  private static let wildcard = "://*."

  private let origin: Origin
  private let isWildcard: Bool

  /// - Returns: `nil` for a text that no origin matches.
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
  /// The first text that is not an origin; `nil` for none.
  package var unusable: String? {
    if case .origins(let texts) = self { texts.first { OriginPattern($0) == nil } } else { nil }
  }
}

/// Refuses pages of other sites that point their own name to this machine (DNS rebinding).
///
/// A browser sends the name from the page's address in `Host`. An address, and a name that nobody can register, cannot
/// be an attacker's.
package struct HostPolicy: Sendable {
  private let allowed: Set<String>
  private let allowsAll: Bool

  /// Creates a policy.
  ///
  /// - Parameter allowed: Names that are accepted in addition to `localhost`, names below it and addresses: the name of
  ///   `--host` and those of `--allowed-host`; `*` for all names.
  package init(allowed: [String] = []) {
    allowsAll = allowed.contains("*")
    self.allowed = Set(allowed.compactMap { HostName($0)?.name })
  }

  /// Checks a request's `Host` field.
  ///
  /// - Parameter host: The field's value; several fields are joined by a comma, as HTTPFields joins them.
  /// - Throws: 400, when it is missing, repeated or malformed; 403, when its name is not allowed.
  package func check(host: String?) throws(RequestError) {
    guard let host else {
      throw RequestError(.malformed, "The request has no Host field; send one, such as 'Host: localhost'.")
    }
    guard !host.contains(",") else {
      throw RequestError(.malformed, "The request has more than one Host field; send one.")
    }
    guard let name = HostName(host) else {
      throw RequestError(
        .malformed, "The Host field '\(host)' is not a host and port; send one such as 'localhost:3000'.")
    }
    guard allowsAll || name.isAddress || name.isLoopback || allowed.contains(name.name) else {
      throw RequestError(
        .forbidden,
        """
        The host '\(name.name)' of the Host field is not allowed; use localhost or an IP address, or start the server \
        with Server.Configuration.allowedHosts for \(name.name).
        """)
    }
  }
}

/// The host and the port of a `Host` or `Origin` field.
struct HostName: Sendable, Hashable {
  /// The name in lower case without a dot at its end, or an address; an IPv6 address without its brackets.
  let name: String

  /// The port, `nil` when none was named.
  let port: Int?

  /// Whether the name is an IPv4 address in four decimal parts, or an IPv6 address in brackets.
  let isAddress: Bool

  /// Reads `name`, `name:port`, or `[address]:port`; `nil` for anything else.
  init?(_ text: some StringProtocol) {
    let lowercased = text.lowercased()
    let end: String.Index
    if lowercased.hasPrefix("[") {
      guard let bracket = lowercased.firstIndex(of: "]") else { return nil }
      let address = lowercased[..<bracket].dropFirst()
      guard System.isIPv6(String(address)) else { return nil }
      name = String(address)
      isAddress = true
      end = lowercased.index(after: bracket)
    } else {
      end = lowercased.firstIndex(of: ":") ?? lowercased.endIndex
      var host = lowercased[..<end]
      if host.hasSuffix(".") { host.removeLast() }
      guard Self.isName(host) else { return nil }
      name = String(host)
      isAddress = System.isIPv4(name)
    }
    let digits = lowercased[end...].dropFirst()
    // RFC 3986 allows a colon without a port.
    port = Int(digits)
    guard lowercased[end...].first ?? ":" == ":", digits.utf8.allSatisfy(ByteSet.digits.contains),
      digits.isEmpty || port.map({ $0 <= 65_535 }) == true
    else { return nil }
  }

  /// Whether the host is this machine: `localhost`, a name below it, 127.0.0.0/8 or ::1.
  ///
  /// Browsers resolve no name below `localhost` elsewhere (WHATWG Secure Contexts, section 3.1).
  var isLoopback: Bool {
    isAddress
      ? name == "::1" || name == "0:0:0:0:0:0:0:1" || (name.hasPrefix("127.") && !name.contains(":"))
      : name == "localhost" || name.hasSuffix(".localhost")
  }

  private static func isName(_ name: Substring) -> Bool {
    1...253 ~= name.utf8.count
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        !label.isEmpty && label.utf8.allSatisfy { ByteSet.words.contains($0) || $0 == UInt8(ascii: "-") }
      }
  }
}
