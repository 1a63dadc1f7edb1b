public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A client of a server of bookmarks, as an app has one.
public struct BookmarkStore: Sendable {
  public struct Bookmark: Codable, Equatable, Sendable {
    public var id: Int
    public var title: String
  }

  private let baseURL: URL
  private let session: URLSession

  public init(baseURL: URL, session: URLSession = .shared) {
    self.baseURL = baseURL
    self.session = session
  }

  /// Fetches all bookmarks.
  public func bookmarks() async throws -> [Bookmark] {
    let (data, _) = try await session.data(from: baseURL.appendingPathComponent("bookmarks"))
    return try JSONDecoder().decode([Bookmark].self, from: data)
  }
}
