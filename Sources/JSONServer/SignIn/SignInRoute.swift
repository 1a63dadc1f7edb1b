import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// A parsed sign-in request.
struct SignInRoute {
  /// The row of its path.
  let row: SignInRow
  let body: WrittenBody?

  /// The longest body, in bytes: the event loop reads it, and shows it to the user who registers.
  private static let longestBody = 1024 * 1024

  /// Parses a request; `nil` for any other request.
  ///
  /// - Parameters:
  ///   - segments: The path's segments.
  ///   - wrapName: The member in which a body may be wrapped; `nil` for none.
  /// - Throws: 405 with `Allow` for another method than POST, 400 for a body that cannot be read, and 413 for one that is
  ///   too long.
  init?(_ request: Request, _ segments: [String], wrapName: String?, _ users: Users) throws(RequestError) {
    guard let row = users.row(at: segments, isPost: request.method == .post) else { return nil }
    guard request.method == .post else {
      if users.database.resource(meantBy: segments[0]) != nil { return nil }
      throw .methodNotAllowed(request, ["POST"])
    }
    guard request.bytes.count <= Self.longestBody else {
      throw RequestError(
        .bodyTooLarge,
        "\(request.path) takes at most 1 MiB; send more with PATCH /\(users.collection)/1, after signing in.")
    }
    var body = try RequestBody.json(from: request, maximumDepth: users.database.schema.maximumDepth - 2)
    if let wrapName { body = try body?.unwrapped(wrapName) }
    (self.row, self.body) = (row, body)
  }

  /// The refresh token in the body.
  var refreshToken: String? {
    guard let body else { return nil }
    let names = row.action == .refresh ? row.members : ["refreshToken"]
    let members = body.json.members(named: names)
    return names.lazy.compactMap { members[$0]?.string }.first
  }
}

extension Users {
  /// The row of a path; to the path of the users, a POST registers.
  func row(at segments: [String], isPost: Bool) -> SignInRow? {
    guard let first = segments.first else { return nil }
    if let row = table.rows.first(where: { $0.paths.contains(segments) }) { return row }
    return isPost && segments.count == 1 && areMeant(by: first) ? table.rows.first { $0.action == .register } : nil
  }

  /// The token of a request: in `Authorization` (RFC 6750, section 2.1), or in a cookie of the table.
  ///
  /// - Throws: 401 without a token.
  func token(of request: Request) throws(RequestError) -> String {
    guard let field = request.headerFields.first(.authorization) else {
      let cookies = request.headerFields[fields: .cookie].flatMap { $0.value.split(separator: ";") }
      for name in table.cookies {
        let start = name + "="
        let found = cookies.lazy.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(start) }
        if let found { return String(found.dropFirst(start.count)) }
      }
      throw RequestError(.unauthorized, "Missing authorization header")
    }
    let parts = field.split(separator: " ")
    guard parts.first?.lowercased() == "bearer" else {
      throw RequestError(.unauthorized, "Incorrect authorization scheme")
    }
    guard parts.count > 1 else { throw RequestError(.unauthorized, "Missing token") }
    return String(parts[1])
  }
}
