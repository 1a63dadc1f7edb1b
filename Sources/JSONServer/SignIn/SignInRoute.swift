import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// A parsed sign-in request.
enum SignInRoute {
  case register(WrittenBody?)
  case signIn(WrittenBody?)
  case refresh(token: String?)
  case signOut(refreshToken: String?)

  /// The paths, except that of the users, to which a POST registers, too.
  private static let names = ["register", "signup", "login", "signin", "refresh", "logout"]

  /// The longest body, in bytes: signing in reads it on the event loop, and answers with the whole user.
  private static let longestBody = 1024 * 1024

  /// Parses a request; `nil` for any other request.
  ///
  /// - Parameters:
  ///   - segments: The path's segments.
  ///   - wrapName: The member in which a body may be wrapped; `nil` for none.
  /// - Throws: 405 with `Allow` for another method than POST, 400 for a body that cannot be read, and 413 for one that is
  ///   too long.
  init?(_ request: Request, _ segments: [String], wrapName: String?, _ users: Users) throws(RequestError) {
    guard segments.count == 1, let name = segments.first,
      Self.names.contains(name) || request.method == .post && users.areMeant(by: name)
    else { return nil }
    guard request.method == .post else {
      if users.database.resource(meantBy: name) != nil { return nil }
      throw .methodNotAllowed(request, ["POST"])
    }
    guard request.bytes.count <= Self.longestBody else {
      throw RequestError(
        .bodyTooLarge,
        "\(request.path) takes at most 1 MiB; send more with PATCH /\(users.collection)/1, after signing in.")
    }
    var body = try RequestBody.json(from: request, maximumDepth: users.database.schema.maximumDepth - 2)
    if let wrapName { body = try body?.unwrapped(wrapName) }
    switch name {
    case "login", "signin": self = .signIn(body)
    case "refresh": self = .refresh(token: Self.refreshToken(body))
    case "logout": self = .signOut(refreshToken: Self.refreshToken(body))
    default: self = .register(body)
    }
  }

  private static func refreshToken(_ body: WrittenBody?) -> String? {
    body.flatMap { JSONValue($0.json)["refreshToken"]?.string }
  }
}
