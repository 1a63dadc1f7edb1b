public import JSONServerValues

extension Server {
  /// How clients sign in, and the rights to resources.
  public struct SignIn: Sendable, Hashable {
    /// The collection of the users. Its records hold `email` (or `username`) and `password`, in plain text.
    public var users: String
    /// The guards of resources, by name; that of `*` is for all others but the users. The default is 660, and 600 for the users.
    public var guards: [String: Guard]
    /// The time for which an access token is valid.
    public var tokenLifetime: Duration
    /// The paths at which clients register, sign in and out, before the usual ones: rows of `json-server.json`, such as
    /// `["path": "/api/sessions", "members": ["phone"], "response": ["shape": ["jwt": "$token", "me": "$user"]]]`.
    public var routes: [JSONValue] = []

    /// Creates the sign-in of a collection of users.
    public init(users: String = "users", guards: [String: Guard] = [:], tokenLifetime: Duration = .seconds(3600)) {
      self.users = users
      self.guards = guards
      self.tokenLifetime = tokenLifetime
    }
  }
}
