import Downstream
import JSONServerTesting

struct BookmarkStoreTests {
  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]]))
  func `Bookmarks come over a socket`() async throws {
    let store = BookmarkStore(baseURL: try MockServer.current.url)
    #expect(try await store.bookmarks().map(\.title) == ["Swift"])
  }

  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false))
  func `Bookmarks come without a socket`() async throws {
    let server = try MockServer.current
    let store = BookmarkStore(baseURL: server.url, session: URLSession(configuration: .jsonServer(server)))
    #expect(try await store.bookmarks().map(\.title) == ["Swift"])
  }
}
