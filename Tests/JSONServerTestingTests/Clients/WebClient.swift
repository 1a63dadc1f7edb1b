import JSONServerTesting

/// What a page's code sends to a JSON API, by `fetch` or axios.
protocol WebClient {
  /// The header fields of every request.
  var fields: [String: String] { get }
}

extension WebClient {
  func send(
    _ method: String, _ target: String, body: String? = nil
  ) async throws -> (value: Any, response: HTTPURLResponse) {
    var request = URLRequest(url: try #require(URL(string: target, relativeTo: try MockServer.current.url)))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let (data, response) = try await URLSession.forTests.send(request)
    return (try JSONSerialization.jsonObject(with: data), response)
  }

  func ids(_ value: Any) -> [Int] {
    (value as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
  }
}
