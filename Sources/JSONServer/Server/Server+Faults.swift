extension Server {
  /// Makes requests go wrong; of several faults that match, the one added first counts.
  ///
  /// - Returns: The fault's id, to remove it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a fault that no request can meet, or whose numbers make
  ///   no sense.
  @discardableResult
  public func addFault(_ fault: Fault) async throws(ServerError) -> Int {
    try await add(try Rule(fault))
  }

  /// Removes a fault; does nothing when it has expired.
  public func removeFault(_ id: Int) async {
    await remove(.fault, id)
  }

  /// Removes all faults.
  public func removeFaults() async {
    await remove(.fault)
  }

  /// Adds a stub, which precedes the existing ones.
  ///
  /// - Returns: The stub's id, to remove it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a stub that no request can match, that has no response,
  ///   or whose numbers make no sense.
  @discardableResult
  public func stub(_ stub: Stub) async throws(ServerError) -> Int {
    try await add(try Rule(stub))
  }

  /// Removes a stub; does nothing when it does not exist.
  public func removeStub(_ id: Int) async {
    await remove(.stub, id)
  }

  /// Removes all stubs, those of the configuration too.
  public func removeStubs() async {
    await remove(.stub)
  }

  /// Reads the stubs file again; its stubs take the place of those that it had before.
  ///
  /// - Returns: How many stubs it has.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file and the place of a fault; the stubs
  ///   before stay in force.
  @discardableResult
  public func reloadStubs() async throws(ServerError) -> Int {
    guard let path = configuration.stubsFile else { return 0 }
    let stubs = try StubsFile(path: path, files: configuration.bodyFiles, ignoring: configuration.ignoresStub).stubs
    await engine.run { $0.rules.replaceFile(with: stubs) }
    return stubs.count
  }

  /// The files whose contents stubs of the stubs file have as bodies, as it is now; none while it is invalid.
  package var bodyFiles: [String] {
    guard let path = configuration.stubsFile else { return [] }
    return (try? StubsFile(path: path, files: configuration.bodyFiles))?.bodyFiles ?? []
  }

  /// Holds matching requests from now on, until they are released; of several holds that match, the one added first
  /// counts.
  ///
  /// - Parameter times: How many requests wait; later ones do not. `nil` for no end.
  /// - Returns: The hold's id, to release it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a pattern that no request can match, and for a number
  ///   that makes no sense.
  public func hold(_ request: RequestPattern, times: Int? = nil) async throws(ServerError) -> Int {
    try await add(try Rule(request, times: times, .hold))
  }

  /// Removes a hold, and lets the requests that wait in it go on; does nothing when it does not exist.
  public func releaseHold(_ id: Int) async {
    await remove(.hold, id)
  }

  /// Removes a hold, and lets the requests that wait in it fail; does nothing when it does not exist.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a response that cannot be sent.
  public func releaseHold(_ id: Int, failingWith response: Response) async throws(ServerError) {
    do throws(RequestError) {
      let action = Fault(.any(), response).action
      await remove(.hold, id, failingWith: try FixedResponse(response).prepared(retryAfter: nil, action))
    } catch {
      throw ServerError(.invalidConfiguration, error.message)
    }
  }

  /// Removes all holds, and lets the requests that wait in them go on.
  public func releaseHolds() async {
    await remove(.hold)
  }

  /// How many requests a fault, a hold and a stub with an id have met, whether they are still there or not.
  package func timesMet(_ id: Int) async -> (fault: Int, hold: Int, stub: Int) {
    await engine.run { engine in
      let rules = engine.rules
      return (rules.timesMet(.fault, id), rules.timesMet(.hold, id), rules.timesMet(.stub, id))
    }
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
    await carryOut(failingAs: "Not all of the \(kind.rawValue)s were removed") {
      $0.rules.remove(kind, id, failingWith: response, on: $0, $1)
    }
  }
}
