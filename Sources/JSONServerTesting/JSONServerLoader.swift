#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import HTTPTypes
  import JSONServer

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Loads one request of a session from a server in the process.
  ///
  /// Sent to the one task that loads: the protocol's request and client never change once it was made, and nothing but
  /// that task calls the client.
  struct JSONServerLoader: @unchecked Sendable {
    private let urlProtocol: JSONServerURLProtocol
    /// The server; `nil` when it was stopped.
    private let server: MockServer?

    init(_ urlProtocol: JSONServerURLProtocol, server: MockServer?) {
      self.urlProtocol = urlProtocol
      self.server = server
    }

    private var client: (any URLProtocolClient)? { urlProtocol.client }

    /// Loads the request, and tells the client of the answer or the error.
    func load() async {
      do {
        guard let server else { throw URLError(.cannotConnectToHost) }
        try checkBody()
        try await answer(urlProtocol.request, from: server)
      } catch {
        // Who has stopped loading is told nothing any more.
        if !Task.isCancelled { client?.urlProtocol(urlProtocol, didFailWithError: error) }
      }
    }

    /// Refuses what would be answered as if it had no body.
    private func checkBody() throws {
      #if canImport(FoundationNetworking)
        let request = urlProtocol.request
        guard urlProtocol.task is URLSessionUploadTask, request.httpBody == nil, request.httpBodyStream == nil else {
          return
        }
        let description = "This Foundation hides the body of an upload task from protocols; send it as httpBody."
        throw URLError(.requestBodyStreamExhausted, userInfo: [NSLocalizedDescriptionKey: description])
      #endif
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
        try await Task.sleep(for: .seconds(urlRequest.timeoutInterval))
        throw URLError(.timedOut)
      case .reset:
        throw URLError(.networkConnectionLost)
      case .truncated(let count):
        try begin(response, to: urlRequest)
        client?.urlProtocol(urlProtocol, didLoad: Data(response.bytes.prefix(count)))
        throw URLError(.networkConnectionLost)
      case .normal:
        try begin(response, to: urlRequest)
        switch response.body {
        case .bytes(let bytes):
          if !bytes.isEmpty { client?.urlProtocol(urlProtocol, didLoad: Data(bytes)) }
        case .stream(let pieces, _):
          for await piece in pieces { client?.urlProtocol(urlProtocol, didLoad: Data(piece)) }
        }
        try Task.checkCancellation()
        client?.urlProtocolDidFinishLoading(urlProtocol)
      }
    }

    private func begin(_ response: Response, to urlRequest: URLRequest) throws {
      try Task.checkCancellation()
      guard let url = urlRequest.url, let head = HTTPURLResponse(response, url: url) else {
        throw URLError(.badServerResponse)
      }
      client?.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: .notAllowed)
    }
  }
#endif
