// A file that uses `URLSession` imports it like this; where all of Foundation is one module, the second line is not
// there.
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// A session of its own for each test, without any cache: that of an ephemeral session, in memory, would validate what
  /// it has with requests of its own.
  static var forTests: URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }

  /// Sends a request, and returns the body and the head of its response.
  func send(_ request: URLRequest) async throws -> (data: Data, response: HTTPURLResponse) {
    let (data, response) = try await data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return (data, response)
  }

  /// Gets what is at a path, with a query, below an address.
  func get(_ path: String, at url: URL) async throws -> (data: Data, response: HTTPURLResponse) {
    guard let url = URL(string: path, relativeTo: url) else { throw URLError(.badURL) }
    return try await send(URLRequest(url: url))
  }
}
