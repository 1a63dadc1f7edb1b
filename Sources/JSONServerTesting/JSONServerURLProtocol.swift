#if canImport(FoundationNetworking) || canImport(Darwin)
  public import Foundation
  import HTTPTypes
  import JSONServer
  import Synchronization

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  extension URLSessionConfiguration {
    /// Returns the configuration of a session all of whose requests a server answers without a socket, whatever host
    /// they are for.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .jsonServer(server))
    /// let api = ShopAPI(baseURL: URL(string: "https://api.example.com")!, session: session)
    /// ```
    ///
    /// The configuration keeps no cache and no cookies; its own header field tells whose requests they are, so add to
    /// `httpAdditionalHeaders` rather than replace them.
    public static func jsonServer(_ server: MockServer) -> URLSessionConfiguration {
      JSONServerURLProtocol.remember(server)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [JSONServerURLProtocol.self]
      configuration.httpAdditionalHeaders = [JSONServerURLProtocol.tokenName: server.token]
      configuration.urlCache = nil
      return configuration
    }
  }

  /// Answers the requests of a session from a server in the process; see `URLSessionConfiguration.jsonServer(_:)`.
  ///
  /// A server that hangs lets the request time out, and one that resets or truncates loses the connection, as over a
  /// socket. Redirects are followed within the server.
  ///
  /// The loading system calls the methods of one instance one after the other; what they share with the task that loads
  /// is behind a lock, so that an instance may be sent to it.
  public final class JSONServerURLProtocol: URLProtocol, @unchecked Sendable {
    static let tokenName = "X-JSON-Server-Token"

    private static let servers = Mutex<[String: MockServer]>([:])
    private let loading = Mutex<Task<Void, Never>?>(nil)

    static func remember(_ server: MockServer) {
      servers.withLock { $0[server.token] = server }
    }

    static func forget(_ server: MockServer) {
      _ = servers.withLock { $0.removeValue(forKey: server.token) }
    }

    override public class func canInit(with request: URLRequest) -> Bool {
      request.value(forHTTPHeaderField: tokenName) != nil
    }

    override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override public func startLoading() {
      loading.withLock { $0 = Task { await load() } }
    }

    override public func stopLoading() {
      loading.withLock { $0?.cancel() }
    }

    private func load() async {
      let token = request.value(forHTTPHeaderField: Self.tokenName) ?? ""
      do {
        guard let server = Self.servers.withLock({ $0[token] }) else { throw URLError(.cannotConnectToHost) }
        try await answer(request, from: server)
      } catch {
        // Who has stopped loading is told nothing any more.
        if !Task.isCancelled { client?.urlProtocol(self, didFailWithError: error) }
      }
    }

    private func answer(_ urlRequest: URLRequest, from server: MockServer) async throws {
      var urlRequest = urlRequest
      for _ in 0..<20 {
        let response = await server.respond(to: try Request(urlRequest))
        guard let redirected = urlRequest.redirected(by: response) else {
          return try await deliver(response, to: urlRequest)
        }
        urlRequest = redirected
      }
      throw URLError(.httpTooManyRedirects)
    }

    private func deliver(_ response: Response, to urlRequest: URLRequest) async throws {
      switch response.delivery {
      case .hang:
        try await Task.sleep(for: .seconds(request.timeoutInterval))
        throw URLError(.timedOut)
      case .reset:
        throw URLError(.networkConnectionLost)
      case .truncated(let count):
        try begin(response, to: urlRequest)
        client?.urlProtocol(self, didLoad: Data(response.bytes.prefix(count)))
        throw URLError(.networkConnectionLost)
      case .normal:
        try begin(response, to: urlRequest)
        switch response.body {
        case .bytes(let bytes):
          if !bytes.isEmpty { client?.urlProtocol(self, didLoad: Data(bytes)) }
        case .stream(let pieces):
          for await piece in pieces { client?.urlProtocol(self, didLoad: Data(piece)) }
        }
        try Task.checkCancellation()
        client?.urlProtocolDidFinishLoading(self)
      }
    }

    private func begin(_ response: Response, to urlRequest: URLRequest) throws {
      try Task.checkCancellation()
      guard let url = urlRequest.url, let head = HTTPURLResponse(response, url: url) else {
        throw URLError(.badServerResponse)
      }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
    }
  }
#endif
