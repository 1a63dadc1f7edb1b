import JSONServerTesting
import ShopClient

/// The client that `generate swift --access public` makes of the shop's data, against that data.
@Suite(.jsonServer("Fixtures/shop.json", auth: "users"), .timeLimit(.minutes(1)))
struct `The generated client` {
  let server: MockServer
  let client: Client

  init() throws {
    server = try MockServer.current
    client = Client(baseURL: server.url)
  }

  private func signIn() async throws {
    #expect(try await client.logIn(email: "ada@example.org", password: "lovelace").name == "Ada")
  }

  @Test func `signs in, sends its token, and signs out`() async throws {
    let refused = await #expect(throws: ResourceError.self) { try await client.orders.get(1) }
    #expect(refused?.statusCode == 401)
    try await signIn()
    #expect(try await client.orders.get(1).id == 1)
    try await server.expect(.get("/orders/1", headers: ["Authorization": "Bearer *"]), times: 1)
    try await client.logOut()
    #expect(await client.tokens == nil)
    await #expect(throws: ResourceError.self) { try await client.orders.get(1) }
  }

  @Test func `survives what the backend may change`() async throws {
    try await server.rehearse { server in
      let client = Client(baseURL: server.url)
      _ = try await client.logIn(email: "ada@example.org", password: "lovelace")
      _ = try await client.orders.get(1)
      _ = try await client.orders.list()
    }
  }

  @Test func `asks for new tokens once, however many requests meet an expired one`() async throws {
    try await signIn()
    let old = await client.tokens
    await server.expireTokens()
    try await withThrowingTaskGroup(of: Order.self) { group in
      for id in 1...8 { group.addTask { try await client.orders.get(id) } }
      try await group.waitForAll()
    }
    try await server.expect(.post("/refresh"), times: 1)
    #expect(await client.tokens != old)
  }

  @Test func `is signed out when the server gives no new tokens`() async throws {
    try await signIn()
    await server.expireTokens()
    await server.fail(.post("/refresh"), with: .unauthorized, times: 1)
    let error = await #expect(throws: ResourceError.self) { try await client.orders.get(1) }
    #expect(error?.statusCode == 401)
    #expect(await client.tokens == nil)
  }

  @Test func `stays signed in when the server cannot give new tokens now`() async throws {
    try await signIn()
    await server.expireTokens()
    await server.fail(.post("/refresh"), with: .serviceUnavailable, times: 1)
    await #expect(throws: ResourceError.self) { try await client.orders.get(1) }
    #expect(try await client.orders.get(1).id == 1)
  }

  @Test func `goes on with the tokens of an earlier launch`() async throws {
    try await signIn()
    let next = Client(baseURL: server.url, tokens: await client.tokens)
    #expect(try await next.orders.get(2).id == 2)
  }

  @Test func `registers users, whose passwords nobody sees`() async throws {
    let user = try await client.register(NewUser(email: "joan@example.org", password: "clarke", name: "Joan"))
    #expect(user == User(id: 3, email: "joan@example.org", name: "Joan"))
    #expect(try await client.users.get(3) == user)
  }

  @Test func `reads all records page after page`() async throws {
    try await signIn()
    var ids: [Int] = []
    for try await order in client.orders.all(filters: ["userId": "1"], sort: ["-id", "status"], pageSize: 5) {
      ids.append(order.id)
    }
    #expect(ids == Array(stride(from: 23, through: 1, by: -2)))
    try await server.expect(.get("/orders", query: ["_limit": "5"]), times: 3)
    try await server.expect(.get("/orders", headers: ["Authorization": "Bearer *"]), times: 3)
  }

  @Test func `requests a page only when it is needed`() async throws {
    try await signIn()
    for try await _ in client.orders.all(pageSize: 2) { break }
    try await server.expect(.get("/orders"), times: 1)
  }

  @Test func `asks for the members of a smaller type`() async throws {
    struct Total: Decodable {
      var id: Int
      var total: Double
    }
    try await signIn()
    let page = try await client.orders.list(Total.self, fields: ["id", "total"], limit: 3)
    #expect(page.records.map(\.id) == [1, 2, 3])
    #expect(page.totalCount == 24)
    try await server.expect(.get("/orders", query: ["_fields": "id,total"]), times: 1)
  }

  @Test func `changes a record only when nobody else has`() async throws {
    try await signIn()
    let (order, version) = try await client.orders.getWithVersion(1)
    var draft = NewOrder(order)
    draft.note = "Ring twice"
    #expect(try await client.orders.replace(1, with: draft, ifMatch: version).note == "Ring twice")
    let error = await #expect(throws: ResourceError.self) {
      try await client.orders.update(1, OrderPatch(status: .cancelled), ifMatch: version)
    }
    #expect(error?.statusCode == 412)
    #expect(try await client.orders.get(1).status == .paid)
  }

  @Test func `sets null, and leaves what is nil`() async throws {
    try await signIn()
    let order = try await client.orders.get(2)
    #expect(order.status == .shipped)
    #expect(order.shippedAt != nil)
    let changed = try await client.orders.update(2, OrderPatch(shippedAt: .null, note: .set("Late")))
    #expect(changed.shippedAt == nil)
    #expect(changed.note == "Late")
    #expect(changed.total == order.total)
    try await server.expect(.patch("/orders/2", body: ["note": "Late", "shippedAt": nil]), times: 1)
    let patch = try await server.waitForRequest(.patch("/orders/2")).decode(OrderPatch.self)
    #expect(patch == OrderPatch(shippedAt: .null, note: .set("Late")))
  }

  @Test func `reads texts that it does not know, and dates of every spelling`() async throws {
    try await signIn()
    await server.stub(
      .get("/orders/99"), with: await order(with: ["status": "lost", "placedAt": "2026-01-01T00:00:00.25+01:00"]))
    let order = try await client.orders.get(99)
    #expect(order.status == .unknown("lost"))
    #expect(order.placedAt == Date(timeIntervalSince1970: 1_767_222_000.25))
    #expect(Order.Status.allCases.map(\.rawValue) == ["paid", "shipped", "cancelled", "pending"])
    let created = try await client.orders.create(NewOrder(order))
    #expect(created.placedAt == order.placedAt)
    try await server.expect(
      .post("/orders", body: .including(["status": "lost", "placedAt": "2025-12-31T23:00:00.250Z"])))
  }

  private func order(with members: [String: JSONValue]) async -> JSONValue {
    var order = await server.value["orders"]?[0]?.object ?? JSONObject()
    for (name, value) in members { order[name] = value }
    return .object(order)
  }

  @Test func `keeps the digits of a large number beside small ones`() async throws {
    try await signIn()
    let entry = try await client.ledger.get(2)
    #expect(entry.balance == Decimal(string: "9007199254740993"))
    _ = try await client.ledger.replace(2, with: NewLedger(entry))
    #expect(await server.value["ledger"]?[1]?.text(pretty: false) == #"{"balance":9007199254740993,"id":2}"#)
  }

  @Test func `sends the same bytes for the same value`() async throws {
    try await signIn()
    _ = try await client.settings.update(SettingsPatch(currency: "USD", theme: .string("a/b")))
    let body = try await server.waitForRequest(.patch("/settings")).body
    #expect(String(decoding: body, as: UTF8.self) == #"{"currency":"USD","theme":"a/b"}"#)
    #expect(try await client.settings.get().currency == "USD")
  }
}
