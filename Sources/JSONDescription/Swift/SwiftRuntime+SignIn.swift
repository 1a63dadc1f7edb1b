extension SwiftRuntime {
  /// Signing in, and renewing tokens that the server refuses.
  ///
  /// - Parameters:
  ///   - users: The resource of the users.
  ///   - nameKey: The member that names a user.
  func signIn(_ users: NamedResource, nameKey: String) -> String {
    """
    nonisolated extension \(clientName) {
      /// Signs in. Requests carry the access token from now on; when the server refuses it, the client
      /// asks for a new one, once, and sends the request again. Copies of a client share their tokens.
      @discardableResult
      \(open)func logIn(\(nameKey): String, password: String) async throws -> \(users.recordName) {
        try await signIn("/login", ["\(nameKey)": \(nameKey), "password": password])
      }

      /// Adds a user, and signs in.
      @discardableResult
      \(open)func register(_ user: \(users.newRecordName)) async throws -> \(users.recordName) {
        try await signIn("/register", user)
      }

      /// Signs out: removes the tokens here and on the server.
      \(open)func logOut() async throws {
        guard await store.tokens != nil else { return }
        do {
          _ = try await send("POST", url("/logout"))
          await store.set(nil)
        } catch {
          await store.set(nil)
          throw error
        }
      }

      /// The tokens, to keep them for the next launch; `nil` before signing in, after signing out, and when the
      /// server gives no new ones.
      \(open)var tokens: SignInTokens? {
        get async { await store.tokens }
      }

      private func signIn(_ path: String, _ body: any Encodable) async throws -> \(users.recordName) {
        struct Answer: Decodable { var user: \(users.recordName) }
        await store.set(nil)
        let (data, _) = try await send("POST", url(path), body: body)
        let (tokens, answer): (SignInTokens, Answer) = (try Self.decode(data), try Self.decode(data))
        await store.set(tokens)
        return answer.user
      }

      /// Sends a request with the access token, and once more with a new one when the server refuses it.
      fileprivate func sendWithTokens(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let tokens = await store.tokens else { return try await transmit(request) }
        let (data, response) = try await transmit(request, with: tokens)
        guard response.statusCode == 401 else { return (data, response) }
        let renewed = try await store.renew(tokens) { refused in
          try await newTokens(for: refused)
        }
        return if let renewed { try await transmit(request, with: renewed) } else { (data, response) }
      }

      /// Requests new tokens; `nil` when the server gives none.
      private func newTokens(for refused: SignInTokens) async throws -> SignInTokens? {
        var request = URLRequest(url: try url("/refresh"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(["refreshToken": refused.refreshToken])
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await transmit(request)
        switch response.statusCode {
        case 200..<300: return try Self.decode(data)
        case 400, 401, 403: return nil
        default: throw ResourceError(response.statusCode, data)
        }
      }

      private func transmit(
        _ request: URLRequest, with tokens: SignInTokens
      ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue("Bearer \\(tokens.accessToken)", forHTTPHeaderField: "Authorization")
        return try await transmit(request)
      }
    }

    /// The tokens that the server gives to a user who signs in.
    \(openType)struct SignInTokens: Codable, Sendable, Hashable {
      /// The token that requests carry.
      \(open)var accessToken: String
      /// The token for new tokens; valid once.
      \(open)var refreshToken: String\(access.reachesOtherModules ? Self.initializer(open) : "")
    }

    /// Keeps the tokens, and requests new ones only once however many requests were refused.
    private actor TokenStore {
      private(set) var tokens: SignInTokens?
      private var renewal: Task<SignInTokens?, any Error>?

      init(_ tokens: SignInTokens?) {
        self.tokens = tokens
      }

      func set(_ tokens: SignInTokens?) {
        self.tokens = tokens
      }

      /// Returns tokens in place of the refused ones.
      func renew(
        _ refused: SignInTokens,
        _ request: @escaping @Sendable (SignInTokens) async throws -> SignInTokens?
      ) async throws -> SignInTokens? {
        if let renewal { return try await renewal.value }
        // Another request was refused before, and new ones are there.
        guard tokens == refused else { return tokens }
        // Not a part of the request: a canceled one must not take the new tokens with it.
        let task = Task { try await request(refused) }
        renewal = task
        defer { renewal = nil }
        let renewed = try await task.value
        if tokens == refused { tokens = renewed }
        return renewed
      }
    }
    """
  }

  /// The initializer of tokens for other modules.
  private static func initializer(_ open: String) -> String {
    """


      \(open)init(accessToken: String, refreshToken: String) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
      }
    """
  }
}
