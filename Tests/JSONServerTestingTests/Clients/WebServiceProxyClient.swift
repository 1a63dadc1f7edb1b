import JSONServerTesting

/// What HTTP-RPC's and Kilo's WebServiceProxy send: arguments of GET, PUT, PATCH and DELETE in the query, those of POST
/// as a form, with repeated values and files; errors are read as plain text.
private struct WebServiceProxy {
  enum Encoding { case form, multipart }

  struct File {
    let name: String
    let type: String
    let data: Data
  }

  struct WebServiceError: Error, Equatable {
    let status: Int
    let description: String?
  }

  let baseURL: URL
  var encoding = Encoding.form
  var accept = "*/*"

  @discardableResult
  func send(
    _ method: String, _ path: String, _ arguments: [(String, String)] = [], files: [(String, File)] = []
  ) async throws -> [String: Any] {
    var components = URLComponents()
    components.path = path
    let items = arguments.map { URLQueryItem(name: $0.0, value: $0.1) }
    if method != "POST", !items.isEmpty { components.queryItems = items }
    var request = URLRequest(url: try #require(components.url(relativeTo: baseURL)))
    request.httpMethod = method
    request.setValue(accept, forHTTPHeaderField: "Accept")
    if method == "POST" { setBody(of: &request, items, files) }
    let (data, response) = try await URLSession.forTests.send(request)
    guard 200..<300 ~= response.statusCode else {
      let isText = response.mimeType?.hasPrefix("text/") ?? false
      let description = isText ? String(decoding: data, as: UTF8.self) : nil
      throw WebServiceError(status: response.statusCode, description: description)
    }
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  private func setBody(of request: inout URLRequest, _ items: [URLQueryItem], _ files: [(String, File)]) {
    switch encoding {
    case .form:
      var components = URLComponents()
      components.queryItems = items
      request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data((components.percentEncodedQuery ?? "").utf8)
    case .multipart:
      let boundary = UUID().uuidString
      request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
      var body = Data()
      for item in items {
        body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(item.name)\"\r\n\r\n".utf8)
        body += Data("\(item.value ?? "")\r\n".utf8)
      }
      for (name, file) in files {
        let disposition = "form-data; name=\"\(name)\"; filename=\"\(file.name)\""
        body += Data("--\(boundary)\r\nContent-Disposition: \(disposition)\r\n".utf8)
        body += Data("Content-Type: \(file.type)\r\n\r\n".utf8) + file.data + Data("\r\n".utf8)
      }
      request.httpBody = body + Data("--\(boundary)--\r\n".utf8)
    }
  }
}

@Suite(.jsonServer(["notes": [["id": 1, "text": "first", "pinned": "no"]]]))
struct `A client in the way of WebServiceProxy` {
  @Test func `A form's repeated values become arrays`() async throws {
    let server = try MockServer.current
    try await WebServiceProxy(baseURL: server.url)
      .send("POST", "/notes", [("text", "a & b"), ("tag", "red"), ("tag", "blue")])
    #expect(try await server.values(of: "notes").last == ["text": "a & b", "tag": ["red", "blue"], "id": 2])
  }

  @Test func `Files come with their names, types and contents`() async throws {
    let server = try MockServer.current
    let file = WebServiceProxy.File(name: "tea.txt", type: "text/plain", data: Data("Earl Grey".utf8))
    try await WebServiceProxy(baseURL: server.url, encoding: .multipart)
      .send("POST", "/notes", [("text", "tea")], files: [("attachment", file), ("attachment", file)])
    let attachments = try #require(try await server.values(of: "notes").last?["attachment"]?.array)
    #expect(attachments.count == 2)
    #expect(attachments[0]["filename"] == "tea.txt")
    #expect(attachments[0]["type"] == "text/plain")
    #expect(attachments[0]["data"]?.string.flatMap { Data(base64Encoded: $0) } == file.data)
  }

  @Test func `PATCH and PUT take their members from the query`() async throws {
    let server = try MockServer.current
    let proxy = WebServiceProxy(baseURL: server.url)
    try await proxy.send("PATCH", "/notes/1", [("pinned", "yes")])
    #expect(try await server.values(of: "notes") == [["id": 1, "text": "first", "pinned": "yes"]])
    try await proxy.send("PUT", "/notes/1", [("text", "new"), ("tag", "a"), ("tag", "b")])
    #expect(try await server.values(of: "notes") == [["text": "new", "tag": ["a", "b"], "id": 1]])
  }

  @Test func `GET filters and DELETE removes by arguments in the query`() async throws {
    let server = try MockServer.current
    let proxy = WebServiceProxy(baseURL: server.url)
    #expect(try await proxy.send("GET", "/notes/1", [("verbose", "true")])["text"] as? String == "first")
    try await proxy.send("DELETE", "/notes/1", [("reason", "old")])
    #expect(try await server.values(of: "notes").isEmpty)
  }

  @Test func `An error is plain text for a client that asks for it`() async throws {
    let proxy = WebServiceProxy(baseURL: try MockServer.current.url, accept: "text/plain")
    let expected = WebServiceProxy.WebServiceError(status: 404, description: "notes has no record with id 99.")
    await #expect(throws: expected) { try await proxy.send("GET", "/notes/99") }
  }
}
