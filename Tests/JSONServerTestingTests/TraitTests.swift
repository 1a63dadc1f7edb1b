import JSONServerTesting

@Suite(.jsonServer("Fixtures/shop.json", listens: false) { $0.routes = ["/api/*": "/$1"] })
struct `The trait jsonServer` {
  @Test(arguments: 0..<20)
  func `Each case of a test has its own server`(_ number: Int) async throws {
    let server = try MockServer.current
    let response = await server.respond(to: Request(.post, "/api/products", json: #"{"name": "Cup \#(number)"}"#))
    #expect(response.status == .created)
    #expect(try await server.values(of: "products").count == 3)
    try await server.expect(.post("/api/products"), times: 1)
  }

  @Test(.jsonServer(["notes": []], listens: false) { $0.isReadOnly = true })
  func `A test's own trait comes before its suite's`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.post, "/notes", json: "{}")).status == .forbidden)
    #expect(await server.value["products"] == nil)
  }
}
