import JSONServerTesting

@Suite struct `A server of a test` {
  struct Product: Codable, Equatable {
    var id: Int?
    var name: String
    var price: Double
  }

  @Test func `A file is found from the test's folder and never written`() async throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/shop.json")
    let before = try Data(contentsOf: path)
    try await withJSONServer("Fixtures/shop.json") { server in
      var request = URLRequest(url: server.url.appending(path: "products/1"))
      request.httpMethod = "DELETE"
      let response = try await URLSession.forTests.send(request).response
      #expect(response.statusCode == 200)
      #expect(try await server.records("products", as: Product.self).map(\.name) == ["Teapot"])
    }
    #expect(try Data(contentsOf: path) == before)
  }

  @Test func `A file is found from the package's folder, too`() async throws {
    try await withJSONServer("Tests/JSONServerTestingTests/Fixtures/shop.json") { server in
      #expect(await server.value["profile"]?["name"] == "Tea House")
    }
  }

  @Test func `A file that is nowhere is named with the folders that were searched`() async throws {
    let error = try #require(
      await #expect(throws: MockServerError.self) { try await withJSONServer("no.json") { _ in } })
    #expect(error.description.contains("'no.json'"))
    #expect(error.description.contains("JSONServerTestingTests"))
  }

  @Test func `Swift values are served as they encode`() async throws {
    let products = [Product(id: 7, name: "Cup", price: 4.5)]
    try await withJSONServer(.encoding(["products": products])) { server in
      let data = try await URLSession.forTests.get("/products", at: server.url).data
      #expect(try JSONDecoder().decode([Product].self, from: data) == products)
    }
  }

  @Test func `The server is stopped when the closure throws`() async throws {
    struct Failure: Error {}
    var address: URL?
    await #expect(throws: Failure.self) {
      try await withJSONServer(["products": []]) { server in
        address = server.url
        throw Failure()
      }
    }
    let url = try #require(address)
    await #expect(throws: (any Error).self) { try await URLSession.forTests.get("/products", at: url) }
  }

  @Test(.timeLimit(.minutes(1)))
  func `The server is stopped while a client waits for a response that never comes`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await withJSONServer(["products": []]) { server in
        await server.fail(.get("/products"), with: .hang)
        group.addTask {
          await #expect(throws: (any Error).self) { try await URLSession.forTests.get("/products", at: server.url) }
        }
        try await server.waitForRequest(.get("/products"), within: .seconds(30))
      }
      try await group.waitForAll()
    }
  }

  @Test func `Two hundred servers run at a time, each with its own data`() async throws {
    try await withThrowingTaskGroup(of: URL.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await withJSONServer(["products": [["id": 1, "name": "Kettle", "price": .number(JSONNumber(number))]]]) {
            server in
            let response = await server.respond(to: Request(.get, "/products?price=\(number)"))
            #expect(response.json?[0]?["name"] == "Kettle")
            return server.url
          }
        }
      }
      for try await url in group { #expect(url.port != nil) }
    }
  }

  @Test func `Within the closure the server is at hand, outside it is not`() async throws {
    #expect(throws: MockServerError.self) { try MockServer.current }
    try await withJSONServer { server in
      let current = try MockServer.current
      #expect(current === server)
    }
  }

  @Test func `The data is reset to the start and to snapshots`() async throws {
    try await withJSONServer("Fixtures/shop.json") { server in
      _ = await server.respond(to: Request(.delete, "/products/1"))
      await server.saveSnapshot("one left")
      _ = await server.respond(to: Request(.delete, "/products/2"))
      #expect(try await server.values(of: "products").isEmpty)
      try await server.restoreSnapshot("one left")
      #expect(try await server.records("products", as: Product.self).map(\.id) == [2])
      try await server.reset()
      #expect(try await server.records("products", as: Product.self).map(\.id) == [1, 2])
      await #expect(throws: ServerError.self) { try await server.restoreSnapshot("unknown") }
    }
  }
}
