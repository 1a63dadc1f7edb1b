import Bookmarks
import JSONServerTesting
import XCTest

/// The app's tests as a target with XCTest has them: a server from `setUp` to `tearDown`, and one for a closure.
nonisolated final class BookmarkTestCase: XCTestCase {
  private var running: MockServer?

  private var server: MockServer {
    get throws { try XCTUnwrap(running) }
  }

  override func setUp() async throws {
    running = try await MockServer.start(["bookmarks": [["id": 1, "title": "Swift"]]])
  }

  override func tearDown() async throws {
    try await running?.verify()
    await running?.stop()
  }

  @MainActor func testBookmarksAreLoaded() async throws {
    let list = BookmarkList(api: BookmarksAPI(baseURL: try server.url))
    await list.load()
    XCTAssertEqual(list.bookmarks.map(\.title), ["Swift"])
  }

  @MainActor func testTheSecondAttemptSucceeds() async throws {
    let list = BookmarkList(api: BookmarksAPI(baseURL: try server.url))
    try await server.fail(.get("/bookmarks"), with: 503, times: 1)
    await list.load()
    XCTAssertNil(list.message)
    try await server.expect(.get("/bookmarks"), times: 2)
  }

  @MainActor func testABookmarkIsAdded() async throws {
    let list = BookmarkList(api: BookmarksAPI(baseURL: try server.url))
    await list.add(title: "NIO")
    try await server.expect("bookmarks", equals: [Bookmark(id: 1, title: "Swift"), Bookmark(id: 2, title: "NIO")])
  }

  @MainActor func testABookmarkIsRemoved() async throws {
    let list = BookmarkList(api: BookmarksAPI(baseURL: try server.url))
    await list.load()
    await list.remove(try XCTUnwrap(list.bookmarks.first))
    let records = try await server.records("bookmarks", as: Bookmark.self)
    XCTAssertEqual(records, [])
  }

  @MainActor func testAClosureHasAServer() async throws {
    try await withJSONServer(["bookmarks": []]) { server in
      let list = BookmarkList(api: BookmarksAPI(baseURL: server.url))
      await list.add(title: "NIO")
      try await server.expect(.post("/bookmarks", body: ["title": "NIO"]), times: 1)
    }
  }

  @MainActor func testAnExpectationNamesItsLine() async throws {
    let line = #line + 2
    do {
      try await server.expect(.get("/bookmarks"))
      XCTFail("Nothing was thrown.")
    } catch {
      XCTAssert("\(error)".contains("BookmarkTestCase.swift:\(line): Expected GET /bookmarks"), "\(error)")
    }
  }
}
