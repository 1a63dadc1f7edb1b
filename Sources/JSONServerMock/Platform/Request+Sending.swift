import HTTPTypes
import JSONServer

extension Request {
  /// Sends the request to another server, follows redirects, and returns the response.
  ///
  /// - Parameter address: The complete address of the request.
  /// - Throws: `URLError`.
  func sent(to address: String) async throws -> Response {
    #if canImport(FoundationNetworking) || canImport(Darwin)
      guard let url = URL(string: address) else { throw URLError(.badURL) }
      var request = URLRequest(url: url)
      request.httpMethod = method.rawValue
      for field in headerFields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
      if !bytes.isEmpty { request.httpBody = Data(bytes) }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpShouldSetCookies = false
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      let (data, head) = try await session.data(for: request)
      guard let head = head as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      var fields = HTTPFields()
      for (name, value) in head.allHeaderFields {
        guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
          continue
        }
        fields.append(HTTPField(name: name, value: value))
      }
      // The session has unpacked the body.
      fields[.contentEncoding] = nil
      return Response(
        status: HTTPResponse.Status(code: head.statusCode), headerFields: fields, body: .bytes(Array(data)))
    #else
      throw MockServerError("Recording needs URLSession, which this system lacks.")
    #endif
  }
}
