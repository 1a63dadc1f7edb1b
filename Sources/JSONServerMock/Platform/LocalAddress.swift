/// Where servers for tests listen, and how their addresses name this machine.
enum LocalAddress {
  #if canImport(Darwin)
    /// App Transport Security lets an app reach localhost, and refuses 127.0.0.1. The name stands for both loopback addresses,
    /// of which a client may try either first.
    static let hosts: [String] = []
    static let name = "localhost"
  #else
    static let hosts = ["127.0.0.1"]
    static let name = "127.0.0.1"
  #endif
}
