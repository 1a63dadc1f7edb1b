import Foundation
import JSONServer
import Testing

/// Rejects requests that have no token.
struct TokenCheck: Middleware {
  func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
    guard request.headers["Authorization"] == "Bearer secret" else { return .status(401) }
    return try await next(request)
  }
}

@Test func `A program embeds the server`() async throws {
  let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path
  try Data(#"{"posts": [{"id": 1}]}"#.utf8).write(to: URL(filePath: path))
  defer { try? FileManager.default.removeItem(atPath: path) }

  var configuration = Server.Configuration(source: .file(path))
  configuration.watching = .on
  configuration.middleware = [TokenCheck()]
  let server = try await Server.start(configuration)
  #expect(server.url.hasPrefix("http://"))
  let request = Request(method: .get, target: "/posts/1")
  #expect(await server.respond(to: request).status == .unauthorized)
  await server.stop()
}
