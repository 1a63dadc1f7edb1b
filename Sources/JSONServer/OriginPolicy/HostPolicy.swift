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
