import JSONServerTesting

private struct Episode: Codable, Equatable {
  var id: UUID
  var title: String
  var published: Date
}

/// A client of podcasts: pages with a cursor, artwork, and downloads that go on where they ended.
private struct PodcastClient {
  private struct Page: Decodable {
    struct Meta: Decodable { var next: String? }

    var data: [Episode]
    var meta: Meta
  }

  let api: URL
  let session = URLSession(configuration: .ephemeral)
  private static let decoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }()

  func episodes(sortedBy order: String) async throws -> [Episode] {
    var all: [Episode] = []
    var cursor: String?
    repeat {
      let query =
        [URLQueryItem(name: "_sort", value: order)] + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
      let (data, _) = try await session.data(from: api.appending(path: "episodes").appending(queryItems: query))
      let page = try Self.decoder.decode(Page.self, from: data)
      all += page.data
      cursor = page.meta.next
    } while cursor != nil
    return all
  }

  func upload(_ artwork: Data) async throws -> URL {
    var request = URLRequest(url: api.appending(path: "artworks"))
    request.httpMethod = "POST"
    request.setValue("image/png", forHTTPHeaderField: "Content-Type")
    request.httpBody = artwork
    let (_, response) = try await session.data(for: request)
    let location = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location")
    guard let url = location.flatMap({ URL(string: $0, relativeTo: api) }) else { throw URLError(.badServerResponse) }
    return url
  }

  /// Downloads what follows the bytes that are there already.
  func download(_ url: URL, after start: Data = Data(), tag: String? = nil) async throws -> (data: Data, tag: String?) {
    var request = URLRequest(url: url)
    if let tag {
      request.setValue("bytes=\(start.count)-", forHTTPHeaderField: "Range")
      request.setValue(tag, forHTTPHeaderField: "If-Range")
    }
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return (response.statusCode == 206 ? start + data : data, response.value(forHTTPHeaderField: "ETag"))
  }
}

@Suite struct `A podcast client` {
  private static let data: MockData = [
    "episodes": [
      ["id": "5a0b3c52-6f0e-4f43-9d7e-0d3f6f0e1a01", "title": "Actors", "published": "2026-02-01T09:00:00+01:00"],
      ["id": "5a0b3c52-6f0e-4f43-9d7e-0d3f6f0e1a02", "title": "Macros", "published": "2026-02-01T08:30:00Z"],
      ["id": "5a0b3c52-6f0e-4f43-9d7e-0d3f6f0e1a03", "title": "Traits", "published": "2026-01-31T23:59:00-05:00"],
    ],
    "artworks": [],
  ]

  @Test(.jsonServer(data) { $0.cursorPages = Server.CursorPages(size: 2) })
  func `reads all pages, by the time`() async throws {
    let server = try MockServer.current
    let episodes = try await PodcastClient(api: server.url).episodes(sortedBy: "published")
    #expect(episodes.map(\.title) == ["Traits", "Actors", "Macros"])
    try await server.expect(.get("/episodes"), times: 2)
  }

  @Test(.jsonServer(data))
  func `finds an episode by the id as Swift writes it`() async throws {
    let server = try MockServer.current
    let id = try #require(UUID(uuidString: "5a0b3c52-6f0e-4f43-9d7e-0d3f6f0e1a01"))
    let (data, _) = try await URLSession.shared.data(from: server.url.appending(path: "episodes/\(id)"))
    #expect(try JSONValue(parsing: data)["title"] == "Actors")
  }

  @Test(.jsonServer(data))
  func `shows the artwork that it has sent, and goes on with a download`() async throws {
    let server = try MockServer.current
    let client = PodcastClient(api: server.url)
    let image = Data((0..<2_000).map { UInt8($0 % 251) })
    let url = try await client.upload(image)
    let whole = try await client.download(url)
    #expect(whole.data == image)
    let rest = try await client.download(url, after: image.prefix(700), tag: whole.tag)
    #expect(rest.data == image)
    try await server.expect(.get("/artworks/1", headers: ["Range": "bytes=700-"]), times: 1)
  }

  @Test(.jsonServer(data))
  func `begins a download again when the file has changed`() async throws {
    let server = try MockServer.current
    let client = PodcastClient(api: server.url)
    let url = try await client.upload(Data([1, 2, 3]))
    let old = try await client.download(url)
    try await server.send(.delete, "/artworks/1")
    let new = try await client.upload(Data([4, 5, 6, 7]))
    #expect(try await client.download(new, after: old.data.prefix(2), tag: old.tag).data == Data([4, 5, 6, 7]))
  }

  @Test(.jsonServer(recording: "Fixtures/podcasts.json"))
  func `reads what the real server has sent`() async throws {
    let server = try MockServer.current
    let session = URLSession(configuration: .jsonServer(server))
    let url = try #require(URL(string: "https://api.example.com/v1/podcasts/1"))
    #expect(try JSONValue(parsing: try await session.data(from: url).0)["name"] == "Swift by ear")
    try await withKnownIssue {
      _ = try await session.data(from: server.url.appending(path: "v1/podcasts/2"))
      try await server.verify()
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("The nearest stub is for exactly GET /v1/podcasts/1.") }
    }
  }

  @Test(.jsonServer(data))
  func `reads the list again after the third attempt`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/episodes"), with: 503, times: 2)
    for status in [503, 503, 200] {
      let (_, response) = try await URLSession.shared.data(from: server.url.appending(path: "episodes"))
      #expect((response as? HTTPURLResponse)?.statusCode == status)
    }
    #expect(await server.requests.map(\.response?.status.code) == [503, 503, 200])
  }
}
