import Bookmarks
import JSONServerTesting

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"], ["id": 2, "title": "NIO"]]]))
struct `The list of bookmarks` {
  let server: MockServer
  let list: BookmarkList

  init() throws {
    server = try MockServer.current
    list = BookmarkList(api: BookmarksAPI(baseURL: server.url))
  }

  @Test func `shows what the server has`() async throws {
    await list.load()
    #expect(list.bookmarks.map(\.title) == ["Swift", "NIO"])
    #expect(list.message == nil)
  }
}
