import HTTPTypes

/// Keeps out pages of other sites that point their own name at this machine (DNS rebinding).
///
/// A browser sends the name from the page's address in `Host`. A name that nobody can register, or an address, cannot
/// be an attacker's.
struct HostPolicy: Sendable {
  private let allowed: Set<String>
  private let allowsAll: Bool

  /// Creates a policy.
  ///
  /// - Parameter allowed: Names that are admitted besides `localhost`, those below it, and addresses: the one that the
  ///   server is bound to, and those of `--allowed-host`; `*` stands for all.
  init(allowed: [String] = []) {
    allowsAll = allowed.contains("*")
    self.allowed = Set(allowed.compactMap { HostName($0)?.name })
  }

  /// Checks a request's `Host` field.
  ///
  /// - Parameter host: The field's value; several fields joined by a comma, as HTTPFields joins them.
  /// - Throws: 400, when it is missing, doubled or malformed; 403, when its name is not allowed.
  func check(host: String?) throws(RequestError) {
    guard let host else {
      throw RequestError(.malformed, "The request has no Host field; send one, such as 'Host: localhost'.")
    }
    guard !host.contains(",") else {
      throw RequestError(.malformed, "The request has more than one Host field; send one.")
    }
    guard let name = HostName(host) else {
      throw RequestError(.malformed, "The Host field '\(host)' is no host and port; send one such as 'localhost:3000'.")
    }
    guard allowsAll || name.isAddress || name.isLoopback || allowed.contains(name.name) else {
      throw RequestError(
        .forbidden,
        """
        The host '\(name.name)' of the Host field is not allowed; use localhost or an IP address, or start the server \
        with --allowed-host \(name.name).
        """)
    }
  }
}

/// A host as a `Host` or `Origin` field names it, and its port.
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
      guard Self.isIPv6(address) else { return nil }
      name = String(address)
      isAddress = true
      end = lowercased.index(after: bracket)
    } else {
      end = lowercased.firstIndex(of: ":") ?? lowercased.endIndex
      var host = lowercased[..<end]
      if host.hasSuffix(".") { host.removeLast() }
      guard Self.isName(host) else { return nil }
      name = String(host)
      isAddress = Self.isIPv4(host)
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

  private static func isIPv4(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        // A leading zero means octal to some and decimal to others.
        part.utf8.allSatisfy(ByteSet.digits.contains) && (part == "0" || !part.hasPrefix("0"))
          && Int(part).map { $0 <= 255 } == true
      }
  }

  private static func isIPv6(_ text: Substring) -> Bool {
    guard let gap = text.firstRange(of: "::") else { return groupCount(text) == 8 }
    let (head, tail) = (text[..<gap.lowerBound], text[gap.upperBound...])
    guard !head.contains("."), let before = head.isEmpty ? 0 : groupCount(head),
      let after = tail.isEmpty ? 0 : groupCount(tail)
    else { return false }
    return before + after < 8
  }

  /// The number of 16-bit groups in a part of an IPv6 address; an IPv4 address at its end is two.
  private static func groupCount(_ text: Substring) -> Int? {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    let hasIPv4 = groups.last.map(isIPv4) == true
    let isHexadecimal = groups.dropLast(hasIPv4 ? 1 : 0).allSatisfy { group in
      1...4 ~= group.utf8.count && group.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
    return isHexadecimal ? groups.count + (hasIPv4 ? 1 : 0) : nil
  }
}
