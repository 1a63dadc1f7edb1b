import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1)))
struct `A request without Host` {
  @Test func `is served when it is of HTTP 1.0, with addresses that name no host`() async throws {
    var configuration = Server.Configuration(source: .value(["posts": [["id": 1], ["id": 2]]]))
    configuration.port = 0
    let server = try await Server.start(configuration)
    let client = try await TransportClient(port: server.port)
    let keepAlive = "Connection: keep-alive\r\n"
    for (request, status, field, value) in [
      ("GET /posts/1 HTTP/1.0\r\n\(keepAlive)\r\n", 200, "connection", "keep-alive"),
      (
        "GET /posts?_page=1&_limit=1 HTTP/1.0\r\n\(keepAlive)\r\n", 200, "link",
        "</posts?_page=1&_limit=1>; rel=\"first\""
      ),
      ("POST /posts HTTP/1.0\r\n\(keepAlive)Content-Length: 2\r\n\r\n{}", 201, "location", "/posts/3"),
      ("GET /posts/3 HTTP/1.0\r\nHost: evil.com\r\n\(keepAlive)\r\n", 403, "connection", "keep-alive"),
      ("GET /posts/3 HTTP/1.0\r\n\r\n", 200, "connection", "close"),
    ] {
      try await client.send(request)
      let answer = try await client.readAnswer()
      #expect(answer.status == status, "\(request)")
      #expect(answer.fields[field]?.hasPrefix(value) == true, "\(answer.fields)")
    }
    #expect(try await client.readToEnd() == "")
    let other = try await TransportClient(port: server.port)
    try await other.send("GET /posts/1 HTTP/1.1\r\n\r\n")
    #expect(try await other.readAnswer().status == 400)
    await server.stop()
  }
}
