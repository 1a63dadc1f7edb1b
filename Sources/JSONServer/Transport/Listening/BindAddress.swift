/// Where a server listens: a name or an IP address, and a port.
struct BindAddress: Sendable, Hashable, CustomStringConvertible {
  /// A host name, or an IP address without brackets.
  var host: String
  /// The port; 0 lets the system choose.
  var port: Int
  /// Whether a machine without this address is served by the other addresses alone.
  var isOptional: Bool

  init(host: String, port: Int, isOptional: Bool = false) {
    self.host = host
    self.port = port
    self.isOptional = isOptional
  }

  /// Both loopback addresses, so that `localhost` finds the server whichever a client tries first.
  static func loopback(port: Int) -> [BindAddress] {
    [BindAddress(host: "127.0.0.1", port: port), BindAddress(host: "::1", port: port, isOptional: true)]
  }

  /// The address as it is written in a URL.
  var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
