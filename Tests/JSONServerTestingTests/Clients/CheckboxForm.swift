import JSONServerTesting

@Suite(.jsonServer(["orders": [["id": 1, "size": "small", "topping": ["olives"]]]]))
struct `A form with several checkboxes of one name` {
  /// Sends a form as a browser does: one pair for each box that is checked.
  private func submit(_ fields: String, to path: String, method: String = "POST") async throws -> Int {
    var request = URLRequest(url: try MockServer.current.url.appending(path: path))
    request.httpMethod = method
    request.httpBody = Data(fields.utf8)
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    return try await URLSession.forTests.send(request).response.statusCode
  }

  @Test func `The checked boxes become an array, in their order`() async throws {
    let server = try MockServer.current
    let fields = "customer=Ada+L.&size=medium&topping=bacon&topping=extra%20cheese&topping=onion"
    #expect(try await submit(fields, to: "orders") == 201)
    #expect(
      try await server.values(of: "orders").last == [
        "customer": "Ada L.", "size": "medium", "topping": ["bacon", "extra cheese", "onion"], "id": 2,
      ])
  }

  @Test func `One checked box of a name in brackets is an array, too`() async throws {
    #expect(try await submit("topping[]=onion", to: "orders/1", method: "PATCH") == 200)
    #expect(try await MockServer.current.values(of: "orders") == [["id": 1, "size": "small", "topping": ["onion"]]])
  }

  @Test func `Orders are found by one of their toppings`() async throws {
    let server = try MockServer.current
    _ = try await submit("topping=olives&topping=onion", to: "orders")
    let response = try await URLSession.forTests.get("/orders?topping=olives", at: server.url).response
    #expect(response.value(forHTTPHeaderField: "X-Total-Count") == "2")
  }
}
