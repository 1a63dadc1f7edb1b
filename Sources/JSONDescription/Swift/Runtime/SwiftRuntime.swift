/// The parts of a generated file that are the same for all data.
struct SwiftRuntime {
  /// The name of the client's type.
  let clientName: String
  let access: SwiftAccess
  let usesDates: Bool
  /// Whether the client has the tokens of who has signed in.
  let signsIn: Bool

  /// What stands before a declaration that others see.
  var open: String { access.prefix }
  /// What stands before a type that others see.
  var openType: String { access.typePrefix }

  var imports: String {
    """
    \(open)import Foundation

    #if canImport(FoundationNetworking)
      \(open)import FoundationNetworking
    #endif
    """
  }

  /// How the client sends and receives.
  var requests: String {
    """
    nonisolated extension \(clientName) {
      /// Sends a request and returns the response's body and head.
      ///
      /// - Throws: ``ResourceError`` when the status is not a success, `URLError` when there is no response.
      fileprivate func send(
        _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
      ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let version { request.setValue(version, forHTTPHeaderField: "If-Match") }
        if let body {
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    \(usesDates ? "      encoder.dateEncodingStrategy = .internetDateTime\n" : "")\
          request.httpBody = try encoder.encode(body)
          request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        \(signsIn ? "let (data, response) = try await sendWithTokens(request)" : "let (data, response) = try await transmit(request)")
        guard 200..<300 ~= response.statusCode else { throw ResourceError(response.statusCode, data) }
        return (data, response)
      }

      /// Sends a request and returns what the response's body holds.
      fileprivate func receive<Answer: Decodable>(
        _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
      ) async throws -> Answer {
        try Self.decode(await send(method, url, ifMatch: version, body: body).0)
      }

      fileprivate func transmit(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
      }

      fileprivate func url(_ path: String, query: [(String, String)] = []) throws -> URL {
        var address = baseURL.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        address += path
        if !query.isEmpty {
          let pairs = query.map { "\\($0.percentEncoded)=\\($1.percentEncoded)" }
          address += "?" + pairs.joined(separator: "&")
        }
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        return url
      }

      fileprivate static func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
        let decoder = JSONDecoder()
    \(usesDates ? "    decoder.dateDecodingStrategy = .internetDateTime\n" : "")\
        return try decoder.decode(Answer.self, from: data)
      }
    }

    nonisolated extension String {
      /// The text as it may stand anywhere in a URL's path or query.
      fileprivate var percentEncoded: String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain)) ?? self
      }
    }
    """
  }

  var error: String {
    """
    /// Why the server did not do what it was asked.
    \(openType)struct ResourceError: Error, Sendable, Hashable {
      /// The status of the response, such as 404.
      \(open)let statusCode: Int
      /// What the server says about it.
      \(open)let message: String

      fileprivate init(_ statusCode: Int, _ body: Data) {
        struct Body: Decodable { var message: String }
        self.statusCode = statusCode
        let error = try? JSONDecoder().decode(Body.self, from: body)
        message = error?.message ?? String(decoding: body, as: UTF8.self)
      }
    }

    nonisolated extension ResourceError: LocalizedError {
      \(open)var errorDescription: String? { message }
    }
    """
  }
}
