import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// Ways to the records of others that lead over relations.
struct OwnershipTests {
  private static let data: JSONValue = [
    "users": [
      ["id": 1, "email": "ada@x.org", "password": "Tr0ub4dor"], ["id": 2, "email": "bob@x.org", "password": "c0rrect"],
    ],
    "posts": [["id": 1, "userId": 1], ["id": 2, "userId": 2]],
    "comments": [["id": 1, "postId": 1, "userId": 2]],
  ]

  @Test(arguments: [
    ("GET", "/users/1?_embed=posts", 200), ("GET", "/users/1?_embed=posts.comments", 403),
    ("GET", "/posts/1?_expand=user", 200), ("GET", "/posts/1?_expand=user.posts", 403),
    ("GET", "/posts/1?_embed=user.posts", 403), ("GET", "/posts/1?_embed=comments", 403),
    ("GET", "/users/1/posts", 200), ("GET", "/users/2/posts", 403), ("GET", "/user/2/posts", 403),
    ("POST", "/users/1/posts", 201), ("POST", "/users/2/posts", 403), ("POST", "/user/1/posts", 201),
    ("POST", "/user/2/posts", 403),
  ])
  func `Nobody gets or makes what is another's`(method: String, target: String, status: Int) async throws {
    let own = try #require(Guard("600"))
    let server = try await AdminFixture.server(Self.data) { configuration in
      configuration.signIn = Server.SignIn(guards: ["users": own, "posts": own, "comments": own])
    }
    let login = await server.send(.post, "/login", ["email": "ada@x.org", "password": "Tr0ub4dor"])
    let token = try #require(try login.json["accessToken"]?.string)
    let fields: HTTPFields = [.authorization: "Bearer \(token)"]
    let method = try #require(HTTPRequest.Method(method))
    let response = await server.send(method, target, method == .post ? ["userId": 1] : nil, fields: fields)
    #expect(response.status.code == status, "\(response.text)")
  }
}
