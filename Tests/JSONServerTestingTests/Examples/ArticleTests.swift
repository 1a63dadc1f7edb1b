import JSONServerTesting

private struct ArticleStore {
  let api: URL

  private struct Article: Decodable {
    var title: String
  }

  func title(of id: Int) async throws -> String {
    let data = try await URLSession.forTests.get("v2/articles/\(id)", at: api).data
    return try JSONDecoder().decode(Article.self, from: data).title
  }
}

@Test(.jsonServer(recording: "fixtures/traffic.har"))
func `An article is shown`() async throws {
  #expect(try await ArticleStore(api: MockServer.current.url).title(of: 3) == "Three!")
}
