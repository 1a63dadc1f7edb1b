import JSONServerTesting

/// Users with their addresses, kept for when there is no network, and requested again with the response's validator.
private actor UserCache {
  struct User: Decodable {
    struct Address: Decodable {
      struct Geo: Decodable { let lat: String }
      let city: String
      let geo: Geo
    }
    let name: String
    let address: Address
    let company: [String: String]
  }

  enum Origin { case network, cache, offline }

  private let url: URL
  private let session = URLSession.forTests
  private var kept: (tag: String, data: Data)?

  init(baseURL: URL) {
    url = baseURL.appending(path: "users")
  }

  func users() async throws -> (users: [User], origin: Origin) {
    var request = URLRequest(url: url)
    if let kept { request.setValue(kept.tag, forHTTPHeaderField: "If-None-Match") }
    do {
      let (data, response) = try await session.send(request)
      switch (response.statusCode, response.value(forHTTPHeaderField: "ETag")) {
      case (304, _): return (try decoded(), .cache)
      case (200, let tag?): kept = (tag, data)
      default: throw URLError(.badServerResponse)
      }
      return (try decoded(), .network)
    } catch let error as URLError where kept != nil && error.code != .badServerResponse {
      return (try decoded(), .offline)
    }
  }

  private func decoded() throws -> [User] {
    try JSONDecoder().decode([User].self, from: kept?.data ?? Data())
  }
}

@Suite(
  .jsonServer([
    "users": [
      [
        "id": 1, "name": "Ada", "address": ["city": "London", "geo": ["lat": "51.5", "lng": "-0.1"]],
        "company": ["name": "Analytical Engines"],
      ]
    ]
  ]))
struct `Users for offline use` {
  @Test func `What has not changed is not sent again, what has is`() async throws {
    let server = try MockServer.current
    let cache = UserCache(baseURL: server.url)
    #expect(try await cache.users().origin == .network)
    let second = try await cache.users()
    #expect(second.origin == .cache)
    #expect(second.users.first?.address.geo.lat == "51.5")
    #expect(await server.requests.map(\.response?.status.code) == [200, 304])

    var rename = URLRequest(url: server.url.appending(path: "users/1"))
    rename.httpMethod = "PATCH"
    rename.httpBody = Data(#"{"name": "Ada Lovelace"}"#.utf8)
    rename.setValue("application/json", forHTTPHeaderField: "Content-Type")
    _ = try await URLSession.forTests.send(rename)
    let third = try await cache.users()
    #expect(third.origin == .network)
    #expect(third.users.map(\.name) == ["Ada Lovelace"])
  }

  @Test func `Without a network the users are still there`() async throws {
    let server = try MockServer.current
    let cache = UserCache(baseURL: server.url)
    _ = try await cache.users()
    await server.fail(.get("/users"), with: .reset)
    let offline = try await cache.users()
    #expect(offline.origin == .offline)
    #expect(offline.users.map(\.name) == ["Ada"])
  }
}
