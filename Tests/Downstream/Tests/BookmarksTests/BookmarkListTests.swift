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

  @Test func `says so when the network fails`() async throws {
    await server.fail(.get("/bookmarks"), with: .reset)
    await list.load()
    #expect(list.message == "The bookmarks could not be loaded.")
  }

  @Test func `survives what the backend may change`() async throws {
    try await server.rehearse { server in
      let list = BookmarkList(api: BookmarksAPI(baseURL: server.url))
      await list.load()
      #expect(list.message == nil)
    }
  }

  @Test func `tries a second time`() async throws {
    await server.fail(.get("/bookmarks"), with: 503, times: 1)
    await list.load()
    #expect(list.bookmarks.count == 2)
    try await server.expect(.get("/bookmarks"), times: 2)
  }
}
