import JSONServerValues
import Testing

@testable import JSONServer

struct SignInDescriptionTests {
  @Test func `The description of the interface tells of signing in`() async throws {
    let server = try await AdminFixture.server([
      "users": [["id": 1, "email": "ada@x.org", "password": "lovelace"]], "posts": [["id": 1]], "news": [["id": 1]],
    ]) { configuration in
      configuration.signIn = Server.SignIn(guards: ["news": Guard("664") ?? .ownOnly])
      configuration.signIn?.routes = [
        ["path": "/auth/session", "response": ["status": 201, "shape": ["token": "$token"]]]
      ]
    }
    let document = try await server.get("/__admin/openapi.json")
    #expect(document["components"]?["securitySchemes"]?["bearer"]?["scheme"] == "bearer")
    let paths = try #require(document["paths"]?.object)
    for path in ["/register", "/login", "/refresh", "/logout"] { #expect(paths[path]?["post"] != nil) }
    #expect(paths["/auth/session"]?["post"]?["responses"]?.object?.names == ["201", "default"])
    let cases: [(path: String, method: String, isGuarded: Bool)] = [
      ("/posts", "get", true), ("/posts", "post", true), ("/posts/{id}", "delete", true), ("/news", "get", false),
      ("/news", "post", true), ("/users", "get", true), ("/users", "post", false), ("/users/{id}", "patch", true),
    ]
    for (path, method, isGuarded) in cases {
      let operation = try #require(paths[path]?[method]?.object)
      #expect((operation["security"] != nil) == isGuarded, "\(method) \(path)")
      let statuses = try #require(operation["responses"]?.object).names
      #expect(statuses.contains("401") == isGuarded && statuses.contains("403") == isGuarded, "\(method) \(path)")
      #expect(statuses.last == "default")
    }
    let record = try #require(document["components"]?["schemas"]?["User"]?["properties"]?.object)
    #expect(record.names == ["id", "email"])
  }

  @Test func `Without it nothing is said`() async throws {
    let document = try await AdminFixture.server().get("/__admin/openapi.json")
    #expect(document["components"]?["securitySchemes"] == nil)
    #expect(document["paths"]?["/login"] == nil)
  }
}
