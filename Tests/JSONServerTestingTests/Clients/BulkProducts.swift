import JSONServerTesting

/// A client that knows no PUT and no PATCH: it posts to a collection to add, to a record to update, and many at a time.
private struct ProductClient {
  let baseURL: URL

  func post(_ path: String, _ body: String, type: String = "application/json") async throws -> Int {
    var request = URLRequest(url: baseURL.appending(path: path))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    return try await URLSession.forTests.send(request).response.statusCode
  }
}

private struct Product: Decodable, Equatable {
  let id: Int
  let name: String
  let price: Double
}

@Suite(
  .jsonServer([
    "products": [
      ["id": 101, "name": "Kettle", "price": 29.9], ["id": 102, "name": "Teapot", "price": 18],
    ]
  ]))
struct `Products that are added and updated by POST alone` {
  @Test func `POST to a record updates the members it names`() async throws {
    let server = try MockServer.current
    let client = ProductClient(baseURL: server.url)
    #expect(try await client.post("products/101", #"{"price": 25}"#) == 200)
    #expect(try await client.post("products/999", #"{"price": 25}"#) == 404)
    #expect(try await server.records("products", as: Product.self).first == Product(id: 101, name: "Kettle", price: 25))
  }

  struct Batch: Sendable {
    let type: String
    let body: String
  }

  @Test(arguments: [
    Batch(type: "application/json", body: #"[{"id": 102, "price": 20}, {"name": "Cup", "price": 4.5}]"#),
    Batch(type: "text/csv", body: "id,name,price\r\n102,Teapot,20\r\n103,Cup,4.5\r\n"),
    Batch(type: "application/x-ndjson", body: "{\"id\": 102, \"price\": 20}\n{\"name\": \"Cup\", \"price\": 4.5}\n"),
  ])
  func `A list adds and updates many`(_ batch: Batch) async throws {
    let server = try MockServer.current
    #expect(try await ProductClient(baseURL: server.url).post("products", batch.body, type: batch.type) == 201)
    let expected = [
      Product(id: 101, name: "Kettle", price: 29.9), Product(id: 102, name: "Teapot", price: 20),
      Product(id: 103, name: "Cup", price: 4.5),
    ]
    #expect(try await server.records("products", as: Product.self) == expected)
  }

  @Test(arguments: [
    Batch(type: "application/json", body: #"[{"id": 101, "price": 1}, {"name": "Cup"}, 5]"#),
    Batch(type: "application/json", body: #"[{"id": 101, "price": 1}, {"id": {}, "name": "Cup"}]"#),
    Batch(type: "text/csv", body: "id,price\r\n101,1\r\n102\r\n"),
  ])
  func `A list with one fault changes nothing`(_ batch: Batch) async throws {
    let server = try MockServer.current
    let before = await server.value
    #expect(try await ProductClient(baseURL: server.url).post("products", batch.body, type: batch.type) == 400)
    #expect(await server.value == before)
  }
}
