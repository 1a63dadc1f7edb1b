import HTTPTypes
import JSONDatabase

/// Who has signed in to a server, and what that is needed for.
///
/// It belongs to one engine.
final class SignInState {
  let users: String
  private let guards: [String: Guard]
  /// Makes tokens; those that were given are in the server's state.
  let tokens: Tokens

  /// The member of users that no response shows.
  static let hiddenName = "password"

  init(_ configuration: Server.SignIn, random: @escaping @Sendable () -> UInt64) {
    users = configuration.users
    guards = configuration.guards
    tokens = Tokens(lifetime: configuration.tokenLifetime, random: random)
  }

  /// The guard of a resource: what all its guards allow.
  ///
  /// - Parameters:
  ///   - listed: Its guard in the routes file.
  ///   - prefix: The guard that the path begins with. It takes the place of the one that a resource has by itself, but not
  ///     of the users': no path opens those.
  func `guard`(of resource: String, listed: Guard?, prefix: Guard?) -> Guard {
    let chosen = [guards[resource], listed].compactMap { $0 }
    let own = chosen.isEmpty && resource == users ? [.ownOnly] : chosen
    let all = own + [prefix].compactMap { $0 }
    return all.first.map { all.dropFirst().reduce($0) { $0.intersection($1) } } ?? .signedIn
  }

  /// The token that a request brings (RFC 6750, section 2.1).
  ///
  /// - Throws: 401, when there is none.
  static func bearerToken(_ request: Request) throws(RequestError) -> String {
    guard let field = request.headerFields.first(.authorization) else {
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

extension RequestError {
  /// Creates the refusal of a token, in the words of jsonwebtoken, which json-server-auth passes on.
  init(_ refusal: Tokens.Refusal) {
    switch refusal {
    case .malformed: self.init(.unauthorized, "jwt malformed")
    case .unknown: self.init(.unauthorized, "invalid token")
    case .expired: self.init(.unauthorized, "jwt expired")
    }
  }
}

extension Server.SignIn {
  /// Refuses what the data or the clock has no place for.
  ///
  /// - Throws: ``ServerError`` that begins with the member at fault, for which the command names its option.
  func check(_ database: Database) throws(ServerError) {
    let names = database.resourceNames.joined(separator: ", ")
    guard case .collection? = database.resource(named: users) else {
      throw ServerError(
        .invalidConfiguration,
        "signIn.users: no collection is named '\(users)'; there are \(names). Add \"\(users)\": [].")
    }
    for name in guards.keys.sorted() where database.resource(named: name) == nil {
      throw ServerError(
        .invalidConfiguration, "signIn.guards: no resource is named '\(name)'; there are \(names).")
    }
    guard tokenLifetime > .zero, tokenLifetime <= .seconds(Self.longestLifetime) else {
      throw ServerError(
        .invalidConfiguration,
        "signIn.tokenLifetime: choose from 1 to \(Self.longestLifetime) seconds, which is a year.")
    }
  }

  package static let longestLifetime = 31_536_000
}
