#if canImport(FoundationNetworking) || canImport(Darwin)
  import NIOConcurrencyHelpers

  #if canImport(Darwin)
    public import Foundation
  #else
    import Foundation
    public import FoundationNetworking
  #endif

  extension URLSessionConfiguration {
    /// Returns the configuration of a session all of whose requests a server responds to without a socket, whatever host
    /// they are for.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .jsonServer(server))
    /// let api = ShopAPI(baseURL: URL(string: "https://api.example.com"), session: session)
    /// ```
    ///
    /// It keeps no cache and no cookies. For a configuration of your own, put ``MockServer/protocolClass`` first in its
    /// `protocolClasses`.
    public static func jsonServer(_ server: MockServer) -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [server.protocolClass]
      configuration.urlCache = nil
      return configuration
    }
  }

  extension MockServer {
    /// The class that responds to a session's requests from this server.
    ///
    /// A server that hangs lets the request time out, and one that resets or truncates loses the connection, as over a
    /// socket. Redirects are followed within the server. Once it is stopped, requests fail. On Linux, Foundation shows
    /// a protocol no body of an upload task: such a request fails, and its body has to be the request's `httpBody`.
    public var protocolClass: URLProtocol.Type { JSONServerURLProtocol.type(number: number) }
  }

  /// Answers the requests of a session from a server in the process.
  ///
  /// A session creates instances of a class and passes them nothing of itself, so that each server has a class of its own.
  class JSONServerURLProtocol: URLProtocol {
    /// The servers that run, by their classes.
    private static let servers = NIOLockedValueBox<[ObjectIdentifier: MockServer]>([:])

    private var loading: Task<Void, Never>?

    /// Returns a class that no other number has: its type argument spells the number's bits.
    fileprivate static func type(number: Int) -> JSONServerURLProtocol.Type {
      type(number: number, after: Never.self)
    }

    private static func type<Bits>(number: Int, after bits: Bits.Type) -> JSONServerURLProtocol.Type {
      guard number > 0 else { return NumberedURLProtocol<Bits>.self }
      return number.isMultiple(of: 2)
        ? type(number: number / 2, after: ZeroBit<Bits>.self) : type(number: number / 2, after: OneBit<Bits>.self)
    }

    /// Takes a server that runs.
    static func register(_ server: MockServer) {
      servers.withLockedValue { $0[ObjectIdentifier(type(number: server.number))] = server }
    }

    /// Forgets a server that is stopped; the requests of its sessions fail from now on.
    static func forget(_ server: MockServer) {
      _ = servers.withLockedValue { $0.removeValue(forKey: ObjectIdentifier(type(number: server.number))) }
    }

    override class func canInit(with request: URLRequest) -> Bool { self != JSONServerURLProtocol.self }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      let type = ObjectIdentifier(Swift.type(of: self))
      guard let loader = JSONServerLoader(self, server: Self.servers.withLockedValue { $0[type] }) else { return }
      loading = Task { await loader.load() }
    }

    override func stopLoading() {
      loading?.cancel()
    }
  }

  private final class NumberedURLProtocol<Bits>: JSONServerURLProtocol {}
  private enum ZeroBit<Rest> {}
  private enum OneBit<Rest> {}
#endif

extension MockServer {
  /// Responds to the requests of sessions that its class handles, where Foundation has such classes.
  func startLoadingURLs() {
    #if canImport(FoundationNetworking) || canImport(Darwin)
      JSONServerURLProtocol.register(self)
    #endif
  }

  /// Lets the requests of such sessions fail from now on.
  func stopLoadingURLs() {
    #if canImport(FoundationNetworking) || canImport(Darwin)
      JSONServerURLProtocol.forget(self)
    #endif
  }
}
