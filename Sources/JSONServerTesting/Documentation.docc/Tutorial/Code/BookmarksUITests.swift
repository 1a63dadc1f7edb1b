import JSONServerTesting
import XCTest

nonisolated final class BookmarksUITests: XCTestCase {
  @MainActor func testTheScreenShowsBookmarks() async throws {
    try await withJSONServer(["bookmarks": [["id": 1, "title": "Swift"]]]) { server in
      let session = server.session("a")
      let app = XCUIApplication()
      app.launchEnvironment.merge(session.environment) { $1 }
      app.launch()
      XCTAssert(app.staticTexts["Swift"].waitForExistence(timeout: 10))
      try await session.expect(.get("/bookmarks"), times: 1)
    }
  }
}
