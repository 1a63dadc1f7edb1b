package import JSONServerValues

/// The part of a document about signing in.
package struct OpenAPISignIn: Sendable {
  private let users: String
  private let publicReads: Set<String>
  private let publicWrites: Set<String>

  /// - Parameters:
  ///   - users: The collection of the users.
  ///   - publicReads: The resources that everyone may read.
  ///   - publicWrites: The resources that everyone may write.
  package init(users: String, publicReads: Set<String>, publicWrites: Set<String>) {
    self.users = users
    self.publicReads = publicReads
    self.publicWrites = publicWrites
  }

  /// Adds the routes of sign-in, and the authorization of the other routes.
  package func added(to document: JSONObject) -> JSONObject {
    var document = document
    var paths = JSONObject([
      ("/register", register), ("/login", logIn), ("/refresh", refresh), ("/logout", logOut),
    ])
    for (path, item) in document["paths"]?.object ?? JSONObject() { paths[path] = guarded(item, at: path) }
    document["paths"] = .object(paths)
    var components = document["components"]?.object ?? JSONObject()
    components["securitySchemes"] = [
      "bearer": [
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
        "description": "The `accessToken` of `POST /login`.",
      ]
    ]
    document["components"] = .object(components)
    return document
  }

  private func guarded(_ item: JSONValue, at path: String) -> JSONValue {
    guard let operations = item.object else { return item }
    return .object(
      JSONObject(
        operations.map { method, operation in
          guard var members = operation.object, let resource = members["tags"]?[0]?.string else {
            return (method, operation)
          }
          if method == "post", path == "/" + OpenAPIPaths.segment(users) {
            return (method, registering(members["operationId"]?.string ?? "register"))
          }
          let open = method == "get" ? publicReads : publicWrites
          guard !open.contains(resource) else { return (method, operation) }
          members["security"] = [["bearer": []]]
          let responses = (members["responses"]?.object ?? JSONObject()) + Self.refusals
          members["responses"] = .object(JSONObject(responses.sorted { $0.0 < $1.0 }))
          return (method, .object(members))
        }))
  }

  private static let error: JSONValue = ["$ref": "#/components/responses/Error"]
  private static let refusals: [(String, JSONValue)] = [("401", error), ("403", error)]

  // MARK: Routes

  private var register: JSONValue { ["post": registering("register")] }

  private var logIn: JSONValue {
    [
      "post": operation(
        "logIn", "Signs a user in.", body: Self.credentials, responses: [("200", answer(Self.tokens(with: true)))])
    ]
  }

  private var refresh: JSONValue {
    let token: JSONValue = [
      "type": "object", "required": ["refreshToken"], "properties": ["refreshToken": ["type": "string"]],
    ]
    return [
      "post": operation(
        "refreshTokens", "Exchanges a refresh token for new tokens. The old token becomes void.", body: token,
        responses: [("200", answer(Self.tokens(with: false))), ("401", Self.error)])
    ]
  }

  private var logOut: JSONValue {
    let done: JSONValue = ["description": "All tokens of the sign-in are void."]
    return [
      "post": operation(
        "logOut", "Signs the user out.", body: nil, responses: [("204", done), ("401", Self.error)], isSecured: true)
    ]
  }

  private func registering(_ name: String) -> JSONValue {
    operation(
      name, "Registers a user.", body: Self.credentials, responses: [("201", answer(Self.tokens(with: true)))])
  }

  private func operation(
    _ name: String, _ summary: String, body: JSONValue?, responses: [(String, JSONValue)], isSecured: Bool = false
  ) -> JSONValue {
    var members = JSONObject([
      "operationId": .string(name), "summary": .string(summary), "tags": [.string(users)],
    ])
    if let body { members["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]] }
    let errors = [("400", Self.error), ("default", Self.error)]
    members["responses"] = .object(JSONObject((responses + errors).sorted { $0.0 < $1.0 }))
    if isSecured { members["security"] = [["bearer": []]] }
    return .object(members)
  }

  private func answer(_ schema: JSONValue) -> JSONValue {
    ["description": "The tokens.", "content": ["application/json": ["schema": schema]]]
  }

  private static let credentials: JSONValue = [
    "type": "object", "required": ["email", "password"],
    "properties": [
      "email": ["type": "string", "format": "email"],
      "password": ["type": "string", "format": "password", "minLength": 4],
    ],
  ]

  /// - Parameter user: Whether the response also has the user's record.
  private static func tokens(with user: Bool) -> JSONValue {
    var properties = JSONObject([
      "accessToken": ["type": "string"], "refreshToken": ["type": "string"], "expiresIn": ["type": "integer"],
    ])
    if user { properties["user"] = ["type": "object", "additionalProperties": true] }
    return [
      "type": "object", "required": .array(properties.names.map(JSONValue.string)), "properties": .object(properties),
    ]
  }
}
