#if canImport(FoundationNetworking) || canImport(Darwin)
  import HTTPTypes
  import JSONServer
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
    /// It keeps no cache and no cookies; for a configuration of your own, take its `protocolClasses`. A server that hangs or
    /// is slow lets the request time out, and one that resets or truncates loses the connection, as over a socket. Redirects
    /// are followed within the server, without asking a delegate. Once the server is stopped, requests fail. Foundation does
    /// not show a protocol the header fields of `httpAdditionalHeaders`; set them on the requests. On Linux, it shows neither
    /// the session's time limits, so that a request's `timeoutInterval` counts, nor the body of an upload task, which fails,
    /// as a download task does: use a data task whose body is the request's `httpBody`.
    public static func jsonServer(_ server: MockServer) -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [JSONServerURLProtocol.type(number: server.number)]
      configuration.urlCache = nil
      return configuration
    }
  }

  /// Answers the requests of a session from a server in the process.
  ///
  /// A session creates instances of a class and passes them nothing of itself, so that each server has a class of its own.
  class JSONServerURLProtocol: URLProtocol {
    /// The servers that run, by their classes.
    private static let servers = NIOLockedValueBox<[ObjectIdentifier: MockServer]>([:])

    private var loading: Task<Void, Never>?

    /// Returns a class that no other number has: its type argument spells the number's bits.
    fileprivate static func type<Bits>(number: Int, after bits: Bits.Type = Never.self) -> JSONServerURLProtocol.Type {
      guard number > 0 else { return NumberedURLProtocol<Bits>.self }
      return number.isMultiple(of: 2)
        ? type(number: number / 2, after: ZeroBit<Bits>.self) : type(number: number / 2, after: OneBit<Bits>.self)
    }

    /// Sets the server that responds to the requests of a number's class; without one, they fail.
    fileprivate static func setServer(_ server: MockServer?, number: Int) {
      servers.withLockedValue { $0[ObjectIdentifier(type(number: number))] = server }
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

  /// Loads one request of a session from a server in the process.
  ///
  /// The initializer reads everything from the protocol on the session's thread. Later, only the loading task uses the
  /// protocol, and only to notify the client, one call after the other; clients may be called from any thread. Each call first
  /// checks whether the loading was stopped. A call that is under way at that moment ends a little later, which sessions allow.
  struct JSONServerLoader: @unchecked Sendable {
    private let urlProtocol: URLProtocol
    private let client: any URLProtocolClient
    private let request: URLRequest
    /// Why Foundation and the protocol cannot load the request together; `nil` when they can.
    private let obstacle: URLError?
    /// The server; `nil` when it was stopped.
    private let server: MockServer?

    /// Reads what a protocol knows; `nil` when nobody wants its response.
    init?(_ urlProtocol: URLProtocol, server: MockServer?) {
      guard let client = urlProtocol.client else { return nil }
      self.urlProtocol = urlProtocol
      self.client = client
      request = urlProtocol.request
      #if canImport(FoundationNetworking)
        func obstacle(_ code: URLError.Code, _ text: String) -> URLError {
          URLError(code, userInfo: [NSLocalizedDescriptionKey: text])
        }
        if urlProtocol.task is URLSessionDownloadTask {
          // When a protocol ends the loading of one, this Foundation ends the process.
          self.obstacle = obstacle(
            .cannotCreateFile, "Foundation here supports no download task with a protocol; use a data task.")
        } else if urlProtocol.task is URLSessionUploadTask, request.httpBody == nil, request.httpBodyStream == nil {
          // It would be handled as if it had no body.
          self.obstacle = obstacle(
            .requestBodyStreamExhausted,
            "Foundation here hides the body of an upload task from protocols; use a data task with httpBody.")
        } else {
          self.obstacle = nil
        }
      #else
        obstacle = nil
      #endif
      self.server = server
    }

    /// Loads the request, and notifies the client of the response or the error.
    func load() async {
      do {
        guard let server else { throw URLError(.cannotConnectToHost) }
        if let obstacle { throw obstacle }
        try await loadResponse(from: server)
      } catch {
        // There is nothing to do about a loading that was stopped.
        try? notify { $0.urlProtocol(urlProtocol, didFailWithError: error) }
      }
    }

    private func loadResponse(from server: MockServer) async throws {
      var request = request
      // A redirect may send the body again, and a stream can be read once.
      if request.httpBodyStream != nil { request.httpBody = Data(try request.bodyBytes()) }
      for _ in 0..<20 {
        let response = try await response(of: server, to: request)
        guard let redirected = request.redirected(by: response) else {
          return try await deliver(response, to: request)
        }
        request = redirected
      }
      throw URLError(.httpTooManyRedirects)
    }

    /// Returns the response as soon as it is there, and throws when the request has waited long enough for it.
    private func response(of server: MockServer, to request: URLRequest) async throws -> Response {
      let sent = try Request(request)
      let (responses, outcome) = AsyncThrowingStream.makeStream(of: Response.self)
      let responding = Task {
        let response = await server.server.respond(to: sent)
        if response.delivery != .hang { outcome.yield(response) }
      }
      let waiting = Task {
        try await Task.sleep(for: request.timeout)
        outcome.finish(throwing: URLError(.timedOut))
      }
      defer {
        responding.cancel()
        waiting.cancel()
      }
      for try await response in responses { return response }
      throw CancellationError()
    }

    private func deliver(_ response: Response, to request: URLRequest) async throws {
      switch response.delivery {
      // A response that hangs does not come here.
      case .hang, .reset, .lost:
        throw URLError(.networkConnectionLost)
      case .truncated(let count):
        try begin(response, to: request)
        try send(response.bytes.prefix(count))
        throw URLError(.networkConnectionLost)
      case .normal:
        try begin(response, to: request)
        switch response.content {
        case .stream(let pieces, let length?): try await send(pieces, length: length)
        case .stream(let pieces, nil): for await piece in pieces { try send(piece[...]) }
        case .events(let list): for await piece in list.pieces { try send(piece[...]) }
        case .bytes(let bytes) where !bytes.isEmpty: try send(bytes[...])
        case .bytes, .slices: break
        }
        try notify { $0.urlProtocolDidFinishLoading(urlProtocol) }
      }
    }

    private func begin(_ response: Response, to request: URLRequest) throws {
      guard let head = HTTPURLResponse(response, to: request) else {
        throw URLError(.badServerResponse)
      }
      try notify { $0.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: .notAllowed) }
    }

    /// Sends a body of a known length at once, cut off at its length: of several pieces, Foundation on Linux gives only the
    /// last to a completion handler.
    private func send(_ pieces: AsyncStream<[UInt8]>, length: Int) async throws {
      var body: [UInt8] = []
      var pieces = pieces.makeAsyncIterator()
      while body.count < length, let piece = await pieces.next() { body += piece }
      if length > 0 { try send(body.prefix(length)) }
      guard body.count >= length else { throw URLError(.networkConnectionLost) }
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

  extension Request {
    /// Creates the request that a session would send. Reads the body's stream to its end, if it has one.
    ///
    /// - Throws: `URLError` for a request without URL or method, or whose body cannot be read.
    init(_ urlRequest: URLRequest) throws {
      guard let url = urlRequest.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
        let method = HTTPRequest.Method(urlRequest.httpMethod ?? "GET")
      else { throw URLError(.badURL) }
      var fields: HTTPFields = [:]
      for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
        if let name = HTTPField.Name(name) { fields[name] = value }
      }
      // The session would take the body apart again.
      fields[.acceptEncoding] = nil
      if let host = HTTPField.Name("Host"), fields[host] == nil {
        fields[host] = (components.encodedHost ?? "localhost") + (components.port.map { ":\($0)" } ?? "")
      }
      let path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
      let target = path + (components.percentEncodedQuery.map { "?" + $0 } ?? "")
      let body = try urlRequest.bodyBytes()
      // URLSession sends none, either.
      guard method != .get || body.isEmpty else { throw URLError(.dataLengthExceedsMaximum) }
      self.init(method: method, target: target, headerFields: fields, body: body)
    }
  }

  extension URLRequest {
    /// The request that follows a redirect (RFC 9110, section 15.4); `nil` when the response is none.
    func redirected(by response: Response) -> URLRequest? {
      guard [301, 302, 303, 307, 308].contains(response.status.code),
        let location = response.headerFields[.location], let target = URL(string: location, relativeTo: url)
      else { return nil }
      var next = self
      next.url = target.absoluteURL
      let isRead = httpMethod == "GET" || httpMethod == "HEAD"
      // As browsers and URLSession have it: a POST that is moved becomes a GET.
      if response.status.code == 303 && !isRead || response.status.code < 303 && httpMethod == "POST" {
        next.httpMethod = "GET"
        next.httpBody = nil
      }
      return next
    }

    /// How long the request waits, up to a day: a `Duration` cannot be as long as an interval.
    var timeout: Duration {
      .seconds(timeoutInterval > 0 && timeoutInterval < 86_400 ? timeoutInterval : 86_400)
    }

    fileprivate func bodyBytes() throws -> [UInt8] {
      if let httpBody { return Array(httpBody) }
      guard let stream = httpBodyStream else { return [] }
      stream.open()
      defer { stream.close() }
      var body: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        let count = stream.read(&buffer, maxLength: buffer.count)
        guard count >= 0 else { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
        guard count > 0 else { return body }
        body += buffer[..<count]
      }
    }
  }

  extension HTTPURLResponse {
    /// Creates the head of a response as a session shows it; fields of one name are joined.
    convenience init?(_ response: Response, to request: URLRequest) {
      guard let url = request.url else { return nil }
      var fields = Dictionary(response.headerFields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
      let length: Int? =
        switch response.content {
        case .bytes(let bytes): bytes.count
        case .stream(_, let length): length
        case .slices, .events: nil
        }
      // RFC 9110, section 8.6
      if let length, request.httpMethod != "HEAD", ![204, 304].contains(response.status.code) {
        fields[.contentLength] = String(max(length, 0))
      }
      self.init(
        url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1",
        headerFields: Dictionary(uniqueKeysWithValues: fields.map { ($0.key.rawName, $0.value) }))
    }
  }
#endif

extension MockServer {
  /// Responds to the requests of sessions that the server's class handles, where Foundation has such classes, or lets them
  /// fail from now on.
  func loadURLs(_ responds: Bool) {
    #if canImport(FoundationNetworking) || canImport(Darwin)
      JSONServerURLProtocol.setServer(responds ? self : nil, number: number)
    #endif
  }
}
