import Bookmarks
import JSONServerTesting

/// What a test sends besides what the app does; isolated to the main actor, as all of an app's types are.
struct Draft: Codable, Equatable {
  var title: String
}

/// The list of the running test's server.
func listOfServer() throws -> BookmarkList {
  BookmarkList(api: BookmarksAPI(baseURL: try MockServer.current.url))
}

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"], ["id": 2, "title": "NIO"]]]))
struct `Changes of bookmarks` {
  @Test func `A bookmark is added`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.add(title: "Vapor")
    #expect(list.bookmarks.map(\.id) == [3])
    let request = try await server.waitForRequest(.post("/bookmarks"))
    #expect(try request.decode(Draft.self) == Draft(title: "Vapor"))
    let titles = try await server.records("bookmarks", as: Bookmark.self).map(\.title)
    #expect(titles == ["Swift", "NIO", "Vapor"])
  }

  @Test func `A bookmark that cannot be saved is not shown`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await server.fail(.post("/bookmarks", body: .including(["title": "Vapor"])), with: 409)
    await list.add(title: "Vapor")
    #expect(list.bookmarks.isEmpty)
    #expect(list.message == "'Vapor' could not be saved.")
    try await server.expect(
      "bookmarks", equals: [["id": 1, "title": "Swift"], ["id": 2, "title": "NIO"]])
  }

  @Test func `A bookmark is removed`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.load()
    let first = try #require(list.bookmarks.first)
    await list.remove(first)
    #expect(list.bookmarks.map(\.title) == ["NIO"])
    try await server.expect(.delete("/bookmarks/1"), times: 1)
    try await server.expect("bookmarks", equals: [Bookmark(id: 2, title: "NIO")])
  }

  @Test func `A bookmark that is gone already is named`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.load()
    await server.fail(.delete("/bookmarks/*"), with: 404, times: 1)
    await list.remove(try #require(list.bookmarks.last))
    #expect(list.message == "'NIO' could not be removed.")
    #expect(list.bookmarks.count == 2)
  }

  @Test(arguments: ["", "\u{E9}", "a/b?c=d&e", String(repeating: "long ", count: 100)])
  func `Any title is saved as it is`(_ title: String) async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.add(title: title)
    #expect(try await server.records("bookmarks", as: Bookmark.self).last?.title == title)
    try await server.expect(.post("/bookmarks", body: ["title": .init(title)]), times: 1)
  }

  @Test func `Changes are made in their order`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.add(title: "Vapor")
    await list.remove(try #require(list.bookmarks.first))
    try await server.expect(inOrder: [.post("/bookmarks"), .delete("/bookmarks/3")])
    try await server.expectNoOtherRequests()
  }

  @Test func `A test brings the data back`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await server.saveSnapshot("two")
    await list.add(title: "Vapor")
    try await server.restoreSnapshot("two")
    await list.load()
    #expect(list.bookmarks.count == 2)
    await list.remove(try #require(list.bookmarks.first))
    try await server.reset()
    await list.load()
    #expect(list.bookmarks.count == 2)
  }

  @Test(arguments: 0..<8)
  func `No test sees what another one adds`(_ number: Int) async throws {
    let list = try listOfServer()
    await list.add(title: "Number \(number)")
    await list.load()
    #expect(list.bookmarks.map(\.title) == ["Swift", "NIO", "Number \(number)"])
  }
}

@Suite struct `What the screen shows while it waits, and when the server is strange` {
  @Test(.jsonServer(["bookmarks": []]))
  func `An empty list is no failure`() async throws {
    let list = try listOfServer()
    await list.load()
    #expect(list.bookmarks.isEmpty)
    #expect(list.message == nil)
  }

  @Test(.jsonServer(["bookmarks": []]))
  func `It is loading until the response is there`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    let hold = await server.hold(.get("/bookmarks"))
    async let loading: Void = list.load()
    try await hold.arrived(within: .seconds(60))
    #expect(list.isLoading)
    await hold.release()
    await loading
    #expect(!list.isLoading)
  }

  @Test(.jsonServer(["bookmarks": []]))
  func `A hold that fails is a failure of the network`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    let hold = await server.hold(.get("/bookmarks"), times: 1)
    async let loading: Void = list.load()
    try await hold.arrived(within: .seconds(60))
    await hold.fail(with: 502)
    await loading
    #expect(list.message == nil)
    try await server.expect(.get("/bookmarks"), times: 2)
  }

  @Test(.jsonServer(["bookmarks": []]), arguments: [401, 404, 418, 500, 503])
  func `Every failure is shown`(_ status: Int) async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await server.fail(.any(), with: status)
    await list.load()
    #expect(list.message != nil)
  }

  @Test(.jsonServer())
  func `What is no list of bookmarks is a failure`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await server.stub(.get("/bookmarks"), inOrder: [.text("<html>", type: "text/html"), .json(["id": 1])])
    await list.load()
    #expect(list.message != nil)
    try await server.expect(.get("/bookmarks"), times: 2...2)
  }

  @Test(.jsonServer())
  func `A response that is cut off is requested again`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await server.stub(.get("/bookmarks")) { _ in .json([["id": 7, "title": "Cut"]]) }
    await server.fail(.get("/bookmarks"), with: .truncated, times: 1)
    await list.load()
    #expect(list.bookmarks == [Bookmark(id: 7, title: "Cut")])
  }

  @Test(.jsonServer(.encoding(["bookmarks": [Bookmark(id: 1, title: "One"), Bookmark(id: 2, title: "Two")]])))
  func `Models of the app are the data`() async throws {
    let list = try listOfServer()
    await list.load()
    #expect(list.bookmarks.map(\.title) == ["One", "Two"])
  }

  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], pathPrefix: "/api/v1"))
  func `The address has the path of the API`() async throws {
    let (server, list) = (try MockServer.current, try listOfServer())
    await list.load()
    #expect(list.bookmarks.count == 1)
    try await server.expect(.get("/api/v1/bookmarks"), times: 1)
  }

  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], unexpectedRequests: .issue, listens: false))
  func `A real address is answered without a socket`() async throws {
    let server = try MockServer.current
    let url = try #require(URL(string: "https://api.example.com"))
    let list = BookmarkList(api: BookmarksAPI(baseURL: url, session: URLSession(configuration: .jsonServer(server))))
    await list.load()
    #expect(list.bookmarks.map(\.title) == ["Swift"])
  }

  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]]))
  func `Two devices have their own data`() async throws {
    let server = try MockServer.current
    let (first, second) = (server.session("first"), server.session("second"))
    let lists = [first, second].map { BookmarkList(api: BookmarksAPI(baseURL: $0.url)) }
    await lists[0].add(title: "Vapor")
    for list in lists { await list.load() }
    #expect(lists.map(\.bookmarks.count) == [2, 1])
    try await first.expect(.post("/bookmarks"), times: 1)
    try await second.expect(.post("/bookmarks"), times: 0)
  }
}
