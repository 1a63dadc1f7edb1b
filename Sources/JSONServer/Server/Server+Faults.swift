extension Server {
  /// Adds a fault, which makes requests fail; the first added fault that matches counts, after those with only a delay.
  ///
  /// - Returns: The fault's id, for removing it.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a fault that no request can match, or with invalid
  ///   numbers.
  @discardableResult
  public func addFault(_ fault: Fault) async throws(ServerError) -> Int {
    try await add(try Rule(fault))
  }

  /// Removes a fault, unless it has expired.
  public func removeFault(_ id: Int) async {
    await remove(.fault, id)
  }

  /// Removes all faults.
  public func removeFaults() async {
    await remove(.fault)
  }

  /// Adds a stub before the existing ones.
  ///
  /// - Returns: The stub's id, for removing it.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a stub that no request can match, without a
  ///   response, or with invalid numbers.
  @discardableResult
  public func stub(_ stub: Stub) async throws(ServerError) -> Int {
    try await add(try Rule(stub))
  }

  /// Removes a stub, if it exists.
  public func removeStub(_ id: Int) async {
    await remove(.stub, id)
  }

  /// Removes all stubs, including those of the configuration.
  public func removeStubs() async {
    await remove(.stub)
  }

  /// Reads the stubs file again, and replaces its stubs, also in the sessions.
  ///
  /// - Returns: The number of its stubs.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file with line and column; the old stubs
  ///   stay then.
  @discardableResult
  public func reloadStubs() async throws(ServerError) -> Int {
    guard let path = configuration.stubsFile else { return 0 }
    let stubs = try StubsFile(path: path, files: configuration.bodyFiles, ignoring: configuration.ignoresStub).stubs
    await root.run { engine in
      engine.rules.replaceFile(with: stubs)
      engine.sessions.replaceFile(with: stubs)
    }
    return stubs.count
  }

  /// Holds matching requests until they are released; the first added hold that matches counts.
  ///
  /// - Parameter times: How many requests wait; `nil` for no limit.
  /// - Returns: The hold's id, for releasing it.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a pattern that no request can match, and for an
  ///   invalid number.
  public func hold(_ request: RequestPattern, times: Int? = nil) async throws(ServerError) -> Int {
    try await add(try Rule(request, times: times, .hold))
  }

  /// Removes a hold, if it exists, and lets its requests go on.
  public func releaseHold(_ id: Int) async {
    await remove(.hold, id)
  }

  /// Removes a hold, if it exists, and lets its requests fail.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a response that cannot be sent.
  public func releaseHold(_ id: Int, failingWith response: Response) async throws(ServerError) {
    do throws(RequestError) {
      await remove(.hold, id, failingWith: try FixedResponse(response).prepared(retryAfter: nil))
    } catch {
      throw ServerError(.invalidConfiguration, error.message)
    }
  }

  /// Removes all holds, and lets their requests go on.
  public func releaseHolds() async {
    await remove(.hold)
  }

  /// The number of requests that a rule has affected, even after its removal.
  package func timesMet(_ kind: Rule.Kind, _ id: Int) async -> Int {
    await engine.run { $0.rules.timesMet(kind, id) }
  }

  private func add(_ rule: @autoclosure () throws(RequestError) -> Rule) async throws(ServerError) -> Int {
    do throws(RequestError) {
      let rule = try rule()
      return try await result { $0.rules.add(rule, on: $0, $1) }.get()
    } catch {
      throw ServerError(error.code == .malformed ? .invalidConfiguration : .notSaved, error.message)
    }
  }

  private func remove(_ kind: Rule.Kind, _ id: Int? = nil, failingWith response: PreparedResponse? = nil) async {
    await result(orWarning: "Not all of the \(kind.rawValue)s were removed") {
      $0.rules.remove(kind, id, failingWith: response, on: $0, $1)
    }
  }
}
