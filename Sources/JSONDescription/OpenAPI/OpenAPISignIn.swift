package import JSONServerValues

/// The part of a document about signing in.
package struct OpenAPISignIn: Sendable {
  private let users: String
  private let publicReads: Set<String>
  private let publicWrites: Set<String>
  private let routes: [Route]

  /// A path of the server's own table of sign-in.
  package struct Route: Sendable {
    private let path: String
    private let action: String
    private let status: String

    /// - Parameters:
    ///   - action: What a POST does: `register`, `login`, `refresh` or `logout`.
    ///   - status: The status of the success.
    package init(path: String, action: String, status: Int) {
      (self.path, self.action, self.status) = (path, action, String(status))
    }

    /// The table decides which members the bodies have, so that the document names none.
    fileprivate func operation(tag: String) -> (String, JSONValue) {
      let body: JSONValue = ["content": ["application/json": ["schema": ["type": "object"]]]]
      let id = Identifier.lowerCamelCase("\(action) at \(path)")
      let summaries = [
        "register": "Registers a user", "login": "Signs a user in", "refresh": "Exchanges a refresh token",
        "logout": "Signs the user out",
      ]
      let summary = (summaries[action] ?? action) + ", with the bodies of the table of sign-in."
      var operation = OpenAPIOperation.value(id, summary, tag: tag, body: body, [], errors: [])
      let response: JSONValue = ["description": "The response that the table gives."]
      operation["responses"] = .object(JSONObject([(status, response), ("default", response)]))
      return (path, ["post": .object(operation)])
    }
  }

  /// - Parameters:
  ///   - users: The collection of the users.
  ///   - publicReads: The resources that everyone may read.
  ///   - publicWrites: The resources that everyone may write.
  ///   - routes: The paths of the server's own table.
  package init(users: String, publicReads: Set<String>, publicWrites: Set<String>, routes: [Route] = []) {
    self.users = users
    self.routes = routes
    self.publicReads = publicReads
    self.publicWrites = publicWrites
  }

  /// Adds the routes of sign-in, and the authorization of the other routes.
  package func added(to document: JSONObject) -> JSONObject {
    var document = document.changingOperations { operation, path, method in
      guard let resource = operation["tags"]?[0]?.string else { return }
      if method == "post", path == "/" + OpenAPIPaths.segment(users) {
        operation = registering(operation["operationId"]?.string ?? "register")
      } else if !(method == "get" ? publicReads : publicWrites).contains(resource) {
        operation["security"] = [["bearer": []]]
        let responses = operation[object: "responses"] + Self.refusals
        operation["responses"] = .object(JSONObject(responses.sorted { $0.0 < $1.0 }))
      }
    }
    let routes = [
      ("/register", registering("register")), ("/login", logIn), ("/refresh", refresh), ("/logout", logOut),
    ].map { path, operation in (path, JSONValue.object(["post": .object(operation)])) }
    let own = self.routes.map { $0.operation(tag: users) }
    let paths = JSONObject(routes + document[object: "paths"].map { ($0.name, $0.value) })
    // A path of the table counts more than one that is always there.
    document["paths"] = .object(
      JSONObject(own + paths.filter { path in !own.contains { $0.0 == path.name } }.map { ($0.name, $0.value) }))
    document[object: "components"]["securitySchemes"] = [
      "bearer": [
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
        "description": "The `accessToken` of `POST /login`.",
      ]
    ]
    return document
  }

  private static let refusals: [(String, JSONValue)] = ["401", "403"].map { ($0, OpenAPIResponses.error) }

  // MARK: Routes

  private var logIn: JSONObject {
    operation("logIn", "Signs a user in.", body: Self.credentials, .ok("The tokens.", Self.tokens(with: true)))
  }

  private var refresh: JSONObject {
    operation(
      "refreshTokens", "Exchanges a refresh token for new tokens. The old token becomes void.",
      body: OpenAPISchemas.whole(["refreshToken": ["type": "string"]]), .ok("The tokens.", Self.tokens(with: false)),
      errors: [.unauthorized])
  }

  private var logOut: JSONObject {
    var operation = operation(
      "logOut", "Signs the user out.", body: nil, OpenAPIResponse("204", "All tokens of the sign-in are void.", nil),
      errors: [.unauthorized])
    operation["security"] = [["bearer": []]]
    return operation
  }

  private func registering(_ name: String) -> JSONObject {
    operation(
      name, "Registers a user.", body: Self.credentials,
      OpenAPIResponse("201", "The tokens.", Self.tokens(with: true)))
  }

  /// - Parameter errors: The errors that clients must expect besides 400.
  private func operation(
    _ name: String, _ summary: String, body: JSONValue?, _ success: OpenAPIResponse,
    errors: [OpenAPIResponses.ErrorStatus] = []
  ) -> JSONObject {
    let body = body.map { schema -> JSONValue in
      ["required": true, "content": ["application/json": ["schema": schema]]]
    }
    return OpenAPIOperation.value(name, summary, tag: users, body: body, [success], errors: [.badRequest] + errors)
  }

  private static let credentials = OpenAPISchemas.whole([
    "email": ["type": "string", "format": "email"],
    "password": ["type": "string", "format": "password", "minLength": 4],
  ])

  /// - Parameter user: Whether the response also has the user's record.
  private static func tokens(with user: Bool) -> JSONValue {
    var properties: JSONObject = [
      "accessToken": ["type": "string"], "refreshToken": ["type": "string"], "expiresIn": ["type": "integer"],
    ]
    if user { properties["user"] = ["type": "object", "additionalProperties": true] }
    return OpenAPISchemas.whole(properties)
  }
}
