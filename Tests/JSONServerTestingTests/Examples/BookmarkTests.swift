import JSONServerTesting

private struct Bookmark: Codable {
  var id: Int
  var title: String
}

@Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"], ["id": 2, "title": "NIO"]]]))
func `A bookmark is removed`() async throws {
  let server = try MockServer.current
  var request = URLRequest(url: server.url.appending(path: "bookmarks/1"))
  request.httpMethod = "DELETE"
  _ = try await URLSession.shared.data(for: request)

  try await server.expect(.delete("/bookmarks/1"), times: 1)
  try await server.expect("bookmarks", equals: [Bookmark(id: 2, title: "NIO")])
}
