import JSONServerTesting

/// An endpoint that knows its own response; only 2xx with exactly `application/json` is one.
private protocol Endpoint {
  associatedtype Answer: Decodable
  var method: String { get }
  var path: String { get }
  var body: [String: Int]? { get }
}

private struct PurchaseCheer: Endpoint {
  struct Answer: Decodable { let balance: Int }
  let amount: Int
  let method = "POST"
  let path = "/api/v2/purchase_cheer"
  var body: [String: Int]? { ["amount": amount] }
}

private struct CheerHistory: Endpoint {
  struct Answer: Decodable { let cheers: [Cheer] }
  struct Cheer: Decodable, Equatable {
    let id: Int
    let amount: Int
  }
  let userID: Int
  let method = "GET"
  var path: String { "/api/v1/cheer_history?user_id=\(userID)" }
  let body: [String: Int]? = nil

  /// The list has no envelope.
  static func answer(from data: Data) throws -> Answer {
    Answer(cheers: try JSONDecoder().decode([Cheer].self, from: data))
  }
}

private struct Profile: Endpoint {
  struct Answer: Decodable { let nickname: String }
  let method = "GET"
  let path = "/api/v1/me"
  let body: [String: Int]? = nil
}

private struct APIClient {
  enum Failure: Error, Equatable {
    case status(Int)
    case mimeType(String?)
  }

  let baseURL: URL

  func data(for endpoint: some Endpoint) async throws -> Data {
    guard let url = URL(string: endpoint.path, relativeTo: baseURL) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = endpoint.method
    request.httpBody = try endpoint.body.map { try JSONEncoder().encode($0) }
    if endpoint.body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let (data, response) = try await URLSession.forTests.send(request)
    guard 200..<300 ~= response.statusCode else { throw Failure.status(response.statusCode) }
    guard response.mimeType == "application/json" else { throw Failure.mimeType(response.mimeType) }
    return data
  }

  func send<E: Endpoint>(_ endpoint: E) async throws -> E.Answer {
    try JSONDecoder().decode(E.Answer.self, from: try await data(for: endpoint))
  }
}

@Suite(
  .jsonServer(
    [
      "cheer_history": [
        ["id": 1, "user_id": 7, "amount": 50], ["id": 2, "user_id": 8, "amount": 10],
        ["id": 3, "user_id": 7, "amount": 25],
      ],
      "profile": ["nickname": "ada"],
    ]
  ) { $0.routes = ["/api/v1/me": "/profile", "/api/:version/*": "/$2"] })
struct `A client of typed endpoints` {
  @Test func `A stub stands in for what has no data`() async throws {
    let server = try MockServer.current
    await server.stub(.post("/api/v2/purchase_cheer"), with: ["balance": 200])
    #expect(try await APIClient(baseURL: server.url).send(PurchaseCheer(amount: 50)).balance == 200)
    try await server.expect(.post("/api/v2/purchase_cheer", body: ["amount": 50]), times: 1)
  }

  @Test func `Versioned prefixes lead to the data`() async throws {
    let client = APIClient(baseURL: try MockServer.current.url)
    let history = try CheerHistory.answer(from: try await client.data(for: CheerHistory(userID: 7)))
    #expect(history.cheers.map(\.amount) == [50, 25])
    #expect(try await client.send(Profile()).nickname == "ada")
  }

  @Test func `An error is not a response`() async throws {
    let client = APIClient(baseURL: try MockServer.current.url)
    await #expect(throws: APIClient.Failure.status(404)) { try await client.send(PurchaseCheer(amount: 50)) }
  }
}
