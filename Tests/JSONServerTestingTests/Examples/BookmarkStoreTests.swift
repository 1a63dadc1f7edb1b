import JSONServerTesting

/// The part of an app that a test of it calls.
private struct BookmarkStore {
  let api: URL

  /// Saves a bookmark, at the second attempt if need be.
  func save(title: String) async throws {
    var request = URLRequest(url: api.appending(path: "bookmarks"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(["title": title])
    for _ in 1...2 {
      let (_, response) = try await URLSession.shared.data(for: request)
      if (response as? HTTPURLResponse)?.statusCode == 201 { return }
    }
    throw URLError(.badServerResponse)
  }

  /// Loads all bookmarks.
  func load() async throws -> [Bookmark] {
    let (data, _) = try await URLSession.shared.data(from: api.appending(path: "bookmarks"))
    return try JSONDecoder().decode([Bookmark].self, from: data)
  }

  struct Bookmark: Decodable {
    var title: String
    var state: String
    var tags: [String]
  }
}

@Test(.jsonServer(["bookmarks": []]))
func `A bookmark is saved at the second attempt`() async throws {
  let server = try MockServer.current
  await server.fail(.post("/bookmarks"), with: 503, times: 1)

  try await BookmarkStore(api: server.url).save(title: "Swift")

  try await server.expect(.post("/bookmarks"), times: 2)
  #expect(await server.value["bookmarks"]?[0]?["title"] == "Swift")
}

@Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift", "state": "read", "tags": ["language"]]]]))
func `The list survives what the backend may change`() async throws {
  try await MockServer.current.rehearse { server in
    _ = try await BookmarkStore(api: server.url).load()
  }
}

@Test(.jsonServer(["bookmarks": []])) func `A bookmark is read again`() async throws {
  try await MockServer.current.rehearseNetwork { server in
    _ = try await BookmarkStore(api: server.url).load()
  }
}
