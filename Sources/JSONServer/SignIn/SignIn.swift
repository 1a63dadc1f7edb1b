extension Server {
  /// How clients sign in, and who may use which resource.
  public struct SignIn: Sendable, Hashable {
    /// The collection of the users. Its records hold `email` (or `username`) and `password`, in plain text.
    public var users: String
    /// Who may read and write a resource, by its name; 660 for those that are not named, and 600 for the users.
    public var guards: [String: Guard]
    /// How long an access token is valid.
    public var tokenLifetime: Duration

    /// Creates the sign-in of a collection of users.
    public init(users: String = "users", guards: [String: Guard] = [:], tokenLifetime: Duration = .seconds(3600)) {
      self.users = users
      self.guards = guards
      self.tokenLifetime = tokenLifetime
    }
  }
}
