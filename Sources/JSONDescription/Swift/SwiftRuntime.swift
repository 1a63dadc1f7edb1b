/// The parts of a generated file that are the same for all data.
enum SwiftRuntime {
  static let imports = """
    import Foundation

    #if canImport(FoundationNetworking)
      import FoundationNetworking
    #endif
    """

  /// How the client sends and receives.
  static func requests(clientName: String, usesDates: Bool) -> String {
    """
    extension \(clientName) {
      /// Sends a request and returns the response's body and head.
      ///
      /// - Throws: ``ResourceError`` when the status is not a success, `URLError` when there is no response.
      fileprivate func send(
        _ method: String, _ path: String, query: [(String, String)] = [], body: (any Encodable)? = nil
      ) async throws -> (Data, HTTPURLResponse) {
        var address = baseURL.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        address += path
        if !query.isEmpty {
          let pairs = query.map { "\\($0.percentEncoded)=\\($1.percentEncoded)" }
          address += "?" + pairs.joined(separator: "&")
        }
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let body {
          let encoder = JSONEncoder()
    \(usesDates ? "      encoder.dateEncodingStrategy = .internetDateTime\n" : "")\
          request.httpBody = try encoder.encode(body)
          request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        guard 200..<300 ~= response.statusCode else { throw ResourceError(response.statusCode, data) }
        return (data, response)
      }

      /// Sends a request and returns what the response's body holds.
      fileprivate func receive<Answer: Decodable>(
        _ method: String, _ path: String, query: [(String, String)] = [], body: (any Encodable)? = nil
      ) async throws -> Answer {
        try Self.decode(await send(method, path, query: query, body: body).0)
      }

      fileprivate static func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
        let decoder = JSONDecoder()
    \(usesDates ? "    decoder.dateDecodingStrategy = .internetDateTime\n" : "")\
        return try decoder.decode(Answer.self, from: data)
      }
    }

    extension String {
      /// The text as it may stand anywhere in a URL's path or query.
      fileprivate var percentEncoded: String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain)) ?? self
      }
    }
    """
  }

  static let error = """
    /// Why the server did not do what it was asked.
    struct ResourceError: Error, Sendable, Hashable {
      /// The status of the response, such as 404.
      let statusCode: Int
      /// What the server says about it.
      let message: String

      fileprivate init(_ statusCode: Int, _ body: Data) {
        struct Body: Decodable { var message: String }
        self.statusCode = statusCode
        let error = try? JSONDecoder().decode(Body.self, from: body)
        message = error?.message ?? String(decoding: body, as: UTF8.self)
      }
    }

    extension ResourceError: LocalizedError {
      var errorDescription: String? { message }
    }
    """
}
