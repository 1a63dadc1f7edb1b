import JSONServerTesting
import XCTest

final class BookmarkTestCase: XCTestCase {
  func testTheRealAddressIsAnswered() async throws {
    try await withJSONServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false) { server in
      let session = URLSession(configuration: .jsonServer(server))
      let url = try XCTUnwrap(URL(string: "https://api.example.com/bookmarks/1"))
      let (data, _) = try await session.data(from: url)

      XCTAssert(String(decoding: data, as: UTF8.self).contains("Swift"))
      try await server.expect(.get("/bookmarks/1"), times: 1)
    }
  }
}
