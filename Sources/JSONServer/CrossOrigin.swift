/// Which web pages of other origins may read and write.
public enum CrossOrigin: Sendable, Hashable {
  /// Pages served from this machine, on any port, with credentials.
  case loopback
  /// Pages of these origins, such as `https://app.example`, with credentials.
  case origins([String])
  /// All pages, without credentials.
  case any
  /// None.
  case none
}
