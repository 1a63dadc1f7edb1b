import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

public struct Bookmark: Codable, Identifiable, Equatable {
  public var id: Int
  public var title: String
}

/// The bookmarks of a server.
public struct BookmarksAPI {
  let baseURL: URL
  let session: URLSession

  public init(baseURL: URL, session: URLSession = .shared) {
    self.baseURL = baseURL
    self.session = session
  }

  func bookmarks() async throws -> [Bookmark] {
    let data = try await send(URLRequest(url: baseURL.appending(path: "bookmarks")))
    return try JSONDecoder().decode([Bookmark].self, from: data)
  }

  private func send(_ request: URLRequest) async throws -> Data {
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
      throw URLError(.badServerResponse)
    }
    return data
  }
}
