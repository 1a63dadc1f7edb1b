#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import HTTPTypes
  import JSONServer

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

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
      self.init(method: method, target: target, headerFields: fields, body: try urlRequest.bodyBytes())
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
      .seconds(timeoutInterval < 86_400 ? max(timeoutInterval, 0) : 86_400)
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
    convenience init?(_ response: Response, url: URL) {
      var fields: [String: String] = [:]
      for field in response.headerFields {
        let name = field.name.rawName
        fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
      }
      if case .bytes(let bytes) = response.body { fields["Content-Length"] = String(bytes.count) }
      self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
  }
#endif
