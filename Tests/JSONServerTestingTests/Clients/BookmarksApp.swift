import JSONServerTesting

/// An app's bookmarks: integer ids that the server assigns, snake_case keys, ISO 8601 dates.
private struct Bookmark: Codable, Equatable {
  var id: Int?
  var pageTitle: String
  var createdAt: Date
}

private struct BookmarkStore {
  let baseURL: URL
  let session = URLSession.forTests

  let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }()

  private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }()

  init(baseURL: URL) {
    self.baseURL = baseURL
  }

  func all(newestFirst: Bool = false) async throws -> [Bookmark] {
    let query = newestFirst ? "?_sort=created_at&_order=desc" : ""
    return try decoder.decode([Bookmark].self, from: try await session.get("/bookmarks\(query)", at: baseURL).data)
  }

  func add(_ bookmark: Bookmark) async throws -> Bookmark {
    var request = URLRequest(url: baseURL.appending(path: "bookmarks"))
    request.httpMethod = "POST"
    request.httpBody = try encoder.encode(bookmark)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await session.send(request)
    guard response.statusCode == 201 else { throw URLError(.badServerResponse) }
    return try decoder.decode(Bookmark.self, from: data)
  }

  func remove(_ id: Int) async throws {
    var request = URLRequest(url: baseURL.appending(path: "bookmarks/\(id)"))
    request.httpMethod = "DELETE"
    guard try await session.send(request).response.statusCode == 200 else { throw URLError(.badServerResponse) }
  }
}

@Suite(
  .jsonServer([
    "bookmarks": [
      ["id": 0, "page_title": "Swift", "created_at": "2025-01-31T10:00:00Z"],
      ["id": 1, "page_title": "NIO", "created_at": "2025-03-01T09:30:00Z"],
    ]
  ]))
struct `A bookmarks app` {
  @Test func `New bookmarks get the next id, and the state reads as the app's own type`() async throws {
    let server = try MockServer.current
    let store = BookmarkStore(baseURL: server.url)
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let saved = try await store.add(Bookmark(pageTitle: "Vapor", createdAt: date))
    #expect(saved == Bookmark(id: 2, pageTitle: "Vapor", createdAt: date))
    #expect(try await server.records("bookmarks", as: Bookmark.self, decoder: store.decoder).last == saved)
    try await server.expect(
      .post("/bookmarks", body: ["page_title": "Vapor", "created_at": "2023-11-14T22:13:20Z"]), times: 1)
  }

  @Test func `The bookmark with id 0 is deleted, and only that`() async throws {
    let store = BookmarkStore(baseURL: try MockServer.current.url)
    try await store.remove(0)
    #expect(try await store.all().map(\.id) == [1])
  }

  @Test func `Dates are in their order`() async throws {
    let store = BookmarkStore(baseURL: try MockServer.current.url)
    #expect(try await store.all(newestFirst: true).map(\.pageTitle) == ["NIO", "Swift"])
  }
}
