import HTTPTypes
import JSONDescription
import JSONServerValues

/// A row of the table of sign-in: some paths, what a POST to them does, and what it responds.
struct SignInRow: Sendable {
  /// What a request does; named like the path of json-server-auth, or like that of most programs.
  enum Action: String, Sendable, CaseIterable {
    case register
    case login
    case refresh
    case logout

    /// The response of json-server-auth; for what it does not have, one of the same form.
    fileprivate var response: JSONValue {
      let tokens: JSONValue = ["accessToken": "$token", "refreshToken": "$refreshToken", "expiresIn": "$expiresIn"]
      let whole = JSONValue.object(JSONObject((tokens.object ?? [:]).map { ($0.name, $0.value) } + [("user", "$user")]))
      return switch self {
      case .register: ["status": 201, "shape": whole]
      case .login: ["status": 200, "shape": whole]
      case .refresh: ["status": 200, "shape": tokens]
      case .logout: ["status": 204]
      }
    }
  }

  /// The segments of the paths.
  let paths: [[String]]
  let action: Action
  /// The members of which one names the user; of a refresh, the member with the token.
  let members: [String]
  /// The cookie that holds the token, too; `nil` for none.
  let cookie: String?
  private let response: FixedResponse
  /// The response in place of an error; `nil` for the error.
  private let refusal: FixedResponse?

  /// The rows that every table ends with: json-server-auth's paths, and the usual others.
  static let standard: [JSONValue] = [
    ["path": ["/register", "/signup"], "does": "register"], ["path": ["/login", "/signin"]],
    ["path": "/refresh", "does": "refresh"], ["path": "/logout", "does": "logout"],
  ]

  private static let words = ["token", "refreshToken", "expiresIn", "user", "body"]

  /// Reads a row.
  ///
  /// - Throws: 400 that names the invalid member.
  init(_ value: JSONValue) throws(RequestError) {
    guard let object = value.object else { throw RequestError(.malformed, "a row must be an object.") }
    let body = StrictObject(object)
    try body.allow(only: ["path", "does", "members", "response", "refusal", "cookie"])
    let paths = try Self.texts("path", of: body)
    guard let paths, paths.allSatisfy({ $0.hasPrefix("/") && $0.count > 1 }) else {
      throw body.wrong("path", "a path, such as \"/auth/login\", or several")
    }
    self.paths = paths.map { $0.split(separator: "/").map(String.init) }
    let name = try body.string("does") ?? Action.login.rawValue
    guard let action = Action(rawValue: name) else {
      throw body.wrong("does", "one of \(Action.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.action = action
    members =
      try Self.texts("members", of: body) ?? (action == .refresh ? ["refreshToken"] : Credentials.usualNames)
    cookie = try body.string("cookie")
    guard cookie?.utf8.allSatisfy(ByteSet.words.contains) != false else {
      throw body.wrong("cookie", "the name of a cookie, of letters, digits and _")
    }
    let usual = try Self.response(StrictObject(action.response.object ?? [:]), Self.words)
    var response = try body.object("response").map { object throws(RequestError) in
      try Self.response(object, Self.words)
    }
    if response?.status == nil { response?.status = usual.status }
    self.response = response ?? usual
    refusal = try body.object("refusal").map { object throws(RequestError) in
      try Self.response(object, ["message", "body"])
    }
  }

  private static func response(_ object: StrictObject, _ words: [String]) throws(RequestError) -> FixedResponse {
    try object.allow(only: ["status", "headers", "body", "shape"])
    return try FixedResponse(object, files: BodyFiles(directory: nil), words: words)
  }

  private static func texts(_ name: String, of body: StrictObject) throws(RequestError) -> [String]? {
    guard let value = body.value(name) else { return nil }
    let elements = value.array ?? [value]
    let texts = elements.compactMap(\.string)
    guard !texts.isEmpty, texts.count == elements.count else {
      throw body.wrong(name, "a text, or several in an array")
    }
    return texts
  }

  /// Whether a successful request gets tokens: those that nobody sees are not made.
  var givesTokens: Bool { cookie != nil || response.uses("token") || response.uses("refreshToken") }

  /// The row as a document describes it, for each of its paths.
  var described: [OpenAPISignIn.Route] {
    paths.map { segments in
      OpenAPISignIn.Route(
        path: "/" + segments.joined(separator: "/"), action: action.rawValue, status: response.status?.code ?? 200)
    }
  }

  /// The response to a successful request.
  ///
  /// - Parameter values: Returns the values of the words of a shape.
  func response(filledFrom values: (String) -> JSONValue?) -> PreparedResponse {
    var prepared = response.likeData(status: .ok, filledFrom: values)
    if let cookie, let token = values("token")?.string {
      let value = "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Lax"
      prepared.headerFields.append(HTTPField(name: .setCookie, value: value))
    }
    return prepared
  }

  /// The response to a refused request; `nil` when the row has none.
  func refusal(of body: WrittenBody?, with error: RequestError) -> PreparedResponse? {
    refusal?.likeData(status: error.response().status) { name in
      name == "message" ? .string(error.message) : body.map { JSONValue($0.json) }
    }
  }
}

/// The rows of a server, and what they have in common.
struct SignInTable: Sendable {
  let rows: [SignInRow]
  /// The members of which one names a user.
  let names: [String]
  /// The cookies that hold tokens.
  let cookies: [String]

  init(rows: [SignInRow]) {
    self.rows = rows
    let own = rows.filter { $0.action == .login || $0.action == .register }.flatMap(\.members)
    names = Credentials.usualNames + Set(own).subtracting(Credentials.usualNames).sorted()
    cookies = Set(rows.compactMap(\.cookie)).sorted()
  }
}

extension Server.SignIn {
  /// The rows of the table: the own ones, then the standard ones.
  ///
  /// - Throws: ``ServerError`` that names the first invalid row.
  func table() throws(ServerError) -> SignInTable {
    var rows: [SignInRow] = []
    for (index, value) in (routes + SignInRow.standard).enumerated() {
      do throws(RequestError) {
        rows.append(try SignInRow(value))
      } catch {
        throw ServerError(.invalidConfiguration, "Server.SignIn.routes: row \(index + 1): \(error.message)")
      }
    }
    return SignInTable(rows: rows)
  }
}
