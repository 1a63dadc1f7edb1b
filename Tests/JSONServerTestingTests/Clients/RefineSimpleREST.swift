import JSONServerTesting

@Suite(
  .jsonServer([
    "products": [
      ["id": 1, "name": "Kettle", "price": 30, "material": "steel"],
      ["id": 2, "name": "Teapot", "price": 18, "material": "clay"],
      ["id": 3, "name": "Tea towel", "price": 6, "material": "linen"],
    ]
  ]))
struct `refine's simple-rest`: WebClient {
  /// axios' own.
  let fields = ["Accept": "application/json, text/plain, */*"]

  @Test(arguments: [
    ("_start=0&_end=2&_sort=price,name&_order=asc,desc", [3, 2], "3"),
    ("_start=0&_end=10&name_like=tea", [2, 3], "2"),
    ("price_gte=10&price_lte=20", [2], "1"),
    ("material_ne=clay&_sort=id&_order=desc", [3, 1], "2"),
    ("material=clay&material=linen", [2, 3], "2"),
    ("q=STEEL", [1], "1"),
  ])
  func `getList filters, sorts, pages and counts`(_ query: String, _ expected: [Int], _ total: String) async throws {
    let (value, response) = try await send("GET", "/products?\(query)")
    #expect(ids(value) == expected)
    #expect(response.value(forHTTPHeaderField: "X-Total-Count") == total)
  }

  @Test func `getMany asks by repeated ids`() async throws {
    #expect(ids(try await send("GET", "/products?id=3&id=1").value) == [1, 3])
  }

  @Test func `update is a PATCH, and deleteOne sends a body`() async throws {
    let updated = try await send("PATCH", "/products/1", body: #"{"price": 31}"#).value as? [String: Any]
    #expect(updated?["price"] as? Int == 31)
    #expect(updated?["name"] as? String == "Kettle")
    #expect(try await send("DELETE", "/products/1", body: #"{"reason": "sold out"}"#).response.statusCode == 200)
    #expect(try await MockServer.current.values(of: "products").count == 2)
  }

  @Test func `An error has a message and a status code, as HttpError wants them`() async throws {
    let (value, response) = try await send("DELETE", "/products/99", body: "{}")
    #expect(response.statusCode == 404)
    let error = try #require(value as? [String: Any])
    #expect(error["statusCode"] as? Int == 404)
    #expect((error["message"] as? String)?.contains("99") == true)
  }
}
