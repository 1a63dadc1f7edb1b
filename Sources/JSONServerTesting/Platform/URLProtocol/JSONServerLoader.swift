#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import HTTPTypes
  import JSONServer

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Loads one request of a session from a server in the process.
  ///
  /// Sent to the one task that loads: what the protocol knows is read here before, where the session starts the
  /// loading, and afterwards the protocol only notifies the client that calls. Clients may be called from any thread; this
  /// one is called by that task alone, one call after the other. Each call looks first whether the loading was stopped;
  /// one that is under way at that moment ends a little later, which sessions allow.
  struct JSONServerLoader: @unchecked Sendable {
    private let urlProtocol: URLProtocol
    private let client: any URLProtocolClient
    private let request: URLRequest
    private let hidesBody: Bool
    /// The server; `nil` when it was stopped.
    private let server: MockServer?

    /// Reads what a protocol knows; `nil` when nobody wants its response.
    init?(_ urlProtocol: URLProtocol, server: MockServer?) {
      guard let client = urlProtocol.client else { return nil }
      self.urlProtocol = urlProtocol
      self.client = client
      request = urlProtocol.request
      hidesBody = Self.hidesBody(urlProtocol)
      self.server = server
    }

    /// Whether there is a body that the protocol is not shown.
    private static func hidesBody(_ urlProtocol: URLProtocol) -> Bool {
      #if canImport(FoundationNetworking)
        let request = urlProtocol.request
        return urlProtocol.task is URLSessionUploadTask && request.httpBody == nil
          && request.httpBodyStream == nil
      #else
        return false
      #endif
    }

    /// Loads the request, and notifies the client of the response or the error.
    func load() async {
      do {
        guard let server else { throw URLError(.cannotConnectToHost) }
        guard !hidesBody else {
          // It would be handled as if it had no body.
          let description =
            "This Foundation hides the body of an upload task from protocols; send it as httpBody."
          throw URLError(
            .requestBodyStreamExhausted, userInfo: [NSLocalizedDescriptionKey: description])
        }
        try await loadResponse(from: server)
      } catch {
        // There is nothing to do about a loading that was stopped.
        try? notify { $0.urlProtocol(urlProtocol, didFailWithError: error) }
      }
    }

    private func loadResponse(from server: MockServer) async throws {
      var request = request
      for _ in 0..<20 {
        let response = await server.respond(to: try Request(request))
        guard let redirected = request.redirected(by: response) else {
          return try await deliver(response, to: request)
        }
        request = redirected
      }
      throw URLError(.httpTooManyRedirects)
    }

    private func deliver(_ response: Response, to request: URLRequest) async throws {
      switch response.delivery {
      case .hang:
        try await Task.sleep(for: request.timeout)
        throw URLError(.timedOut)
      case .reset:
        throw URLError(.networkConnectionLost)
      case .truncated(let count):
        try begin(response, to: request)
        try send(response.bytes.prefix(count))
        throw URLError(.networkConnectionLost)
      case .normal:
        try begin(response, to: request)
        switch response.body {
        case .bytes(let bytes):
          if !bytes.isEmpty { try send(bytes[...]) }
        case .stream(let pieces, _):
          for await piece in pieces { try send(piece[...]) }
        }
        try notify { $0.urlProtocolDidFinishLoading(urlProtocol) }
      }
    }

    private func begin(_ response: Response, to request: URLRequest) throws {
      guard let url = request.url, let head = HTTPURLResponse(response, url: url) else {
        throw URLError(.badServerResponse)
      }
      try notify { $0.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: .notAllowed) }
    }

    private func send(_ piece: ArraySlice<UInt8>) throws {
      try notify { $0.urlProtocol(urlProtocol, didLoad: Data(piece)) }
    }

    /// Calls the client; throws when the loading was stopped.
    private func notify(_ event: (any URLProtocolClient) -> Void) throws {
      try Task.checkCancellation()
      event(client)
    }
  }
#endif
