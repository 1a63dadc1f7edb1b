public import HTTPTypes

extension Server {
  /// Makes requests go wrong; of several faults that match, the one added first counts.
  ///
  /// - Returns: The fault's id, to remove it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a fault that no request can meet, or whose numbers make
  ///   no sense.
  @discardableResult
  public func addFault(_ fault: Fault) async throws(ServerError) -> Int {
    let engine = await engine
    guard engine.isShared else {
      return try await engine.change { simulation throws(RequestError) in try simulation.addFault(fault) }
    }
    return try await engine.share { () throws(RequestError) in try SharedRule.Draft(fault) }
  }

  /// Removes a fault; does nothing when it has expired.
  public func removeFault(_ id: Int) async {
    await engine.remove(.fault, id)
  }

  /// Removes all faults.
  public func removeFaults() async {
    await engine.remove(.fault)
  }

  /// Responds in one way to matching requests from now on, whatever the data holds; precedes the existing stubs.
  ///
  /// - Returns: The stub's id, to remove it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a stub that no request can match, that has no response,
  ///   or whose numbers make no sense.
  @discardableResult
  public func stub(_ stub: Stub) async throws(ServerError) -> Int {
    let engine = await engine
    // A closure cannot be shared.
    guard engine.isShared, !stub.hasHandler else {
      return try await engine.change { simulation throws(RequestError) in try simulation.stubs.add(stub) }
    }
    return try await engine.share { () throws(RequestError) in try SharedRule.Draft(stub) }
  }

  /// Removes a stub; does nothing when it does not exist.
  public func removeStub(_ id: Int) async {
    await engine.remove(.stub, id)
  }

  /// Removes all stubs, those of the configuration too.
  public func removeStubs() async {
    await engine.remove(.stub)
  }

  /// Reads the stubs file again; its stubs take the place of those that it had before.
  ///
  /// - Returns: How many stubs it has.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file and the place of a fault; the stubs
  ///   before stay in force.
  @discardableResult
  public func reloadStubs() async throws(ServerError) -> Int {
    guard let path = configuration.stubsFile else { return 0 }
    let file = try StubsFile(
      path: path, files: configuration.bodyFiles, ignoring: configuration.ignoresStub)
    await engine.replaceStubs(with: file)
    return file.stubs.count
  }

  /// The files whose contents stubs of the stubs file have as bodies, as it is now; none while it is invalid.
  package var bodyFiles: [String] {
    guard let path = configuration.stubsFile else { return [] }
    return (try? StubsFile(path: path, files: configuration.bodyFiles))?.bodyFiles ?? []
  }

  /// Lets matching requests wait from now on, until they are released; of several holds that match, the one added first
  /// counts.
  ///
  /// - Parameter times: How many requests wait; later ones do not. `nil` for no end.
  /// - Returns: The hold's id, to release it by.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for a pattern that no request can match, and for a number
  ///   that makes no sense.
  public func hold(_ request: RequestPattern, times: Int? = nil) async throws(ServerError) -> Int {
    try await engine.change { simulation throws(RequestError) in try simulation.holds.add(request, times: times) }
  }

  /// Removes a hold, and lets the requests that wait in it go on; does nothing when it does not exist.
  ///
  /// - Parameter status: What they fail with instead.
  public func releaseHold(_ id: Int, failingWith status: HTTPResponse.Status? = nil) async {
    await engine.release(id, status)
  }

  /// Removes all holds, and lets the requests that wait in them go on.
  public func releaseHolds() async {
    await engine.releaseAll()
  }

  /// How many requests a fault, a hold and a stub with an id have met, whether they are still there or not.
  package func timesMet(_ id: Int) async -> (fault: Int, hold: Int, stub: Int) {
    await engine.timesMet(id)
  }
}

extension Engine {
  /// Changes what requests meet.
  fileprivate func change(
    _ body: @Sendable (inout Simulation) throws(RequestError) -> Int
  ) throws(ServerError) -> Int {
    do throws(RequestError) {
      return try body(&simulation)
    } catch {
      throw ServerError(.invalidConfiguration, error.message)
    }
  }

  /// Adds a rule that all servers of the database have.
  fileprivate func share(
    _ draft: @Sendable () throws(RequestError) -> SharedRule.Draft?
  ) async throws(ServerError) -> Int {
    do throws(RequestError) {
      guard let shared = writes.shared, let draft = try draft() else { return 0 }
      let result = await withCheckedContinuation { continuation in
        change(.add(draft, after: lastID(of: draft.kind)), in: shared) { continuation.resume(returning: $1) }
      }
      return try result.get()
    } catch {
      throw ServerError(error.code == .malformed ? .invalidConfiguration : .notSaved, error.message)
    }
  }

  /// Removes a rule, or all of a kind.
  fileprivate func remove(_ kind: SharedRule.Kind, _ id: Int? = nil) async {
    let isOwn = removeOwn(kind, id)
    guard let shared = writes.shared, id == nil || !isOwn else { return }
    await run(failingAs: "Not all of the \(kind.rawValue)s were removed") {
      $0.change(.remove(kind, id: id), in: shared, $1)
    }
  }

  /// Removes a rule of this server's own, or all of a kind.
  ///
  /// - Returns: Whether there was one.
  func removeOwn(_ kind: SharedRule.Kind, _ id: Int?) -> Bool {
    switch (kind, id) {
    case (.fault, let id?): return simulation.faults[id]?.isShared == false && simulation.removeFault(id)
    case (.fault, nil): simulation.removeOwnFaults()
    case (.stub, let id?): return simulation.stubs.table[id]?.isShared == false && simulation.stubs.remove(id)
    case (.stub, nil): simulation.stubs.removeOwn()
    }
    return true
  }

  fileprivate func replaceStubs(with file: StubsFile) {
    startStubs.replaceFile(with: file)
    simulation.stubs.replaceFile(with: file)
  }
  fileprivate func releaseAll() { releaseHolds() }

  fileprivate func release(_ id: Int, _ status: HTTPResponse.Status?) {
    _ = releaseHold(id, status.map { .fail(Holds.failure($0)) } ?? .goOn)
  }

  fileprivate func timesMet(_ id: Int) -> (fault: Int, hold: Int, stub: Int) {
    (simulation.faults.timesMet(id), simulation.holds.table.timesMet(id), simulation.stubs.table.timesMet(id))
  }
}
